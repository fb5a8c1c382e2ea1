"""A file with a stack of pictures that was opened, and can be written again with other pixels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._picture_files.names import HDF5, NPY, STACK_KIND_OF, TIFF, ZARR, kind_of
from robustnmf._picture_files.opened import MOST_COLOURS, PictureError

# Where the class of each kind is: those that need a package are imported when they are asked for.
_MODULES = {
    TIFF: ("tiff", "TiffStack"),
    NPY: ("npy", "NpyStack"),
    HDF5: ("stores", "HdfStack"),
    ZARR: ("stores", "ZarrStack"),
}


class StackFile(ABC):
    """A file with pictures of one size along the first axis.

    Attributes
    ----------
    pictures : object
        With `shape`, `dtype`, and arrays for slices of the first axis.
    channel_axis : int or None
        Which axis holds colours.
    """

    pictures: Any
    channel_axis: int | None
    # What is open, if anything is.
    _file: Any = None

    @abstractmethod
    def copied(self, path: Path) -> AbstractContextManager[Any]:
        """Give what takes other pictures of the same shape and dtype, in their order.

        With them and all else that belongs to the file it is written to `path`, whole or not at
        all.
        """

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()


def open_stack(path: Path, dataset: str | None = None) -> StackFile:
    """Open a file with a stack of pictures.

    Parameters
    ----------
    path : Path
        A TIFF, NPY or HDF5 file, or a folder with a Zarr store.
    dataset : str, optional
        Which array, in a file with several.

    Raises
    ------
    PictureError
        If it is empty, damaged, or holds something else.
    """
    from importlib import import_module

    kind = kind_of(path, STACK_KIND_OF)
    if path.is_file() and path.stat().st_size == 0:
        raise PictureError("the file is empty: export it again")
    if dataset is not None and kind not in (HDF5, ZARR):
        raise PictureError(f"there is no dataset {dataset!r} in it: leave out --dataset")
    module, name = _MODULES[kind]
    opened = getattr(import_module(f"{__package__}.{module}"), name)
    found: StackFile = opened(path) if kind in (TIFF, NPY) else opened(path, dataset)
    return found


def colours_of(shape: tuple[int, ...]) -> int | None:
    """Return which axis of an array of pictures holds colours, or say why it is no such array.

    Examples
    --------
    >>> colours_of((20, 64, 64)), colours_of((20, 64, 64, 3))
    (None, -1)
    """
    if len(shape) == 3 and not (shape[-1] <= MOST_COLOURS < min(shape[:2])):
        return None
    if len(shape) == 4 and shape[-1] <= MOST_COLOURS:
        return -1
    what = "that of one colour picture" if len(shape) == 3 else "no stack"
    raise PictureError(
        f"its shape {shape} is {what}: a stack is pictures × rows × columns, with at most "
        f"{MOST_COLOURS} colours as a fourth axis; for single pictures leave out --stack"
    )


def check_numbers(dtype: Any) -> None:
    """Refuse what is no brightness."""
    if np.dtype(dtype).kind not in "uif":
        raise PictureError(f"it holds {dtype}, and no grey levels: save it as numbers")


class InOrder:
    """Takes pictures one after the other, as files of pages need them.

    Parameters
    ----------
    shape, dtype :
        Of all pictures.
    write : callable
        Writes the next one.
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any, write: Any) -> None:
        self.shape, self.dtype, self._write = shape, np.dtype(dtype), write
        self._n = 0

    def __setitem__(self, pictures: slice, values: Array) -> None:
        if pictures.start != self._n:
            raise ValueError(f"picture {self._n} is due, and {pictures.start} came")
        for value in values:
            self._write(self._n, value)
            self._n += 1
