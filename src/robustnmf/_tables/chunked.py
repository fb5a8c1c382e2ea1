"""HDF5 and Zarr: arrays inside a container, read and written a few rows at a time."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf._tables import hdf5
from robustnmf._tables.arrays import DEFAULT_NAME, ArrayTable, as_matrix, pick
from robustnmf._tables.table import Changes, Frame, TableError

WHY = {"hdf5": "HDF5 needs", "zarr": "Zarr needs"}


class HdfTable(ArrayTable):
    """A dataset of an HDF5 file; all else in the file is carried along.

    Parameters
    ----------
    path : Path
        The file.
    name : str or None
        Which dataset; needed if there are several tables.
    """

    def __init__(self, path: Path, name: str | None) -> None:
        h5py = import_extra("h5py", "tables", WHY["hdf5"])
        self.path = path
        # Closed when the table goes; the file is only read.
        file = h5py.File(path, "r")
        found = hdf5.found_arrays(file)
        if name is not None and name not in found:
            name = hdf5.linked(file, name, found)
        self.name = pick(found, name)
        hdf5.refuse_gaps(found[self.name], path)
        super().__init__(found[self.name])
        self._elsewhere = hdf5.elsewhere(self.data)
        if self._elsewhere:
            self.notes.append(
                f"the cells of dataset {self.name!r} lie in {', '.join(self._elsewhere)}, which "
                "stays as it is; the clean file holds them itself"
            )

    def write(self, path: Path, changes: Changes) -> None:
        """Copy the file, then change the dataset in the copy."""
        h5py = import_extra("h5py", "tables", WHY["hdf5"])
        shutil.copyfile(self.path, path)
        with h5py.File(path, "r+") as file:
            # The copy points to the same cells: what is written there would change the original.
            array = hdf5.made_plain(file, self.name) if self._elsewhere else file[self.name]
            _change(self, array, changes, whole=bool(self._elsewhere))


class ZarrTable(ArrayTable):
    """An array of a Zarr store; all else in the store is carried along.

    Parameters
    ----------
    path : Path
        The folder.
    name : str or None
        Which array; needed if there are several tables.
    """

    def __init__(self, path: Path, name: str | None) -> None:
        zarr = import_extra("zarr", "tables", WHY["zarr"])
        self.path = path
        try:
            store = zarr.open(str(path), mode="r")
        except FileNotFoundError as error:
            raise TableError("there is no Zarr store in this folder") from error
        found = {"": store} if _is_array(store) else dict(_arrays(store))
        self.name = pick(found, name)
        super().__init__(found[self.name])

    def write(self, path: Path, changes: Changes) -> None:
        """Copy the store, then change the array in the copy."""
        zarr = import_extra("zarr", "tables", WHY["zarr"])
        shutil.copytree(self.path, path)
        store = zarr.open(str(path), mode="r+")
        _change(self, store[self.name] if self.name else store, changes)


def write_blocks(
    path: Path,
    kind: str,
    shape: tuple[int, int],
    dtype: Any,
    blocks: Callable[[slice], NDArray[Any]],
    slices: list[slice],
    names: list[str],
) -> None:
    """Write an array that is made a few rows at a time.

    Parameters
    ----------
    path : Path
        What to write.
    kind : {"npy", "hdf5", "zarr"}
        Its format.
    shape, dtype
        Of the array.
    blocks : callable
        Gives the rows of a slice.
    slices : list of slice
        All rows.
    names : list of str
        Of the columns; kept as an attribute where there are attributes.
    """
    if kind == "npy":
        array = np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape)
        _fill(array, blocks, slices)
        array.flush()
    elif kind == "hdf5":
        h5py = import_extra("h5py", "tables", WHY[kind])
        with h5py.File(path, "w") as file:
            array = file.create_dataset(DEFAULT_NAME, shape=shape, dtype=dtype)
            array.attrs["columns"] = names
            _fill(array, blocks, slices)
    else:
        zarr = import_extra("zarr", "tables", WHY[kind])
        group = zarr.open_group(str(path), mode="w")
        array = group.create_array(DEFAULT_NAME, shape=shape, dtype=dtype)
        array.attrs["columns"] = names
        _fill(array, blocks, slices)


def write_frame(frame: Frame, path: Path, kind: str) -> None:
    """Write columns of numbers as one array.

    Parameters
    ----------
    frame : Frame
        What to write.
    path : Path
        What to write to.
    kind : {"hdf5", "zarr"}
        Its format.
    """
    matrix = as_matrix(frame)
    whole = [slice(0, len(matrix))]
    write_blocks(path, kind, matrix.shape, matrix.dtype, matrix.__getitem__, whole, frame.names)


def _fill(array: Any, blocks: Callable[[slice], NDArray[Any]], slices: list[slice]) -> None:
    for rows in slices:
        array[rows] = blocks(rows)


def _change(table: ArrayTable, array: Any, changes: Changes, *, whole: bool = False) -> None:
    for rows in table.blocks():
        new, touched = table.touched(rows, changes)
        # Rows without a change stay as they are stored: not all filters give numbers back exactly.
        if touched or whole:
            array[rows] = new


def _is_array(item: Any) -> bool:
    return hasattr(item, "shape") and hasattr(item, "dtype")


def _arrays(group: Any, above: str = "") -> list[tuple[str, Any]]:
    found = []
    for key, item in group.members():
        name = f"{above}{key}"
        found += [(name, item)] if _is_array(item) else _arrays(item, f"{name}/")
    return found
