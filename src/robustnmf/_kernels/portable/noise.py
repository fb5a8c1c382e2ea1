"""Noise models: residual, threshold, cleaned row and loss."""

from __future__ import annotations

from array_api_compat import array_namespace, device

from robustnmf._common.arrays import Array
from robustnmf._kernels.portable.sums import rounding, row_sum
from robustnmf._kernels.shared import observed_residual


def clean_weighted(
    X: Array, P: Array, weights: Array | None, largest: float
) -> tuple[Array, Array]:
    """Cleaned rows P + q/q⁺·(X − P) and the loss Σ q(X − P)² of each row.

    q⁺ = largest is an upper bound of all weights; without weights q = q⁺ = 1.
    """
    xp = array_namespace(X, P)
    R = observed_residual(X, P)
    if weights is None:
        return P + R, row_sum(xp, R * R)
    return P + weights / largest * R, row_sum(xp, weights * R * R)


def hold_missing(
    X: Array,
    cleaned: Array,
    weights: Array | None,
    levels: Array,
    profiles: Array,
    price: Array,
    largest: float,
) -> tuple[Array, Array]:
    """Cleaned rows with missing entries moved towards a guess, and what that adds to the loss.

    The guess is levels @ profiles. It counts `price` in each row where X is missing or has no
    weight; there the cleaned rows still are the prediction.
    """
    xp = array_namespace(X)
    missing = xp.isnan(X) if weights is None else xp.isnan(X) | (weights == 0)
    gap = xp.where(missing, xp.astype(levels @ profiles, X.dtype) - cleaned, xp.zeros_like(X))
    rows = cleaned + (price / largest)[:, None] * gap
    return rows, row_sum(xp, price[:, None] * gap * gap)


def clean_squared_l1(X: Array, P: Array, lam: float, tau: Array) -> tuple[Array, Array, Array]:
    """Cleaned rows, the loss of each row and its threshold, for λ‖e‖₁²; `tau` is a first guess."""
    xp = array_namespace(X, P)
    R = observed_residual(X, P)
    size = xp.abs(R)
    tau = threshold_squared_l1(size, lam, tau)
    level = tau[:, None]
    cleaned = P + xp.minimum(xp.maximum(R, -level), level)
    large = size > level
    zero = xp.zeros_like(size)
    # φ = Σ r² over the small residuals + τ·Σ|r| over the large: the same as with E written out,
    # but without the 1/λ that loses all digits when λ is tiny.
    loss = row_sum(xp, xp.where(large, zero, R * R)) + row_sum(
        xp, xp.where(large, level * size, zero)
    )
    return cleaned, loss, tau


def threshold_squared_l1(size: Array, lam: float, tau: Array) -> Array:
    """Solve τ = λ·S/(1 + λ·s) in each row, where s and S count and sum what lies above τ."""
    xp = array_namespace(size)
    first = True
    while True:
        large = size > tau[:, None]
        count = xp.sum(xp.astype(large, size.dtype), axis=1)
        total = xp.sum(xp.where(large, size, xp.zeros_like(size)), axis=1)
        new = lam * total / (1 + lam * count)
        # After one step τ is at or below the answer, and then it rises until the set above it
        # stays the same. Asking "does it still rise?" also ends where rounding empties the set.
        rising = new > tau
        if not first and not bool(xp.any(rising)):
            return tau
        tau = new if first else xp.where(rising, new, tau)
        first = False


def noise_squared_l1(X: Array, P: Array, lam: float) -> Array:
    """E for λ‖e‖₁²: what of the residual exceeds the threshold, if it is more than rounding."""
    xp = array_namespace(X, P)
    R = observed_residual(X, P)
    size = xp.abs(R)
    excess = size - threshold_squared_l1(size, lam, xp.zeros_like(size[:, 0]))[:, None]
    return xp.sign(R) * xp.where(excess > rounding(P), excess, xp.zeros_like(excess))


def noise_squared_l0(X: Array, P: Array, lam: float) -> Array:
    """E for λ‖e‖₀²: the whole residual where an entry is corrupt."""
    xp = array_namespace(X, P)
    R = observed_residual(X, P)
    support = support_squared_l0(R, lam) & (xp.abs(R) > rounding(P))
    return xp.where(support, R, xp.zeros_like(R))


def clean_squared_l0(X: Array, P: Array, lam: float) -> tuple[Array, Array]:
    """Cleaned rows and the loss of each row for λ‖e‖₀²."""
    xp = array_namespace(X, P)
    R = observed_residual(X, P)
    corrupt = support_squared_l0(R, lam)
    kept = xp.where(corrupt, xp.zeros_like(R), R)
    count = row_sum(xp, xp.astype(corrupt, R.dtype))
    return P + kept, row_sum(xp, kept * kept) + lam * count * count


def clean_truncated(X: Array, P: Array, limits: Array) -> tuple[Array, Array]:
    """Return X, with P for what is missing or beyond its limit, and the loss of each row."""
    xp = array_namespace(X, P)
    R = observed_residual(X, P)
    zero = xp.zeros_like(R)
    beyond = xp.abs(R) > limits
    kept, price = xp.where(beyond, zero, R), xp.where(beyond, limits, zero)
    return P + kept, row_sum(xp, kept * kept) + row_sum(xp, price * price)


def support_squared_l0(R: Array, lam: float) -> Array:
    """Mark in each row the s largest residuals, for the s that minimises Σ rest² + λ s²."""
    xp = array_namespace(R)
    m = R.shape[1]
    squared = R * R
    ordered = xp.sort(squared, axis=1, descending=True)
    # The s-th entry pays for itself when its square exceeds λs² − λ(s−1)².
    price = lam * (2 * xp.arange(1, m + 1, dtype=R.dtype, device=device(R)) - 1)
    s = xp.sum(xp.astype(ordered > price[None, :], xp.int64), axis=1)
    padded = xp.concat([xp.full_like(R[:, :1], xp.inf), ordered], axis=1)
    smallest = xp.take_along_axis(padded, s[:, None], axis=1)
    above = squared > smallest
    tied = squared == smallest
    room = s - xp.sum(xp.astype(above, xp.int64), axis=1)
    # Of equal residuals only as many are taken as pay: the first ones.
    rank = xp.cumulative_sum(xp.astype(tied, xp.int64), axis=1)
    return above | (tied & (rank <= room[:, None]))
