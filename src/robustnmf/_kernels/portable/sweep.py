"""HALS sweeps."""

from __future__ import annotations

from array_api_compat import array_namespace, device

from robustnmf._common.arrays import Array
from robustnmf._common.places import with_column


def sweep_rows(W: Array, gram: Array, cross: Array, sweeps: int) -> Array:
    """HALS: minimise ‖X̂ − W H‖² over one column of W ≥ 0 after another, `sweeps` times.

    gram = H Hᵀ (k×k) and cross = X̂ Hᵀ (b×k) are all that is needed of the data.
    """
    xp = array_namespace(W)
    W = xp.asarray(W, copy=True)
    k = gram.shape[0]
    curvature = xp.linalg.diagonal(gram)
    # A component that is nothing stays, and nobody has to look on the host which ones are.
    alive = curvature > 0
    safe = xp.where(alive, curvature, xp.ones_like(curvature))
    # All that can be is done once, for a device takes longer to begin than to compute: the best
    # column is what the others leave, and a column of nothing leaves all to itself.
    itself = xp.eye(k, dtype=gram.dtype, device=device(gram))
    others = xp.where(alive, (1 - itself) * gram / safe, -itself)
    pull = xp.where(alive, cross / safe, xp.zeros_like(cross))
    columns = [(j, others[:, j], pull[:, j]) for j in range(k)]
    zero = xp.zeros_like(W[:, 0])
    for _ in range(sweeps):
        for j, by, towards in columns:
            W = with_column(W, j, xp.maximum(towards - W @ by, zero))
    return W
