"""Sparse blocks of rows: what is not zero in one, and many of them one below the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from array_api_compat import array_namespace
from scipy import sparse

from robustnmf._common.arrays import Array
from robustnmf._common.places import is_numpy


def sparse_rows(A: Array) -> sparse.csr_array:
    """Return the entries of a block that are not zero; three times as fast as SciPy's own way."""
    n, m = A.shape
    # NumPy finds flags ten times as fast as numbers that are not zero.
    positions = np.flatnonzero(A != 0)
    indptr = np.searchsorted(positions, m * np.arange(n + 1))
    indices, indptr = (B.astype(np.int32) for B in (positions % m, indptr))
    return sparse.csr_array((A.ravel()[positions], indices, indptr), shape=A.shape)


def entries_of(A: Array) -> Any:
    """Return the entries that are not zero; of an array on a device, itself."""
    return sparse_rows(A) if is_numpy(A) else A


def dense(A: Any) -> Array:
    """Return in full what `entries_of` returned."""
    return A.toarray() if sparse.issparse(A) else A


def sparse_entries(
    rows: Array, columns: Array, values: Array, shape: tuple[int, int]
) -> sparse.csr_array:
    """Return a matrix of entries that are given row by row, in order."""
    indptr = np.searchsorted(rows, np.arange(shape[0] + 1))
    indices, indptr = columns.astype(np.int32), indptr.astype(np.int32)
    return sparse.csr_array((values, indices, indptr), shape=shape)


class RowStack:
    """Sparse blocks, one below the other as they come.

    Collecting them first would hold everything twice. The arrays grow by reallocation instead,
    which moves no large array.

    Examples
    --------
    >>> stack = RowStack(2)
    >>> stack.add(sparse.csr_array(np.eye(2)))
    >>> stack.matrix().shape, bool(stack)
    ((2, 2), True)
    """

    def __init__(self, n_features: int) -> None:
        self._n_features = n_features
        # A single block is what it is; only others have to be joined.
        self._first: sparse.csr_array | None = None
        self._data: Array = np.empty(0)
        self._indices = np.empty(0, dtype=np.int64)
        self._counts: list[Array] = []
        self._size = 0

    def __bool__(self) -> bool:
        return self._first is not None

    def add(self, block: sparse.csr_array) -> None:
        """Add some rows at the end."""
        if self._first is None:
            self._first = block
            return
        if not self._counts:
            self._data = np.empty(0, dtype=self._first.dtype)
            # One kind of index throughout, or SciPy would convert, which is to copy, the whole.
            self._indices = np.empty(0, dtype=self._first.indices.dtype)
            self._append(self._first)
        self._append(block)

    def matrix(self) -> sparse.csr_array:
        """Return all rows; nothing may be added then."""
        if self._first is not None and not self._counts:
            return self._first
        self._resize(self._size)
        indices = self._indices
        if self._size >= np.iinfo(indices.dtype).max:
            indices = indices.astype(np.int64)
        counts = np.concatenate(self._counts)
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(indices.dtype)
        return sparse.csr_array(
            (self._data, indices, indptr), shape=(len(counts), self._n_features)
        )

    def _append(self, block: sparse.csr_array) -> None:
        end = self._size + block.nnz
        if end > len(self._data):
            self._resize(max(end, int(1.25 * len(self._data))))
        self._data[self._size : end] = block.data
        self._indices[self._size : end] = block.indices
        self._counts.append(np.diff(block.indptr))
        self._size = end

    def _resize(self, size: int) -> None:
        self._data.resize(size, refcheck=False)
        self._indices.resize(size, refcheck=False)


def stacked(blocks: Iterable[Array], n_features: int) -> Any:
    """Stack dense blocks: to a matrix of what is not zero, or on a device to one array."""
    given = iter(blocks)
    first = next(given)
    if is_numpy(first):
        return stack_rows(map(sparse.csr_array, chain([first], given)), n_features)
    return joined([first, *given])


def joined(parts: Sequence[Array]) -> Array:
    """Return arrays of any package, one below the other."""
    if len(parts) == 1:
        return parts[0]
    found: Array = array_namespace(parts[0]).concat(list(parts), axis=0)
    return found


def stack_rows(blocks: Iterable[sparse.csr_array], n_features: int) -> sparse.csr_array:
    """Stack sparse blocks as they come."""
    stack = RowStack(n_features)
    for block in blocks:
        stack.add(block)
    return stack.matrix()
