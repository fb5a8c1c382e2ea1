"""A picture file that was read, and can be written again with other pixels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.files import written_whole
from robustnmf._common.memory import in_words, memory_left
from robustnmf._picture_files.names import JPEG, NPY, PNG, TIFF, kind_of

# More pixels than this in one picture are a mistake, or meant to harm.
MOST_PIXELS = 2**28
# A last axis this short holds colours; a longer one is columns.
MOST_COLOURS = 4


class PictureError(ValueError):
    """A file that cannot be read as a picture; the message says what to do."""


@dataclass(frozen=True)
class Page:
    """One picture of a file.

    Attributes
    ----------
    pixels : ndarray
        What may be corrupt.
    channel_axis : int or None
        Which axis holds colours.
    opacity : ndarray or None
        Left as it is.
    """

    pixels: Array
    channel_axis: int | None
    opacity: Array | None = None

    @classmethod
    def of(cls, array: Array, *, opacity: bool) -> Page:
        """Take the opacity apart, which is the last channel."""
        if opacity:
            colours = array[..., :-1]
            if colours.shape[-1] == 1:
                return cls(colours[..., 0], None, array[..., -1])
            return cls(colours, -1, array[..., -1])
        return cls(array, -1 if array.ndim == 3 else None)

    def whole(self, pixels: Array) -> Array:
        """Return other pixels of the same shape, with the opacity of this page."""
        if self.opacity is None:
            return pixels
        colours = pixels if self.channel_axis is not None else pixels[..., None]
        return np.concatenate([colours, self.opacity[..., None]], axis=-1)


class PictureFile(ABC):
    """A picture file that was read.

    Attributes
    ----------
    pages : list of Page
        Its pictures; all but TIFF hold one.
    """

    pages: list[Page]

    def write(self, path: Path, pixels: Sequence[Array]) -> None:
        """Write the file again, with other pixels and all that belongs to it.

        Parameters
        ----------
        path : Path
            Where to; written whole or not at all.
        pixels : sequence of ndarray
            For each page, of the same shape and dtype.
        """
        arrays = [page.whole(array) for page, array in zip(self.pages, pixels, strict=True)]
        with written_whole(path) as temporary:
            self._write(temporary, arrays)

    @abstractmethod
    def _write(self, path: Path, arrays: list[Array]) -> None:
        """Write complete arrays to a temporary name."""


def read_picture(path: Path) -> PictureFile:
    """Read a picture file.

    Parameters
    ----------
    path : Path
        A PNG, JPEG, TIFF or NPY file.

    Returns
    -------
    PictureFile

    Raises
    ------
    PictureError
        If it is empty, cut off, too large, or of a kind that cannot be restored.
    """
    kind = kind_of(path)
    if path.stat().st_size == 0:
        raise PictureError("the file is empty: export it again")
    if kind == NPY:
        from robustnmf._picture_files.npy import NpyFile

        return NpyFile(path)
    if kind == TIFF:
        from robustnmf._picture_files.tiff import TiffFile

        return TiffFile(path)
    from robustnmf._picture_files.photo import PhotoFile

    return PhotoFile(path, {PNG: "PNG", JPEG: "JPEG"}[kind])


def check_size(height: int, width: int) -> None:
    """Raise if a picture has so many pixels that it must be a mistake."""
    if height * width > MOST_PIXELS:
        raise PictureError(
            f"it claims {width}x{height} pixels, more than {MOST_PIXELS:,}: cut it into parts"
        )


def check_memory(size: int) -> None:
    """Raise if pictures do not fit into the memory, as they are read and once more to work on.

    Parameters
    ----------
    size : int
        Bytes of all pictures of a file.
    """
    left = memory_left()
    if left is not None and 2 * size > left:
        raise PictureError(
            f"it unpacks to {in_words(size)}, twice which is needed, and {in_words(left)} of "
            "memory are left: cut it into parts"
        )
