"""Stacks in HDF5 files and Zarr stores; all else in them is carried along."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from robustnmf._common.files import folder_written_whole, written_whole
from robustnmf._common.optional import import_extra
from robustnmf._picture_files.opened import PictureError
from robustnmf._picture_files.stacks.opened import StackFile, check_numbers, colours_of
from robustnmf._tables import hdf5
from robustnmf._tables.chunked import zarr_arrays

_HDF5_NEEDS = "HDF5 needs"


class HdfStack(StackFile):
    """A dataset of an HDF5 file."""

    def __init__(self, path: Path, dataset: str | None) -> None:
        h5py = import_extra("h5py", "tables", _HDF5_NEEDS)
        self._path = path
        try:
            self._file = h5py.File(path, "r")
        except OSError as error:
            raise PictureError(f"it is no whole HDF5 file ({error}): export it again") from error
        found = hdf5.found_arrays(self._file)
        if dataset is not None and dataset not in found:
            dataset = hdf5.linked(self._file, dataset, found)
        self._name = _pick(found, dataset)
        self.pictures = found[self._name]
        hdf5.refuse_gaps(self.pictures, path)
        self.channel_axis = colours_of(self.pictures.shape)

    @contextmanager
    def copied(self, path: Path) -> Iterator[Any]:
        """Copy the file, and give the dataset in the copy."""
        h5py = import_extra("h5py", "tables", _HDF5_NEEDS)
        with written_whole(path) as temporary:
            shutil.copyfile(self._path, temporary)
            with h5py.File(temporary, "r+") as file:
                # A copy points to what lies elsewhere: that is not to be changed.
                elsewhere = hdf5.elsewhere(self.pictures)
                yield hdf5.made_plain(file, self._name) if elsewhere else file[self._name]


class ZarrStack(StackFile):
    """An array of a Zarr store."""

    def __init__(self, path: Path, dataset: str | None) -> None:
        self._path = path
        try:
            found = zarr_arrays(path)
        except FileNotFoundError as error:
            raise PictureError("there is no Zarr store in this folder") from error
        self._name = _pick(found, dataset)
        self.pictures = found[self._name]
        self.channel_axis = colours_of(self.pictures.shape)

    @contextmanager
    def copied(self, path: Path) -> Iterator[Any]:
        """Copy the store, and give the array in the copy."""
        with folder_written_whole(path) as temporary:
            shutil.copytree(self._path, temporary)
            yield zarr_arrays(temporary, "r+")[self._name]


def _pick(arrays: Mapping[str, Any], name: str | None) -> str:
    """Return the name of the array to use: the one named, or the only stack there is."""
    stacks = [
        key
        for key, array in arrays.items()
        if len(array.shape) in (3, 4) and array.dtype.kind in "uif" and min(array.shape) > 0
    ]
    shown = ", ".join(stacks) or "none"
    if name is None:
        if len(stacks) != 1:
            raise PictureError(
                f"it holds {len(stacks)} stacks of pictures ({shown}): "
                + ("say which with --dataset" if stacks else "an array of three axes is needed")
            )
        return stacks[0]
    if name not in arrays:
        raise PictureError(f"there is no dataset {name!r} in it; it has {shown}")
    check_numbers(arrays[name].dtype)
    return name
