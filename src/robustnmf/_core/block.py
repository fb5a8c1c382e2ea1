"""One block of rows: clean it, improve its W, and sum up what the components need of it.

Blocks are independent and their sums add up, so the same function serves arrays in memory and
everything else that can hand over rows a block at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from robustnmf._core.noise import NoiseModel
from robustnmf._kernels import kernels_for

Array = Any


class BlockFunction(Protocol):
    """What is done to one block: its rows' positions, their data, their weights or None."""

    def __call__(self, rows: slice, X: Array, weights: Array | None) -> Any:
        """Return whatever is to be collected from the block."""


class BlockData(Protocol):
    """Where the rows live: an engine hands them over block by block."""

    shape: tuple[int, int]
    dtype: Any

    def map(self, function: BlockFunction) -> list[Any]:
        """Apply a function to every block and return the results in the order of the rows."""

    def stream(self, function: BlockFunction) -> Iterator[Any]:
        """Do the same, giving each result as it is wanted."""

    def sample(self, rows: Array) -> BlockData:
        """Return the rows at these positions as data of their own."""

    def fold(self, function: BlockFunction, merge: Callable[[Any, Any], Any]) -> Any:
        """Merge what the function makes of the blocks, in the order of the rows."""


class Stats(NamedTuple):
    """The sums over rows from which new components follow."""

    gram: Array
    """WᵀW; k×k."""
    cross: Array
    """WᵀX̂, X̂ being the cleaned rows; k×m."""
    loss: float
    """The objective at the W and H that the pass began with."""


def add(total: Stats, more: Stats) -> Stats:
    """Add sums up in float64, into the arrays of the first if they are of that kind."""
    gram, cross = (A.astype("float64", copy=False) for A in (total.gram, total.cross))
    gram += more.gram
    cross += more.cross
    return Stats(gram, cross, total.loss + more.loss)


def update_block(
    X: Array,
    W: Array,
    H: Array,
    gram: Array,
    noise: NoiseModel,
    *,
    weights: Array | None,
    threshold: Array,
    sweeps: int,
) -> tuple[Array, Array, Stats]:
    """Return the block's new W, its thresholds for next time, and its sums.

    gram is H Hᵀ, computed once for all blocks. The loss belongs to the W that came in.
    """
    cleaned = noise.clean(X, W @ H, weights, threshold)
    W = kernels_for(X).sweep_rows(W, gram, cleaned.rows @ H.T, sweeps)
    stats = Stats(W.T @ W, W.T @ cleaned.rows, float(cleaned.loss.sum()))
    return W, cleaned.threshold, stats
