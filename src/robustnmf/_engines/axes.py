"""Arrays of more than two axes as rows: what lies along the first axis, each flattened.

Pictures of a stack are such rows. They are read, and written, like all others.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.places import on_host, write_rows
from robustnmf._engines.sources import STORES, MappedRows, StoredRows, stored


class Flattened:
    """Rows of anything that gives, and perhaps takes, arrays for slices of its first axis.

    Parameters
    ----------
    array : object
        With `shape`, `dtype`, and perhaps `chunks`.

    Examples
    --------
    >>> rows = Flattened(np.ones((4, 2, 3)))
    >>> rows.shape, rows[1:3].shape
    ((4, 6), (2, 6))
    """

    def __init__(self, array: Any) -> None:
        self._array = array
        n, *rest = array.shape
        self.shape, self.dtype = (int(n), math.prod(map(int, rest))), np.dtype(array.dtype)
        chunks = getattr(array, "chunks", None)
        # Dask has the lengths of all of them.
        self.chunks = chunks and (max(chunks[0]) if isinstance(chunks[0], tuple) else chunks[0],)

    def __getitem__(self, rows: slice) -> Array:
        found: Array = np.asarray(self._array[rows])
        return found.reshape(-1, self.shape[1])


def lies_elsewhere(X: Any) -> bool:
    """Return whether this is to be read a part at a time, and is no array to NumPy.

    Examples
    --------
    >>> lies_elsewhere(np.ones((4, 2, 3))), lies_elsewhere([[1.0]])
    (False, False)
    """
    if not all(hasattr(X, name) for name in ("shape", "dtype", "__getitem__")):
        return False
    package = type(X).__module__.partition(".")[0]
    return (
        package in (*STORES, "dask")
        or _as_map(X) is not None
        or not any(hasattr(X, name) for name in ("__array__", "__array_namespace__"))
    )


def flattened(X: Any, name: str = "X") -> StoredRows | MappedRows:
    """Return what reads any rows of an array, of however many axes, wherever it lies."""
    mapped = _as_map(X)
    return stored(Flattened(X) if mapped is None else mapped, name)


class Written:
    """Writes rows into an array of the caller's.

    A large memory-mapped one is written to its file: mapped pages that were touched count as memory
    of the process.

    Parameters
    ----------
    array : object
        Something whose rows can be assigned.

    Examples
    --------
    >>> out = np.zeros((3, 2, 2))
    >>> Written(out).put(slice(1, 3), np.ones((2, 2, 2)))
    >>> out[:, 0, 0].tolist()
    [0.0, 1.0, 1.0]
    """

    def __init__(self, array: Any) -> None:
        mapped = _as_map(array)
        self._array, self._rows = array, None if mapped is None else MappedRows(mapped)
        if mapped is not None:
            # What was written through the map is not to come over this later.
            mapped.flush()

    def put(self, rows: slice, values: Array) -> None:
        """Assign some rows."""
        if self._rows is None:
            write_rows(self._array, rows, values)
        else:
            self._rows.write(rows, on_host(values).reshape(len(values), -1))


def _as_map(X: Any) -> np.memmap | None:
    """Return a map of many axes as one of rows, if it is to be read from its file."""
    if not (isinstance(X, np.memmap) and X.ndim > 1 and X.size and X.flags.c_contiguous):
        return None
    rows: Any = X.reshape(len(X), -1)
    return rows if MappedRows.serves(rows) else None
