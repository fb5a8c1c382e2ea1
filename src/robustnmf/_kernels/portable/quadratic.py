"""A row's loss near the current point, as wQwᵀ − 2cwᵀ + const.

That is what it is until an entry changes sides: Q (b×k×k) is its curvature, c (b×k) its pull. In
float64, because k×k systems are solved with them.
"""

from __future__ import annotations

from array_api_compat import array_namespace, device

from robustnmf._common.arrays import Array
from robustnmf._common.places import widest
from robustnmf._kernels.portable.noise import (
    clean_squared_l0,
    clean_squared_l1,
    clean_weighted,
    support_squared_l0,
)
from robustnmf._kernels.portable.sums import rounding, row_sum
from robustnmf._kernels.shared import HALVINGS, observed_residual


def quadratic_weighted(
    X: Array, P: Array, H: Array, weights: Array | None
) -> tuple[Array, Array, Array]:
    """Q, c and the loss of each row when each entry counts by its weight."""
    xp = array_namespace(X, P)
    _, loss = clean_weighted(X, P, weights, 1.0)
    seen = xp.astype(~xp.isnan(X), X.dtype)
    return *_quadratic(X, H, seen if weights is None else seen * weights), loss


def quadratic_filled(
    X: Array, P: Array, H: Array, corrupt: Array, share: float
) -> tuple[Array, Array]:
    """Q and c of each row when corrupt entries are as predicted, and count by a share.

    Missing ones count as nothing, corrupt or not.
    """
    xp = array_namespace(X, P)
    corrupt = corrupt & ~xp.isnan(X)
    weights = xp.where(corrupt, xp.full_like(X, share), xp.ones_like(X))
    Q, c, _ = quadratic_weighted(xp.where(corrupt, P, X), P, H, weights)
    return Q, c


def quadratic_squared_l1(
    X: Array, P: Array, H: Array, lam: float, tau: Array
) -> tuple[Array, Array, Array, Array]:
    """Q, c, loss and threshold of each row for λ‖e‖₁².

    Small residuals count squared. With s large ones, their sum counts squared, times λ/(1 + λs).
    """
    xp = array_namespace(X, P)
    X = _without_rounding(X, P)
    _, loss, tau = clean_squared_l1(X, P, lam, tau)
    R = observed_residual(X, P)
    large = xp.abs(R) > tau[:, None]
    sign = xp.where(large, xp.sign(R), xp.zeros_like(R))
    kappa = lam / (1 + lam * row_sum(xp, xp.astype(large, widest(X))))
    Q, c = _quadratic(X, H, xp.astype(~large & ~xp.isnan(X), X.dtype))
    g = xp.astype(sign, widest(X)) @ xp.astype(H, widest(X)).T
    total = row_sum(xp, xp.where(large, sign * X, xp.zeros_like(R)))
    Q = Q + kappa[:, None, None] * g[:, :, None] * g[:, None, :]
    return Q, c + (kappa * total)[:, None] * g, loss, tau


def quadratic_squared_l0(X: Array, P: Array, H: Array, lam: float) -> tuple[Array, Array, Array]:
    """Q, c and the loss of each row for λ‖e‖₀²: corrupt entries do not count at all."""
    xp = array_namespace(X, P)
    X = _without_rounding(X, P)
    _, loss = clean_squared_l0(X, P, lam)
    corrupt = support_squared_l0(observed_residual(X, P), lam)
    return *_quadratic(X, H, xp.astype(~corrupt & ~xp.isnan(X), X.dtype)), loss


def step_length_squared_l1(X: Array, P: Array, target: Array, lam: float, tau: Array) -> Array:
    """Where between P (0) and target (1) each row's loss is least, when it rises towards the end.

    The loss is convex on the way, so its slope changes sign once: halve the interval around it.
    """
    xp = array_namespace(X, P)
    way = xp.where(xp.isnan(X), xp.zeros_like(P), target - P)
    low = xp.zeros(X.shape[0], dtype=widest(X), device=device(X))
    high = xp.ones_like(low)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        at = P + xp.astype(middle, P.dtype)[:, None] * way
        cleaned, _, tau = clean_squared_l1(X, at, lam, tau)
        falling = row_sum(xp, (cleaned - at) * way) > 0
        low, high = xp.where(falling, middle, low), xp.where(falling, high, middle)
    return low


def _without_rounding(X: Array, P: Array) -> Array:
    """X, but P where they differ by rounding only.

    In a row that is fitted exactly, rounding must not decide which entries count as large.
    """
    xp = array_namespace(X, P)
    return xp.where(xp.abs(X - P) <= rounding(P), P, X)


def _quadratic(X: Array, H: Array, entry_weight: Array) -> tuple[Array, Array]:
    """Q and c of Σ aᵢ(xᵢ − wHᵢ)² for a = entry_weight."""
    xp = array_namespace(X, H)
    k, m = H.shape
    X, H, a = (xp.astype(A, widest(X)) for A in (X, H, entry_weight))
    outer = xp.reshape(H[:, None, :] * H[None, :, :], (k * k, m))
    Q = xp.reshape(a @ outer.T, (X.shape[0], k, k))
    return Q, xp.where(a > 0, a * X, xp.zeros_like(X)) @ H.T
