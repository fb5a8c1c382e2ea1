"""One block of rows: clean it, improve its W, and sum up what the components need of it.

Blocks are independent and their sums add up, so the same function serves arrays in memory and
everything else that can hand over rows a block at a time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._common.places import widest
from robustnmf._core.engine import Engine, RowArray
from robustnmf._core.noise import NoiseModel
from robustnmf._kernels import kernels_for


class Stats(NamedTuple):
    """The sums over rows from which new components follow."""

    gram: Array
    """WᵀW; k×k."""
    cross: Array
    """WᵀX̂, X̂ being the cleaned rows; k×m."""
    loss: Any
    """The objective at the W and H that the pass began with; a number where the rows are."""


def add(total: Stats, more: Stats) -> Stats:
    """Add sums up in float64 where there is that, into the arrays of the first if they can be."""
    xp = array_namespace(total.gram)
    wide = widest(total.gram)
    gram, cross = (xp.astype(A, wide, copy=False) for A in (total.gram, total.cross))
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
    swept = noise.swept(X, W, H, gram, threshold, sweeps) if weights is None else None
    if swept is not None:
        return swept.W, swept.threshold, Stats(swept.gram, swept.cross, swept.loss)
    cleaned = noise.clean(X, W @ H, weights, threshold)
    W = kernels_for(X).sweep_rows(W, gram, cleaned.rows @ H.T, sweeps)
    loss = array_namespace(X).sum(cleaned.loss)
    stats = Stats(W.T @ W, W.T @ cleaned.rows, loss)
    return W, cleaned.threshold, stats


def update_rows(
    data: Engine, noise: NoiseModel, W: RowArray, H: Array, threshold: RowArray, sweeps: int
) -> tuple[Stats, RowArray, RowArray]:
    """Do that for all rows in one pass: return the sums, the new W and the new thresholds."""
    gram = H @ H.T
    # What came in stays as it is: a pass that is broken off must not leave half of another state.
    new = data.room_for(W), data.room_for(threshold)

    def update(
        rows: slice, X: Array, weights: Array | None, W: Array, threshold: Array, *own: Array
    ) -> tuple[Stats, Array, Array]:
        model = noise.with_rows(*own)
        W, threshold, stats = update_block(
            X, W, H, gram, model, weights=weights, threshold=threshold, sweeps=sweeps
        )
        return stats, W, threshold

    read = (W, threshold, *noise.row_arrays)
    return data.fold(update, add, read=read, write=new), *new
