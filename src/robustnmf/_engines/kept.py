"""Arrays with one row for each sample, and other things that lie in a file if they are large."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array

# What a solver keeps for each row lies in memory up to this size.
IN_MEMORY = 2**25


class FileRows:
    """An array of rows in a file without a name, which is gone with it.

    Examples
    --------
    >>> rows = FileRows((3, 2), np.float64)
    >>> rows[1:] = np.ones((2, 2))
    >>> rows[0:2]
    array([[0., 0.],
           [1., 1.]])
    >>> rows[:, 1:]
    array([[0.],
           [1.],
           [1.]])
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype = shape, np.dtype(dtype)
        self._row_bytes = int(np.prod(shape[1:], dtype=int)) * self.dtype.itemsize
        # Open as long as the array lives, hence no context.
        self._file = tempfile.TemporaryFile(prefix="robustnmf-")  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        with _clear_about_room():
            self._file.truncate(shape[0] * self._row_bytes)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, at: slice | tuple[slice, slice]) -> Array:
        """Return some rows, or with two slices some columns of all rows."""
        if isinstance(at, tuple):
            return self._columns(at[1])
        first, end, _ = at.indices(len(self))
        found = np.empty((end - first, *self.shape[1:]), self.dtype)
        if found.size:
            with _clear_about_room():
                self._file.seek(first * self._row_bytes)
                self._file.readinto(found.reshape(-1).view(np.uint8).data)
        return found

    def _columns(self, columns: slice) -> Array:
        first, end, _ = columns.indices(self.shape[1])
        found = np.empty((len(self), end - first), self.dtype)
        with _clear_about_room():
            for i, row in enumerate(found.view(np.uint8)):
                self._file.seek(i * self._row_bytes + first * self.dtype.itemsize)
                self._file.readinto(row.data)
        return found

    def __setitem__(self, rows: slice, A: Array) -> None:
        A = np.ascontiguousarray(A, self.dtype)
        if A.size:
            with _clear_about_room():
                self._file.seek(rows.indices(len(self))[0] * self._row_bytes)
                self._file.write(A.reshape(-1).view(np.uint8).data)
                # What was held back would fail when somebody else reads, or never.
                self._file.flush()


class Shelf:
    """Things of any size one after the other, in a file without a name if they are many.

    Examples
    --------
    >>> shelf = Shelf()
    >>> places = [shelf.put(b"one"), shelf.put(b"three")]
    >>> shelf.get(places[1], 5)
    b'three'
    """

    def __init__(self) -> None:
        # Open as long as the shelf lives, hence no context.
        self._file = tempfile.SpooledTemporaryFile(IN_MEMORY, prefix="robustnmf-")  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._end = 0

    def put(self, thing: bytes) -> int:
        """Keep something, and return its place."""
        place = self._end
        with _clear_about_room():
            self._file.seek(place)
            self._file.write(thing)
            self._file.flush()
        self._end += len(thing)
        return place

    def get(self, place: int, size: int) -> bytes:
        """Return what lies at a place, so many bytes of it."""
        with _clear_about_room():
            self._file.seek(place)
            return self._file.read(size)


@contextmanager
def _clear_about_room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OSError(
            error.errno,
            f"cannot keep what belongs to the rows in {tempfile.gettempdir()}: "
            f"{error.strerror or error}; make room there, or name another folder by the "
            "environment variable TMPDIR",
        ) from error


def room(shape: tuple[int, ...], dtype: Any) -> Array | FileRows:
    """Return an array of zeros to be written, in memory if it is small enough."""
    size = int(np.prod(shape, dtype=int)) * np.dtype(dtype).itemsize
    return np.zeros(shape, dtype) if size <= IN_MEMORY else FileRows(shape, dtype)
