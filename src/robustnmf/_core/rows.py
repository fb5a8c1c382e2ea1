"""The best W for given components: each row is a small convex problem of its own.

Given H, a row's loss is a piecewise quadratic function of w. Newton's method solves the quadratic
of the current piece exactly under w ≥ 0 and ends when the piece no longer changes, which takes a
handful of steps whatever share of the entries is missing or corrupt. Where a step overshoots, as it
may when λ is so small that most entries count as large, only the part of it that helps is taken. No
row looks at another one.
"""

from __future__ import annotations

from typing import NamedTuple

from array_api_compat import array_namespace, device

from robustnmf._common.arrays import Array
from robustnmf._common.places import widest, with_rows
from robustnmf._core.held import Held
from robustnmf._core.noise import CONVEX_START, NoiseModel, NoNoise, of_rows
from robustnmf._kernels import MAX_STEPS, exact_fit, kernels_for, tolerance

# A corrupt entry that was filled counts this much. Ignored altogether, it would leave a component
# that lives mostly on corrupt entries to run wild; like this, it stays where it was unless
# something moves it.
FILLED = 0.01
NO_NOISE = NoNoise()


def solve_rows(
    X: Array,
    H: Array,
    noise: NoiseModel,
    weights: Array | None = None,
    start: Array | None = None,
) -> Array:
    """Return W (b×k) that minimises each row's loss; the answer of a row depends on it alone.

    A start saves steps. It is left out of account where the answer would depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf._core.noise import SquaredL1
    >>> H = np.array([[1.0, 1.0, 1.0, 1.0, 1.0]])
    >>> solve_rows(np.array([[2.0, 2.0, 2.0, np.nan, 90.0]]), H, SquaredL1(lam=1e-9)).round(6)
    array([[2.]])
    """
    if not noise.convex:
        # A fixed start, so that the answer still depends on the row alone; a robust one, because
        # from a least-squares start large errors hide in the fit.
        convex = noise.with_known(CONVEX_START) if isinstance(noise, Held) else CONVEX_START
        start = solve_rows(X, H, convex)
    solved = noise.solved(X, H, weights, start)
    if solved is not None:
        return solved
    if start is None:
        start = NO_NOISE.solved(X, H, None, None)
    return _newton(X, H, start, noise, weights)


def solve_clean(
    filled: Array, H: Array, corrupt: Array, start: Array, noise: NoiseModel = NO_NOISE
) -> Array:
    """Return W (b×k) for rows whose corrupt entries are known, and filled with what is likely.

    `noise` is for the others: none, or none beside a guess at missing entries.
    """
    xp = array_namespace(filled)
    weights = xp.where(corrupt, xp.full_like(filled, FILLED), xp.ones_like(filled))
    return solve_rows(filled, H, noise, weights, start)


def solve_flagged(X: Array, P: Array, H: Array, corrupt: Array, start: Array) -> Array:
    """Return the W of rows whose corrupt entries are known, and likely to be as in P.

    As `solve_clean` does, in fewer steps; there is no other noise.
    """
    kernels = kernels_for(X)
    Q, c = kernels.quadratic_filled(X, P, H, corrupt, FILLED)
    return array_namespace(X).astype(kernels.solve_quadratic_rows(Q, c, start), H.dtype)


def _newton(X: Array, H: Array, W: Array, noise: NoiseModel, weights: Array | None) -> Array:
    xp, wide = array_namespace(X), widest(X)
    kernels = kernels_for(X)
    rounding = tolerance(float(xp.finfo(X.dtype).eps))
    observed = xp.astype(xp.where(xp.isnan(X), xp.zeros_like(X), X), wide)
    squares = xp.sum(observed * observed, axis=1)
    # Losses below this are those of an exact fit; none of them is worse than another.
    exact = exact_fit(xp.finfo(X.dtype).eps) ** 2 * squares
    W = xp.asarray(W, copy=True)
    state = _Rows(
        row=xp.arange(X.shape[0], device=device(X)),
        best=xp.asarray(W, copy=True, dtype=wide),
        best_loss=xp.full_like(squares, xp.inf),
        trial=xp.asarray(W, copy=True, dtype=wide),
        threshold=xp.zeros_like(X[:, 0]),
    )
    for _ in range(MAX_STEPS):
        rows, q, model = X, weights, noise
        if state.row.shape[0] < X.shape[0]:
            rows = xp.take(X, state.row, axis=0)
            q = None if weights is None else xp.take(weights, state.row, axis=0)
            model = of_rows(noise, state.row)
        P = xp.astype(state.trial, X.dtype) @ H
        local = model.quadratic(rows, P, H, q, state.threshold)
        target = kernels.solve_quadratic_rows(local.curvature, local.pull, state.trial)
        worse = local.loss > state.best_loss * (1 + rounding) + xp.take(exact, state.row)
        failed = xp.nonzero(worse)[0]
        if failed.shape[0]:
            # The step overshot: go only as far as the loss falls.
            best, trial = (xp.take(A, failed, axis=0) for A in (state.best, state.trial))
            length = of_rows(model, failed).step_length(
                xp.take(rows, failed, axis=0),
                xp.astype(best, X.dtype) @ H,
                xp.take(P, failed, axis=0),
                xp.take(local.threshold, failed),
            )
            shorter = best + length[:, None] * (trial - best)
            target = with_rows(target, failed, shorter)
        best = xp.where(worse[:, None], state.best, state.trial)
        W = with_rows(W, state.row, xp.astype(best, W.dtype))
        moved = xp.max(xp.abs(target - best), axis=1) > rounding * xp.max(best, axis=1)
        unfinished = xp.nonzero(moved)[0]
        if unfinished.shape[0] == 0:
            break
        after = _Rows(
            state.row,
            best,
            best_loss=xp.where(worse, state.best_loss, local.loss),
            trial=target,
            threshold=local.threshold,
        )
        state = _Rows(*(xp.take(field, unfinished, axis=0) for field in after))
    return W


class _Rows(NamedTuple):
    """The rows still being solved; all arrays have one entry a row."""

    row: Array
    best: Array
    best_loss: Array
    trial: Array
    threshold: Array
