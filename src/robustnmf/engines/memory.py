"""Rows of an array or sparse matrix in memory (or memory-mapped), a block at a time.

Whatever X is (integers, Fortran order, sparse, read-only, in an awkward unit), a block of it
reaches the solvers as a dense C-ordered array of the working dtype. Only blocks are converted,
never the whole, and a block that is already right is handed over as a view, without a copy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from robustnmf.core.block import BlockFunction
from robustnmf.engines.threads import ordered_map

Array = NDArray[Any]

# About a megabyte a block: the rows, their prediction and residual stay in a core's cache.
BLOCK_BYTES = 2**20


class MemoryBlocks:
    """Blocks of rows of X, and of the weights that go with them.

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
    block_rows : int or None
        Rows a block; by default about a megabyte of them.

    Examples
    --------
    >>> import numpy as np
    >>> data = MemoryBlocks(np.arange(6, dtype=np.uint8).reshape(3, 2), block_rows=2)
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
        block_rows: int | None = None,
    ) -> None:
        self.shape: tuple[int, int] = X.shape
        self.dtype = np.dtype(dtype)
        self._X, self._weights = X, weights
        self._exponent = exponent
        n, m = X.shape
        self.block_rows = block_rows or default_block_rows(m, self.dtype)
        self._starts = range(0, n, self.block_rows)

    def map(self, function: BlockFunction) -> list[Any]:
        """Apply a function to every block, on threads; results are in the order of the rows."""

        def work(start: int) -> Any:
            rows = slice(start, min(start + self.block_rows, self.shape[0]))
            X = dense_rows(self._X, rows, self.dtype)
            if self._exponent:
                X = np.ldexp(X, self._exponent)
            weights = self._weights
            if weights is not None:
                weights = dense_rows(weights, rows, self.dtype)
            return function(rows, X, weights)

        return ordered_map(work, self._starts)


class OutsideSupport:
    """Weights that are 0 where a sparse E has an entry and 1 elsewhere, made a block at a time."""

    def __init__(self, E: sparse.csr_array) -> None:
        self._E, self.shape = E, E.shape

    def __getitem__(self, rows: slice) -> Array:
        return self._E[rows].toarray() == 0


def default_block_rows(n_features: int, dtype: np.dtype[Any]) -> int:
    """Return how many rows make a block: it must not depend on the number of threads."""
    return max(16, BLOCK_BYTES // (dtype.itemsize * n_features))


def dense_rows(X: Any, rows: slice, dtype: Any) -> Array:
    """Return rows of X as a dense C-ordered array; a view where that is what X already holds."""
    block = X[rows]
    if sparse.issparse(block):
        block = block.toarray()
    return np.ascontiguousarray(block, dtype=dtype)
