"""The pictures of a stack, in little memory: some are read, and made grey levels of, at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._image.grey_levels import GreyScale

Indices: TypeAlias = Sequence[int] | Array
Room: TypeAlias = Callable[[tuple[int, ...], Any], Any]
"""Makes an array with a row for each picture, of zeros, for a shape and a dtype."""

# Some pixels of all pictures, and all of some pictures, are read so many bytes at a time.
STRIP_BYTES = 2**22


@dataclass(frozen=True)
class Pictures:
    """Some pictures of one size, each of one or more channels.

    Attributes
    ----------
    source : object
        Gives pictures in their own dtype for a slice, in order: an array of shape
        (n_pictures, channels, height, width), or anything else whose slices can be made one.
    shape : tuple of int
        That shape.
    greys : GreyScale
        What grey levels they stand for.
    room : callable
        Makes arrays of the size of the stack: in memory for pictures that are there.
    """

    source: Any
    shape: tuple[int, ...]
    greys: GreyScale
    room: Room = np.zeros

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def n_channels(self) -> int:
        """Planes of a picture."""
        return self.shape[1]

    @property
    def n_pixels(self) -> int:
        """Of a picture, those of each channel counted."""
        return int(np.prod(self.shape[1:]))

    def read(self, pictures: Indices) -> Array:
        """Return some pictures as they were given, in ascending order, (n, channels, ...)."""
        return self._shaped(taken(self.source, pictures))

    def each(self) -> Iterator[Array]:
        """Give all pictures as they were given, one after the other."""
        for part in parts(len(self), self.n_pixels * self.source.dtype.itemsize):
            yield from self._shaped(self.source[part])

    def grey(self, given: Array) -> tuple[Array, Array]:
        """Return the grey levels of what was read, 0 where they are missing; and what is known.

        Both plane by plane, (n, height, width).
        """
        grey = self.greys.to_grey(given).reshape(-1, *self.shape[2:])
        known = np.isfinite(grey)
        return np.where(known, grey, np.float32(0)), known

    def by_pixels(self) -> Any:
        """Return the pictures as rows, of which some columns can be read, too.

        What lies elsewhere is copied: to look at some pixels of each of its pictures would be to
        read all of it, again and again.
        """
        if isinstance(self.source, np.ndarray):
            return self.source.reshape(len(self), -1)
        rows = self.room((len(self), self.n_pixels), self.source.dtype)
        for part in parts(len(self), self.n_pixels * rows.dtype.itemsize):
            rows[part] = self.source[part].reshape(-1, self.n_pixels)
        return rows

    def _shaped(self, rows: Array) -> Array:
        return rows.reshape(-1, *self.shape[1:])


class Flags:
    """Flags of all pixels of a stack, eight to a byte; none is set at first.

    Parameters
    ----------
    pictures : Pictures
        The stack.

    Examples
    --------
    >>> import numpy as np
    >>> stack = np.zeros((2, 1, 3, 3), np.uint8)
    >>> flags = Flags(Pictures(stack, stack.shape, GreyScale.estimate(stack)))
    >>> flags.put([1], np.eye(3, dtype=bool)[None])
    >>> flags.of([1])[0].sum(axis=0).tolist(), flags.of_pixels(slice(1, 9)).sum(axis=1).tolist()
    ([1, 1, 1], [0, 2])
    """

    def __init__(self, pictures: Pictures) -> None:
        self._shape, self._n_pixels = pictures.shape[1:], pictures.n_pixels
        self._bytes = pictures.room((len(pictures), -(-self._n_pixels // 8)), np.uint8)

    def put(self, pictures: Indices, flagged: Array) -> None:
        """Set the flags of some pictures, in ascending order, by a mask of them."""
        put(self._bytes, pictures, np.packbits(flagged.reshape(len(pictures), -1), axis=1))

    def of(self, pictures: Indices) -> Array:
        """Return the flags of some pictures, in ascending order, plane by plane."""
        flags = np.unpackbits(taken(self._bytes, pictures), axis=1, count=self._n_pixels)
        return flags.view(bool).reshape(-1, *self._shape[1:])

    def of_pixels(self, pixels: slice) -> Array:
        """Return the flags of some pixels next to each other, in all pictures; (n_pictures, n)."""
        return unpacked(self.packed(pixels), pixels.start % 8, pixels.stop - pixels.start)

    def packed(self, pixels: slice) -> Array:
        """Return the bytes that hold these flags, and up to seven others in front of them."""
        found: Array = self._bytes[:, pixels.start // 8 : -(-pixels.stop // 8)]
        return found

    def at(self, pixels: Array) -> Array:
        """Return the flags of some pixels, in all pictures; (n_pictures, n)."""
        shifts = (7 - pixels % 8).astype(np.uint8)
        return ((columns(self._bytes, pixels // 8) >> shifts) & 1).astype(bool)


def strips(rows: Any, flags: Flags, step: int) -> Iterator[tuple[slice, Array, Array]]:
    """Give some pixels of all pictures at a time, and which of them are flagged.

    Parameters
    ----------
    rows : (n_pictures, n_pixels)
        As `Pictures.by_pixels` returns them.
    flags : Flags
        Of the same pictures.
    step : int
        How many pixels at a time.
    """
    n, m = rows.shape
    wide = max(1, STRIP_BYTES // (n * rows.dtype.itemsize * step)) * step
    for begin in range(0, m, wide):
        end = min(begin + wide, m)
        values, packed = rows[:, begin:end], flags.packed(slice(begin, end))
        for first in range(begin, end, step):
            last = min(first + step, end)
            flagged = unpacked(packed, begin % 8 + first - begin, last - first)
            yield slice(first, last), values[:, first - begin : last - begin], flagged


def unpacked(packed: Array, first: int, n: int) -> Array:
    """Return so many of the flags in rows of bytes."""
    flags = np.unpackbits(packed[:, first // 8 : -(-(first + n) // 8)], axis=1).view(bool)
    return flags[:, first % 8 : first % 8 + n]


def columns(rows: Any, chosen: Array) -> Array:
    """Return some columns of rows that need not be in memory."""
    step = rows.shape[1] * rows.dtype.itemsize
    return np.concatenate([rows[part][:, chosen] for part in parts(rows.shape[0], step)])


def parts(n: int, row_bytes: int) -> Iterator[slice]:
    """Cut so many rows of that size into parts that are read at a time."""
    step = max(1, STRIP_BYTES // row_bytes)
    return (slice(first, min(first + step, n)) for first in range(0, n, step))


def taken(rows: Any, indices: Indices) -> Array:
    """Return some rows, in ascending order, of what gives them for slices alone."""
    found = [rows[run] for run, _ in _runs(indices)]
    return found[0] if len(found) == 1 else np.concatenate(found)


def put(rows: Any, indices: Indices, values: Array) -> None:
    """Write some rows, in ascending order, to what takes them for slices alone."""
    for run, inside in _runs(indices):
        rows[run] = values[inside]


def _runs(indices: Indices) -> Iterator[tuple[slice, slice]]:
    """Give the rows that follow each other, and which of the indices they are."""
    where = np.asarray(indices)
    edges = [0, *np.flatnonzero(np.diff(where) != 1) + 1, len(where)]
    for begin, end in pairwise(edges):
        yield slice(int(where[begin]), int(where[end - 1]) + 1), slice(begin, end)
