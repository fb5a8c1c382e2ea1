"""HDF5 and Zarr: arrays inside a container, read and written a few rows at a time."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from robustnmf._common.optional import import_extra
from robustnmf._tables import hdf5
from robustnmf._tables.arrays import DEFAULT_NAME, ArrayTable, as_matrix, pick
from robustnmf._tables.format import Blocks, Format
from robustnmf._tables.table import Changes, Frame, TableError

_HDF5_NEEDS, _ZARR_NEEDS = "HDF5 needs", "Zarr needs"


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
        h5py = import_extra("h5py", "tables", _HDF5_NEEDS)
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
        h5py = import_extra("h5py", "tables", _HDF5_NEEDS)
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
        self.path = path
        try:
            found = zarr_arrays(path)
        except FileNotFoundError as error:
            raise TableError("there is no Zarr store in this folder") from error
        self.name = pick(found, name)
        super().__init__(found[self.name])

    def write(self, path: Path, changes: Changes) -> None:
        """Copy the store, then change the array in the copy."""
        shutil.copytree(self.path, path)
        _change(self, zarr_arrays(path, "r+")[self.name], changes)


def _change(table: ArrayTable, array: Any, changes: Changes, *, whole: bool = False) -> None:
    for rows in table.blocks():
        new, touched = table.touched(rows, changes)
        # Rows without a change stay as they are stored: not all filters give numbers back exactly.
        if touched or whole:
            array[rows] = new


def zarr_arrays(path: Path, mode: str = "r") -> dict[str, Any]:
    """Return the arrays of a Zarr store by their names; one that is all of it has none.

    Parameters
    ----------
    path : Path
        The folder.
    mode : {"r", "r+"}
        Whether they are to be written to.
    """
    zarr = import_extra("zarr", "tables", _ZARR_NEEDS)
    store = zarr.open(str(path), mode=mode)
    return {"": store} if _is_array(store) else dict(_arrays(store))


def _is_array(item: Any) -> bool:
    return hasattr(item, "shape") and hasattr(item, "dtype")


def _arrays(group: Any, above: str = "") -> list[tuple[str, Any]]:
    found = []
    for key, item in group.members():
        name = f"{above}{key}"
        found += [(name, item)] if _is_array(item) else _arrays(item, f"{name}/")
    return found


def _as_blocks(frame: Frame) -> Blocks:
    matrix = as_matrix(frame)
    whole = [slice(0, len(matrix))]
    return Blocks(matrix.shape, matrix.dtype, matrix.__getitem__, whole, frame.names)


def _write_hdf5(blocks: Blocks, path: Path) -> None:
    h5py = import_extra("h5py", "tables", _HDF5_NEEDS)
    with h5py.File(path, "w") as file:
        array = file.create_dataset(DEFAULT_NAME, shape=blocks.shape, dtype=blocks.dtype)
        array.attrs["columns"] = blocks.names
        blocks.fill(array)


def _write_zarr(blocks: Blocks, path: Path) -> None:
    zarr = import_extra("zarr", "tables", _ZARR_NEEDS)
    group = zarr.open_group(str(path), mode="w")
    array = group.create_array(DEFAULT_NAME, shape=blocks.shape, dtype=blocks.dtype)
    array.attrs["columns"] = blocks.names
    blocks.fill(array)


HDF5 = Format(
    title="HDF5",
    suffixes=(".h5", ".hdf5"),
    read=lambda path, dataset, dialect: HdfTable(path, dataset),
    write=lambda frame, path: _write_hdf5(_as_blocks(frame), path),
    holds_words=False,
    write_blocks=_write_hdf5,
)
ZARR = Format(
    title="Zarr",
    suffixes=(".zarr",),
    read=lambda path, dataset, dialect: ZarrTable(path, dataset),
    write=lambda frame, path: _write_zarr(_as_blocks(frame), path),
    holds_words=False,
    write_blocks=_write_zarr,
    store=frozenset({"zarr.json", ".zgroup", ".zarray"}),
)
