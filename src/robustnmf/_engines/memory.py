"""Rows of an array or sparse matrix in memory (or memory-mapped), a block at a time.

Whatever X is (integers, Fortran order, sparse, read-only, in an awkward unit), a block of it
reaches the solvers as a dense C-ordered array of the working dtype. Only blocks are converted,
never the whole, and a block that is already right is handed over as a view, without a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np
from scipy import sparse

from robustnmf._common.arrays import Array
from robustnmf._core.engine import BlockFunction
from robustnmf._engines.threads import ordered_map, ordered_stream, single_threaded_blas

# Smaller blocks fit the cache better, but BLAS and threads work worse; with larger ones, small data
# leave threads without work.
PASS_ENTRIES = 2**18
# Runs of blocks whose sums are held at a time.
CHUNKS = 16
# Of an array with a few numbers for each row.
ROWS_AT_ONCE = 2**16
# A sample of at most so many bytes is copied; a larger one is looked up in every pass.
SAMPLE_BYTES = 2**22


class MemoryEngine:
    """Blocks of rows of X, and of all that goes with them.

    Parameters
    ----------
    X : array or CSR matrix, n×m
        NaN marks a missing entry.
    weights : array or CSR matrix, n×m, or None
        The share in [0, 1] to which an entry counts.
    dtype : dtype
        The working precision, float32 or float64.
    exponent : int
        Blocks hold X·2^exponent. A power of two changes no digits.
    block_entries : int
        The most entries a block of X may have.
    block_rows : int or None
        Rows a block; by default as many as have room in `block_entries`, or somewhat less.

    Examples
    --------
    >>> import numpy as np
    >>> data = MemoryEngine(np.arange(6, dtype=np.uint8).reshape(3, 2), block_rows=2)
    >>> data.map(lambda rows, X, weights: float(X.sum()))
    [6.0, 9.0]
    """

    def __init__(
        self,
        X: Any,
        weights: Any = None,
        *,
        dtype: Any = np.float64,
        exponent: int = 0,
        block_entries: int = PASS_ENTRIES,
        block_rows: int | None = None,
    ) -> None:
        self.shape: tuple[int, int] = X.shape
        self.dtype = np.dtype(dtype)
        self._X, self._weights = X, weights
        self._exponent = exponent
        n, m = X.shape
        self.block_rows = block_rows or default_block_rows(n, m, block_entries)
        self._starts = range(0, n, self.block_rows)

    def map(self, function: BlockFunction) -> list[Any]:
        """Apply a function to every block, on threads; results are in the order of the rows."""
        return ordered_map(lambda start: function(*self._read(start)), self._starts)

    def stream(self, function: BlockFunction, read: Sequence[Array] = ()) -> Iterator[Any]:
        """Apply a function to every block, on threads, and give each result as it is wanted."""
        return ordered_stream(lambda start: function(*self._read(start, read)), self._starts)

    def fold(
        self,
        function: BlockFunction,
        merge: Callable[[Any, Any], Any],
        *,
        read: Sequence[Array] = (),
        write: Sequence[Array] = (),
    ) -> Any:
        """Merge what the function makes of the blocks; see `Engine.fold`.

        Blocks are merged within `CHUNKS` runs of rows, which threads share, and then the runs. The
        runs depend on the number of rows alone, so threads cannot change the result, and no more
        than that many partial results are ever held.
        """

        def one(start: int) -> Any:
            block = self._read(start, read)
            if not write:
                return function(*block)
            sums, *new = function(*block)
            for A, rows in zip(write, new, strict=True):
                A[block[0]] = rows
            return sums

        def work(starts: range) -> Any:
            return reduce(merge, map(one, starts))

        if len(self._starts) == 1:
            with single_threaded_blas:
                return one(0)
        size = -(-len(self._starts) // CHUNKS)
        chunks = [self._starts[i : i + size] for i in range(0, len(self._starts), size)]
        return reduce(merge, ordered_map(work, chunks))

    def keep(self, A: Array) -> Array:
        """Take over an array of the rows: it is used as it is, or read from where it lies."""
        return A if isinstance(A, np.ndarray) else A[:]

    def make(self, function: Callable[[slice], Array]) -> Array:
        """Return an array of the rows, of which the function gives some at a time."""
        return filled(np.empty, self.shape[0], self.block_rows, function)

    def take(self, A: Array, rows: Array) -> Array:
        """Return some rows of an array."""
        return A[rows]

    def room_for(self, A: Array) -> Array:
        """Return an array of the same kind, to be written."""
        return np.empty_like(A)

    def combine(self, function: Callable[..., Array], *arrays: Array) -> Array:
        """Apply a function to arrays of the rows."""
        return function(*arrays)

    def sum_rows(
        self, function: Callable[..., Any], merge: Callable[[Any, Any], Any], *arrays: Array
    ) -> Any:
        """Merge what a function makes of arrays of the rows."""
        return summed(function, merge, arrays)

    def collect(self, A: Array) -> Array:
        """Return an array of the rows, which is where it should be already."""
        return A

    def beside(self, A: Array) -> Array:
        """Return an array that all rows share, where they are."""
        return A

    def sample(self, rows: Array) -> MemoryEngine:
        """Return some of the rows, by their positions."""
        X, weights = (None if A is None else RowsAt(A, rows) for A in (self._X, self._weights))
        sample = MemoryEngine(X, weights, dtype=self.dtype, exponent=self._exponent)
        return sample._copied() if sample._n_bytes <= SAMPLE_BYTES else sample

    @property
    def _n_bytes(self) -> int:
        copies = 1 if self._weights is None else 2
        return copies * self.shape[0] * self.shape[1] * self.dtype.itemsize

    def _copied(self) -> MemoryEngine:
        """Return the same data, ready for use."""
        X = np.empty(self.shape, self.dtype)
        weights = None if self._weights is None else np.empty(self.shape, self.dtype)

        def copy(rows: slice, block: Array, q: Array | None) -> None:
            X[rows] = block
            if weights is not None:
                weights[rows] = q

        self.map(copy)
        return MemoryEngine(X, weights, dtype=self.dtype)

    def _read(self, start: int, kept: Sequence[Array] = ()) -> tuple[Any, ...]:
        """Return what a `BlockFunction` is given."""
        rows = slice(start, min(start + self.block_rows, self.shape[0]))
        X = dense_rows(self._X, rows, self.dtype)
        if self._exponent:
            X = np.ldexp(X, self._exponent)
        q = None if self._weights is None else dense_rows(self._weights, rows, self.dtype)
        return rows, X, q, *(A[rows] for A in kept)


class RowsAt:
    """Some rows of an array, by their positions, without a copy of them all."""

    def __init__(self, A: Any, rows: Array) -> None:
        self._A, self._rows = A, rows
        self.shape = (len(rows), A.shape[1])

    def __getitem__(self, rows: slice) -> Any:
        return self._A[self._rows[rows]]


def filled(
    room: Callable[[tuple[int, ...], Any], Any],
    n: int,
    step: int,
    function: Callable[[slice], Array],
) -> Any:
    """Return an array of n rows, of which the function gives so many at a time."""
    new: Any = None
    for first in range(0, n, step):
        rows = slice(first, min(first + step, n))
        part = function(rows)
        if new is None:
            new = room((n, *part.shape[1:]), part.dtype)
        new[rows] = part
    return new


def summed(
    function: Callable[..., Any], merge: Callable[[Any, Any], Any], arrays: Sequence[Any]
) -> Any:
    """Merge what a function makes of arrays with a few numbers for each row, a part at a time."""
    parts = (slice(first, first + ROWS_AT_ONCE) for first in range(0, len(arrays[0]), ROWS_AT_ONCE))
    return reduce(merge, (function(*(A[rows] for A in arrays)) for rows in parts))


def default_block_rows(n_samples: int, n_features: int, block_entries: int) -> int:
    """Return how many rows make a block: it must not depend on the number of threads."""
    most = max(16, block_entries // n_features)
    blocks = -(-n_samples // most)
    # An even number of equal blocks, so that the cores end at the same time.
    return -(-n_samples // (blocks + blocks % 2)) if blocks > 1 else n_samples


def dense_rows(X: Any, rows: slice | Array, dtype: Any) -> Array:
    """Return rows of X as a dense C-ordered array; a view where that is what X already holds."""
    block = X[rows]
    if sparse.issparse(block):
        block = block.toarray()
    return np.ascontiguousarray(block, dtype=dtype)
