"""The best W for given components: each row is a small convex problem of its own.

Given H, a row's loss is a piecewise quadratic function of w. Newton's method solves the quadratic
of the current piece exactly under w ≥ 0 and ends when the piece no longer changes, which takes a
handful of steps whatever share of the entries is missing or corrupt. No row looks at another one.
"""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

from robustnmf.core.noise import NoiseModel, SquaredL1
from robustnmf.kernels import kernels_for

Array = Any

# Newton ends by itself after 3 to 10 steps; the bound is for rows that rounding keeps undecided.
MAX_STEPS = 100
# λ of the convex problem from whose answer a nonconvex model starts: robust, and free of scale.
START_LAM = 0.1


def solve_rows(X: Array, H: Array, noise: NoiseModel, weights: Array | None = None) -> Array:
    """Return W (b×k) that minimises each row's loss; the answer of a row depends on it alone.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf.core.noise import SquaredL1
    >>> H = np.array([[1.0, 1.0, 1.0, 1.0, 1.0]])
    >>> solve_rows(np.array([[2.0, 2.0, 2.0, np.nan, 90.0]]), H, SquaredL1(lam=1e-9)).round(6)
    array([[2.]])
    """
    start = array_namespace(X).zeros((X.shape[0], H.shape[0]), dtype=H.dtype)
    if not noise.convex:
        # A fixed start, so that the answer still depends on the row alone; a robust one, because
        # from a least-squares start large errors hide in the fit.
        start = _newton(X, H, start, SquaredL1(START_LAM), None)
    return _newton(X, H, start, noise, weights)


def _newton(X: Array, H: Array, W: Array, noise: NoiseModel, weights: Array | None) -> Array:
    xp = array_namespace(X)
    kernels = kernels_for(X)
    # Steps below this are rounding; float32 data cannot tell finer anyway.
    tolerance = 64 * xp.finfo(X.dtype).eps
    best = xp.asarray(W, copy=True, dtype=xp.float64)
    trial = best
    best_loss = xp.full(X.shape[0], xp.inf, dtype=xp.float64)
    threshold = xp.zeros_like(X[:, 0])
    active = xp.arange(X.shape[0])
    for _ in range(MAX_STEPS):
        rows = X if active.shape[0] == X.shape[0] else xp.take(X, active, axis=0)
        q = None
        if weights is not None:
            q = weights if active.shape[0] == X.shape[0] else xp.take(weights, active, axis=0)
        P = xp.astype(trial, X.dtype) @ H
        local = noise.quadratic(rows, P, H, q, threshold)
        worse = local.loss > best_loss
        target = kernels.solve_quadratic_rows(local.curvature, local.pull, trial)
        # A Newton step that overshot is halved: the loss is convex along it.
        following = xp.where(worse[:, None], 0.5 * (best + trial), target)
        best = xp.where(worse[:, None], best, trial)
        best_loss = xp.where(worse, best_loss, local.loss)
        size = xp.max(xp.abs(best), axis=1)
        open_rows = xp.max(xp.abs(following - best), axis=1) > tolerance * size
        W[active, :] = xp.astype(best, W.dtype)
        chosen = xp.nonzero(open_rows)[0]
        if chosen.shape[0] == 0:
            break
        active = xp.take(active, chosen)
        trial, best = (xp.take(A, chosen, axis=0) for A in (following, best))
        best_loss = xp.take(best_loss, chosen)
        threshold = xp.take(local.threshold, chosen)
    return W
