"""Rows that are no array in memory: in a file, in a store of chunks, or given a block at a time.

A source is read from its first row to its last, as often as somebody asks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from robustnmf._common.arrays import Array
from robustnmf._engines.arrow import ArrowTable

# A memory-mapped file from this size on is read piece by piece: mapped pages that were looked at
# count as memory of the process. Smaller ones are arrays like any other.
MAPPED_BYTES = 2**28
# What is read at a time.
READ_BYTES = 2**23
# Packages whose arrays give NumPy arrays for slices of their rows.
STORES = ("h5py", "zarr")


class Source(Protocol):
    """Rows that can be read in order, again and again."""

    shape: tuple[int, int]
    dtype: np.dtype

    def pieces(self) -> Iterator[Array]:
        """Give all rows in their order, some at a time."""


class StoredRows:
    """An array of HDF5 or Zarr, or anything else that gives rows for a slice.

    Parameters
    ----------
    array : object
        With `shape`, `dtype`, and perhaps `chunks`.
    name : str
        What to call it in errors, here and below.

    Examples
    --------
    >>> rows = StoredRows(np.ones((3, 2)))
    >>> [len(piece) for piece in rows.pieces()], rows.read(slice(1, 3)).shape
    ([3], (2, 2))
    """

    def __init__(self, array: Any, name: str = "X") -> None:
        self.array = array
        self.shape, self.dtype = _checked(name, array.shape, array.dtype)
        self._step = _rows_a_read(self.shape[1], self.dtype)
        chunks = getattr(array, "chunks", None)
        self._chunked = bool(chunks)
        if chunks:
            # Whole chunks at a time, so that none is unpacked twice.
            self._step = max(1, round(self._step / chunks[0])) * chunks[0]
        self._kept: dict[int, Array] = {}

    def pieces(self) -> Iterator[Array]:
        """Give all rows, some at a time."""
        return map(self._piece, range(-(-self.shape[0] // self._step)))

    def read(self, rows: slice) -> Array:
        """Return any rows; what was unpacked for them is kept for those who go on from there."""
        if not self._chunked:
            return _dense(self.array[rows])
        first, stop, _ = rows.indices(self.shape[0])
        parts = [
            self._kept_piece(i)[max(0, first - i * self._step) : stop - i * self._step]
            for i in range(first // self._step, -(-stop // self._step))
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _kept_piece(self, i: int) -> Array:
        if i not in self._kept:
            # Rows that are asked for may begin in one, and end in the next.
            if len(self._kept) > 1:
                del self._kept[min(self._kept)]
            self._kept[i] = self._piece(i)
        return self._kept[i]

    def _piece(self, i: int) -> Array:
        return _dense(self.array[i * self._step : (i + 1) * self._step])


class MappedRows:
    """A large memory-mapped array, read from its file.

    Parameters
    ----------
    array : numpy.memmap
        In C order.
    """

    def __init__(self, array: np.memmap, name: str = "X") -> None:
        self.array, self._name = array, name
        self.shape, self.dtype = _checked(name, array.shape, array.dtype)
        whole = array
        while isinstance(whole.base, np.memmap):
            whole = whole.base
        # A part of a map says that it begins where the whole does.
        inside = array.ctypes.data - whole.ctypes.data
        self._path, self._offset = str(whole.filename), int(whole.offset) + inside

    @staticmethod
    def serves(X: Any) -> bool:
        """Return whether this is a map of that size whose file holds what it shows."""
        return (
            isinstance(X, np.memmap)
            and X.ndim == 2
            and X.nbytes >= MAPPED_BYTES
            and X.flags.c_contiguous
            and X.filename is not None
            and X.mode != "c"
        )

    def pieces(self) -> Iterator[Array]:
        """Give all rows; what they took is free again when nobody holds them."""
        n, m = self.shape
        step = _rows_a_read(m, self.dtype)
        self._flush()
        return (self._read(slice(first, first + step)) for first in range(0, n, step))

    def read(self, rows: slice) -> Array:
        """Return any rows."""
        self._flush()
        return self._read(rows)

    def write(self, rows: slice, values: Array) -> None:
        """Write some rows to the file; the map then shows them."""
        with open(self._path, "r+b") as file:
            file.seek(self._at(rows.indices(self.shape[0])[0]))
            file.write(np.ascontiguousarray(values, self.dtype).reshape(-1).view(np.uint8).data)

    def _flush(self) -> None:
        # What was written through the map is to be in the file.
        if self.array.mode != "r":
            self.array.flush()

    def _read(self, rows: slice) -> Array:
        n, m = self.shape
        first, stop, _ = rows.indices(n)
        count = (stop - first) * m
        found = np.fromfile(self._path, dtype=self.dtype, count=count, offset=self._at(first))
        if found.size < count:
            raise ValueError(
                f"{self._name}: {self._path} has become shorter than the {n}×{m} values "
                "that were mapped; write the whole file, then map it again"
            )
        return found.reshape(-1, m)

    def _at(self, row: int) -> int:
        """Return where a row begins in the file."""
        return self._offset + row * self.shape[1] * self.dtype.itemsize


class TableRows:
    """A table or data set of Arrow, or a Parquet file, read by batches of its rows.

    Parameters
    ----------
    table : ArrowTable
    """

    def __init__(self, table: ArrowTable, name: str = "X") -> None:
        self.shape, self.dtype = _checked(name, table.shape, table.dtype)
        self.header, self._table = table.header, table

    def pieces(self) -> Iterator[Array]:
        """Give all rows; a row group of a file is unpacked a batch at a time."""
        return self._table.read(_rows_a_read(self.shape[1], self.dtype))


class GivenBlocks:
    """Blocks of rows from something that can be iterated again.

    Parameters
    ----------
    blocks : iterable of 2-D arrays or sparse matrices
        All with the same features. It is iterated once here, to count the rows.
    """

    def __init__(self, blocks: Iterable[Any], name: str = "X") -> None:
        self._blocks, self._name = blocks, name
        widths, dtypes, n = set(), set(), 0
        for block in self.pieces():
            widths.add(block.shape[1])
            dtypes.add(block.dtype)
            n += block.shape[0]
        if len(widths) != 1:
            raise ValueError(
                f"{name}: all blocks must have the same features; got {sorted(widths)}"
                if widths
                else f"{name} holds no blocks of rows; give at least one 2-D array"
            )
        self.shape, self.dtype = _checked(name, (n, widths.pop()), np.result_type(*dtypes))

    @staticmethod
    def serves(X: Any, name: str = "X") -> bool:
        """Return whether this gives blocks of rows; raise if it does so only once."""
        if isinstance(X, str | bytes | dict) or any(
            hasattr(X, name)
            for name in ("__array__", "__array_namespace__", "__dataframe__", "shape", "dtype")
        ):
            return False
        if isinstance(X, Iterator):
            raise TypeError(
                f"{name} is a {type(X).__name__}, which can be read only once, and a fit reads the "
                "rows again in each iteration; give a list of blocks, or an object whose __iter__ "
                "begins anew each time"
            )
        if not isinstance(X, Iterable):
            return False
        first = next(iter(X), None)
        return getattr(first, "ndim", 0) == 2

    def pieces(self) -> Iterator[Array]:
        """Give the blocks, as arrays."""
        for block in self._blocks:
            dense = _dense(block)
            if dense.ndim != 2:
                raise ValueError(
                    f"{self._name}: each block must have two dimensions; got one of shape "
                    f"{dense.shape}"
                )
            yield dense


SOURCES = (StoredRows, MappedRows, TableRows, GivenBlocks)


def source_of(X: Any, name: str = "X") -> Source | None:
    """Return data that are to be read in order as a source, or None for all else.

    Parameters
    ----------
    X : object
        What a user gave.
    name : str
        The name of the argument, for errors.

    Examples
    --------
    >>> source_of(np.ones((2, 2))) is None
    True
    >>> source_of([np.ones((2, 3)), np.ones((5, 3))]).shape
    (7, 3)
    """
    if isinstance(X, SOURCES):
        return X
    in_a_store = type(X).__module__.partition(".")[0] in STORES and hasattr(X, "shape")
    if in_a_store or MappedRows.serves(X):
        return stored(X, name)
    table = ArrowTable.of(X, name)
    if table is not None:
        return TableRows(table, name)
    return GivenBlocks(X, name) if GivenBlocks.serves(X, name) else None


def stored(X: Any, name: str = "X") -> StoredRows | MappedRows:
    """Return what reads any rows of an array or CSR matrix, wherever it lies."""
    return MappedRows(X, name) if MappedRows.serves(X) else StoredRows(X, name)


def regrouped(pieces: Iterable[Array], size: int) -> Iterator[Array]:
    """Give the same rows, so many at a time.

    Examples
    --------
    >>> [len(block) for block in regrouped([np.ones((5, 1)), np.ones((2, 1))], 3)]
    [3, 3, 1]
    """
    held: list[Array] = []
    n_held = 0
    for piece in pieces:
        rest = piece
        while n_held + len(rest) >= size:
            taken, rest = rest[: size - n_held], rest[size - n_held :]
            yield taken if not held else np.concatenate([*held, taken])
            held, n_held = [], 0
        if len(rest):
            held.append(rest)
            n_held += len(rest)
    if held:
        yield np.concatenate(held)


def _rows_a_read(n_features: int, dtype: np.dtype) -> int:
    return max(1, READ_BYTES // (n_features * dtype.itemsize))


def _dense(rows: Any) -> Array:
    return rows.toarray() if sparse.issparse(rows) else np.asarray(rows)


def _checked(name: str, shape: Any, dtype: Any) -> tuple[tuple[int, int], np.dtype]:
    if len(shape) != 2 or math.prod(shape) == 0:
        raise ValueError(
            f"{name} must have two dimensions, with at least one row and one column; "
            f"got {tuple(shape)}"
        )
    dtype = np.dtype(dtype)
    if dtype.kind not in "fiub":
        raise TypeError(f"{name} must hold real numbers; got dtype {dtype}")
    return (int(shape[0]), int(shape[1])), dtype
