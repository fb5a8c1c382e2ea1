"""Small quadratic problems, one a row."""

from __future__ import annotations

from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._kernels.shared import RIDGE

# Coordinate descent is slow on nearly dependent components; this bounds the portable path only.
MAX_SWEEPS = 5000


def solve_quadratic_rows(Q: Array, c: Array, guess: Array | None = None) -> Array:
    """Minimise wQwᵀ − 2cwᵀ over w ≥ 0 for each row. A guess is for who can make use of it.

    A ridge of RIDGE × the largest curvature makes the answer unique where Q is singular.
    """
    xp = array_namespace(Q, c)
    k = c.shape[1]
    W = xp.zeros_like(c)
    diagonal = xp.stack([Q[:, j, j] for j in range(k)], axis=1)
    ridge = RIDGE * xp.max(diagonal, axis=1)
    zero = xp.zeros_like(ridge)
    tolerance = 4 * xp.finfo(W.dtype).eps
    for _ in range(MAX_SWEEPS):
        largest_move = 0.0
        for j in range(k):
            curvature = diagonal[:, j] + ridge
            safe = xp.where(curvature > 0, curvature, xp.ones_like(curvature))
            gradient = xp.sum(Q[:, j, :] * W, axis=1) + ridge * W[:, j] - c[:, j]
            new = xp.where(curvature > 0, xp.maximum(W[:, j] - gradient / safe, zero), zero)
            scale = xp.max(xp.abs(W), axis=1) + xp.abs(new)
            moved = xp.abs(new - W[:, j]) / xp.where(scale > 0, scale, xp.ones_like(scale))
            largest_move = max(largest_move, float(xp.max(moved)))
            W[:, j] = new
        if largest_move <= tolerance:
            break
    return W
