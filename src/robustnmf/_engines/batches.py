"""Rows a batch at a time, one batch after the other, each an engine of its own.

Who learns from a batch before the next one is handed over cannot ask for a pass over all rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.places import on_host
from robustnmf._core.engine import Engine
from robustnmf._engines.choice import adopted, engine_for
from robustnmf._engines.memory import PASS_ENTRIES, MemoryEngine, RowsAt
from robustnmf._engines.placed import placed
from robustnmf._engines.sources import regrouped
from robustnmf._engines.threads import read_ahead

# Of a batch: so few that all threads have some, and so many that they do not wait for one another.
BLOCK_ROWS = 512


def batches(
    X: Any,
    size: int,
    *,
    dtype: Any,
    exponent: int = 0,
    first: int = 0,
    order: Array | None = None,
) -> Iterator[Engine]:
    """Give rows so many at a time; in their order, or for data in memory in another.

    Data that are no arrays in memory are read in order, the next while these are worked on, and
    no more of them are held than a few batches.

    Parameters
    ----------
    X : n×m
        As for `engine_for`.
    size : int
        Rows in a batch; the last one may have fewer.
    dtype, exponent :
        As for `engine_for`.
    first : int
        Rows before this one are left out.
    order : array of int, optional
        Positions of the rows, in the order in which they are wanted. Only for data in memory.

    Examples
    --------
    >>> found = batches(np.arange(5.0)[:, None], 2, dtype=np.float64, order=np.array([3, 0, 4]))
    >>> [batch.collect(batch.map(lambda rows, X, weights: X)[0]).T for batch in found]
    [array([[3., 0.]]), array([[4.]])]
    """

    def engine(rows: Any, power: int) -> MemoryEngine:
        block = max(1, min(BLOCK_ROWS, PASS_ENTRIES // rows.shape[1]))
        return MemoryEngine(rows, dtype=dtype, exponent=power, block_rows=block)

    if adopted(X) is None:
        n = X.shape[0] if order is None else len(order)
        for begin in range(first, n, size):
            here = slice(begin, min(begin + size, n))
            yield engine(X[here] if order is None else RowsAt(X, order[here]), exponent)
        return
    data = engine_for(X, dtype=dtype, exponent=exponent)
    if in_any_order(X):
        rows = np.arange(first, X.shape[0]) if order is None else order[first:]
        for begin in range(0, len(rows), size):
            yield data.sample(rows[begin : begin + size])
        return
    pieces = data.stream(lambda rows, block, weights: block)
    for piece in read_ahead(regrouped(_without(pieces, first), size)):
        yield engine(piece, 0)


def rows_of(X: Any, rows: Array, dtype: Any) -> Array:
    """Return some rows of any data as an array in memory; the positions are in order.

    Examples
    --------
    >>> rows_of([np.zeros((2, 1)), np.ones((3, 1))], np.array([1, 2, 4]), np.float64).T
    array([[0., 1., 1.]])
    """
    sample: Any = engine_for(X, dtype=dtype).sample(rows)
    return np.concatenate(sample.map(lambda here, block, weights: on_host(block)))


def in_any_order(X: Any) -> bool:
    """Return whether rows of some data can be had in any order: they are in one array."""
    return adopted(X) is None or placed(X) is not None


def _without(pieces: Iterable[Array], first: int) -> Iterator[Array]:
    """Leave out the first rows."""
    found = iter(pieces)
    for piece in found:
        if len(piece) > first:
            return chain([piece[first:]], found)
        first -= len(piece)
    return iter(())
