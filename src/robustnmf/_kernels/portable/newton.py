"""Each row solved to its optimum, given H, by Newton's method on a piecewise quadratic loss."""

from __future__ import annotations

from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._common.places import widest
from robustnmf._kernels.portable.quadratic import (
    quadratic_squared_l1,
    quadratic_weighted,
    step_length_squared_l1,
)
from robustnmf._kernels.portable.small import solve_quadratic_rows
from robustnmf._kernels.portable.sums import row_sum
from robustnmf._kernels.shared import MAX_STEPS, exact_fit, tolerance


def solve_squared_l1(X: Array, H: Array, lam: float, start: Array | None) -> Array:
    """W (b×k) that minimises each row's loss with λ‖e‖₁².

    Each step solves the quadratic of the current piece. Where the loss rose on the way there, the
    step is shortened. It begins at `start`, or where nothing is noise.
    """
    xp = array_namespace(X)
    eps = float(xp.finfo(X.dtype).eps)
    if start is None:
        Q, c, _ = quadratic_weighted(X, xp.zeros_like(X), H, None)
        start = solve_quadratic_rows(Q, c)
    best = trial = xp.astype(start, widest(X))
    known = xp.where(xp.isnan(X), xp.zeros_like(X), X)
    slack = exact_fit(eps) ** 2 * row_sum(xp, known * known)
    best_loss, tau = xp.full_like(slack, xp.inf), xp.zeros_like(X[:, 0])
    for _ in range(MAX_STEPS):
        P = xp.astype(trial, X.dtype) @ H
        Q, c, loss, tau = quadratic_squared_l1(X, P, H, lam, tau)
        worse = loss > best_loss * (1 + tolerance(eps)) + slack
        from_best = xp.astype(best, X.dtype) @ H
        reach = step_length_squared_l1(X, from_best, P, lam, tau)[:, None]
        shorter, newton = best + reach * (trial - best), solve_quadratic_rows(Q, c)
        best = xp.where(worse[:, None], best, trial)
        best_loss = xp.where(worse, best_loss, loss)
        trial = xp.where(worse[:, None], shorter, newton)
        moved = xp.max(xp.abs(trial - best), axis=1) > tolerance(eps) * xp.max(best, axis=1)
        # A row that does not move stays as it is, whatever the others do.
        trial = xp.where(moved[:, None], trial, best)
        if not bool(xp.any(moved)):
            break
    return xp.astype(best, X.dtype)
