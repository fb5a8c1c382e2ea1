"""Arrays with one row for each sample that lie in a file, where memory is not for them."""

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

    def __getitem__(self, rows: slice) -> Array:
        first, end, _ = rows.indices(len(self))
        found = np.empty((end - first, *self.shape[1:]), self.dtype)
        if found.size:
            with _clear_about_room():
                self._file.seek(first * self._row_bytes)
                self._file.readinto(found.reshape(-1).view(np.uint8).data)
        return found

    def __setitem__(self, rows: slice, A: Array) -> None:
        A = np.ascontiguousarray(A, self.dtype)
        if A.size:
            with _clear_about_room():
                self._file.seek(rows.indices(len(self))[0] * self._row_bytes)
                self._file.write(A.reshape(-1).view(np.uint8).data)
                # What was held back would fail when somebody else reads, or never.
                self._file.flush()


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
    """Return an array to be written, in memory if it is small enough."""
    size = int(np.prod(shape, dtype=int)) * np.dtype(dtype).itemsize
    return np.empty(shape, dtype) if size <= IN_MEMORY else FileRows(shape, dtype)
