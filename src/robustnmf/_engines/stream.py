"""Rows that are read in order, each once in a pass: the next while these are worked on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._core.engine import BlockFunction
from robustnmf._engines.kept import FileRows, room
from robustnmf._engines.memory import (
    PASS_ENTRIES,
    MemoryEngine,
    default_block_rows,
    dense_rows,
    filled,
    summed,
)
from robustnmf._engines.sources import SOURCES, Source, regrouped, source_of
from robustnmf._engines.threads import closed_after, read_stream


class StreamEngine:
    """Blocks of rows of a source, and of all that goes with them.

    Parameters
    ----------
    X : Source
        What `adopt` returned.
    weights : Source, array or CSR matrix, n×m, or None
        The share in [0, 1] to which an entry counts; a source is read along with X.
    dtype : dtype
        The working precision, float32 or float64.
    exponent : int
        Blocks hold X·2^exponent.
    block_entries : int
        The most entries a block of X may have.

    Examples
    --------
    >>> data = StreamEngine(StreamEngine.adopt([np.ones((2, 3)), np.ones((4, 3))]))
    >>> data.map(lambda rows, X, weights: float(X.sum()))
    [18.0]
    """

    def __init__(
        self,
        X: Source,
        weights: Any = None,
        *,
        dtype: Any = np.float64,
        exponent: int = 0,
        block_entries: int = PASS_ENTRIES,
    ) -> None:
        self.shape, self.dtype = X.shape, np.dtype(dtype)
        self._source, self._weights, self._exponent = X, weights, exponent
        self.block_rows = default_block_rows(*X.shape, block_entries)

    @staticmethod
    def adopt(X: Any) -> Source | None:
        """Return data that are read in order as a source."""
        return source_of(X)

    def map(self, function: BlockFunction) -> list[Any]:
        """Apply a function to every block; see `Engine.map`."""
        return list(self.stream(function))

    def stream(self, function: BlockFunction, read: Sequence[Any] = ()) -> Iterator[Any]:
        """Apply a function to every block, and give each result as it is wanted."""
        return read_stream(lambda block: function(*self._ready(block)), self._blocks(read))

    def fold(
        self,
        function: BlockFunction,
        merge: Callable[[Any, Any], Any],
        *,
        read: Sequence[Any] = (),
        write: Sequence[Any] = (),
    ) -> Any:
        """Merge what the function makes of the blocks, one after the other."""

        def one(block: tuple[Any, ...]) -> tuple[slice, Any]:
            return block[0], function(*self._ready(block))

        total: Any = None
        # Closed at once if anything is raised here: what is read ahead must not outlive the call.
        with closed_after(read_stream(one, self._blocks(read))) as blocks:
            for rows, found in blocks:
                sums, *new = found if write else (found,)
                for A, part in zip(write, new, strict=True):
                    A[rows] = part
                total = sums if total is None else merge(total, sums)
        return total

    def keep(self, A: Any) -> Any:
        """Take over an array of the rows; a large one moves into a file."""
        return A if isinstance(A, FileRows) else self.make(lambda rows: A[rows])

    def make(self, function: Callable[[slice], Array]) -> Any:
        """Return an array of the rows, of which the function gives some at a time."""
        return filled(room, self.shape[0], self.block_rows, function)

    def take(self, A: Any, rows: Array) -> Array:
        """Return some rows of an array, by their positions, in order."""
        found = []
        begin = int(rows[0]) // self.block_rows * self.block_rows
        for first in range(begin, int(rows[-1]) + 1, self.block_rows):
            here = rows[slice(*np.searchsorted(rows, (first, first + self.block_rows)))] - first
            if len(here):
                found.append(A[first : first + self.block_rows][here])
        return np.concatenate(found)

    def room_for(self, A: Any) -> Any:
        """Return an array of the same kind, to be written."""
        return room(A.shape, A.dtype)

    def combine(self, function: Callable[..., Array], *arrays: Any) -> Any:
        """Apply a function to arrays of the rows."""
        return self.make(lambda rows: function(*(A[rows] for A in arrays)))

    def sum_rows(
        self, function: Callable[..., Any], merge: Callable[[Any, Any], Any], *arrays: Any
    ) -> Any:
        """Merge what a function makes of arrays of the rows."""
        return summed(function, merge, arrays)

    def collect(self, A: Any) -> Array:
        """Return an array of the rows in memory."""
        whole: Array = A[:]
        return whole

    def beside(self, A: Array) -> Array:
        """Return an array that all rows share, where they are."""
        return A

    def sample(self, rows: Array) -> MemoryEngine:
        """Return some of the rows, by their positions, in memory; for that all are read once."""
        found: list[Array] = []
        weights: list[Array] = []
        for at, block, q in self._blocks(()):
            here = rows[slice(*np.searchsorted(rows, (at.start, at.stop)))] - at.start
            if len(here):
                found.append(block[here])
                if q is not None:
                    weights.append(dense_rows(q, here, self.dtype))
        return MemoryEngine(
            np.concatenate(found),
            np.concatenate(weights) if weights else None,
            dtype=self.dtype,
            exponent=self._exponent,
        )

    def _blocks(self, read: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        """Give blocks, their weights and what is kept for them as they are read, by one thread."""
        first, weights = 0, self._weights_by_blocks()
        for block in _regrouped("X", self._source, self.block_rows):
            rows = slice(first, first + len(block))
            yield rows, block, next(weights), *(A[rows] for A in read)
            first = rows.stop
        # There must not be more weights than rows.
        next(weights, None)

    def _weights_by_blocks(self) -> Iterator[Any]:
        q, n, step = self._weights, self.shape[0], self.block_rows
        if q is None:
            return repeat(None)
        if isinstance(q, SOURCES):
            return _regrouped("weights", q, step)
        return (q[first : min(first + step, n)] for first in range(0, n, step))

    def _ready(self, block: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return what a `BlockFunction` is given, from a block as it was read."""
        rows, raw, q, *kept = block
        X = np.ascontiguousarray(raw, dtype=self.dtype)
        if self._exponent:
            X = np.ldexp(X, self._exponent)
        return rows, X, None if q is None else dense_rows(q, slice(None), self.dtype), *kept


def _regrouped(name: str, source: Source, size: int) -> Iterator[Array]:
    """Give all rows, so many at a time; raise if there are more or fewer than there were."""
    n, seen = source.shape[0], 0
    for block in regrouped(source.pieces(), size):
        seen += len(block)
        # What was read before stays as it is, and no block goes with one of another length.
        if seen > n or (len(block) < size and seen < n):
            break
        yield block
    if seen != n:
        raise ValueError(
            f"{name} had {n} rows when it was looked at first, and "
            f"{'more' if seen > n else seen} now; what it holds must not change during a call"
        )
