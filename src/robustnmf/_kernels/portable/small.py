"""Small quadratic problems, one a row.

All rows are solved side by side: block principal pivoting. J. Kim and H. Park, "Fast nonnegative
matrix factorization: an active-set-like method and comparisons", SIAM J. Sci. Comput. 33, 2011.
"""

from __future__ import annotations

from array_api_compat import array_namespace, device

from robustnmf._common.arrays import Array
from robustnmf._kernels.shared import RIDGE

# So many times a row may exchange all that are on the wrong side although they do not get fewer;
# then one at a time, which always ends.
BOLD = 3
# A slope below this share of the largest pull is rounding.
FLAT = 1e-13


def solve_quadratic_rows(Q: Array, c: Array, guess: Array | None = None) -> Array:
    """Minimise wQwᵀ − 2cwᵀ over w ≥ 0 for each row. A guess is for who can make use of it.

    A ridge of RIDGE × the largest curvature makes the answer unique where Q is singular.
    """
    xp = array_namespace(Q, c)
    b, k = c.shape
    eps = float(xp.finfo(c.dtype).eps)
    diagonal = xp.linalg.diagonal(Q)
    ridge = max(RIDGE, eps) * xp.max(diagonal, axis=1)[:, None]
    flat = max(FLAT, eps) * xp.max(xp.abs(c), axis=1)[:, None]
    # What has no curvature cannot be told, and is nothing.
    able = diagonal > 0
    identity = xp.eye(k, dtype=c.dtype, device=device(c))
    order = xp.arange(k, device=device(c))
    passive = xp.zeros(c.shape, dtype=xp.bool, device=device(c))
    fewest = xp.full((b, 1), k + 1, device=device(c))
    bold = xp.full((b, 1), BOLD, device=device(c))
    W = xp.zeros_like(c)
    for _ in range(10 * k + 10):
        slope = c - xp.matmul(Q, W[:, :, None])[:, :, 0] - ridge * W
        wrong = able & ((passive & (W < 0)) | (~passive & (slope > flat)))
        count = xp.sum(xp.astype(wrong, xp.int64), axis=1)[:, None]
        if not bool(xp.any(wrong)):
            break
        fewer = count < fewest
        bold = xp.where(fewer, xp.full_like(bold, BOLD), bold - 1)
        fewest = xp.minimum(count, fewest)
        last = xp.max(xp.where(wrong, order, xp.full_like(order, -1)), axis=1)[:, None]
        exchanged = wrong & ((bold >= 0) | (order == last))
        passive = passive ^ exchanged
        both = passive[:, :, None] & passive[:, None, :]
        own = xp.where(passive, xp.broadcast_to(ridge, c.shape), xp.ones_like(c))
        system = xp.where(both, Q, xp.zeros_like(Q)) + own[:, :, None] * identity
        pull = xp.where(passive, c, xp.zeros_like(c))
        W = xp.linalg.solve(system, pull[:, :, None])[:, :, 0]
    return xp.maximum(W, xp.zeros_like(W))
