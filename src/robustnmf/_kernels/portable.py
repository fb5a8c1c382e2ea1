"""The kernels in the array API: NumPy, PyTorch, CuPy, JAX, strict.

Shapes: a block has b rows (samples) of m features; k components.
X (b×m) holds NaN where an entry is missing, P = W H is the current prediction, and every function
returns new arrays. A missing entry behaves as if it had been predicted exactly: residual 0.
"""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

Array = Any


def observed_residual(X: Array, P: Array) -> Array:
    """X − P, and 0 where X is missing."""
    xp = array_namespace(X, P)
    R = X - P
    return xp.where(xp.isnan(X), xp.zeros_like(R), R)


# --- noise models ----------------------------------------------------------------------------


def clean_weighted(
    X: Array, P: Array, weights: Array | None, largest: float
) -> tuple[Array, Array]:
    """Cleaned rows P + q/q⁺·(X − P) and the loss Σ q(X − P)² of each row.

    q⁺ = largest is an upper bound of all weights; without weights q = q⁺ = 1.
    """
    xp = array_namespace(X, P)
    R = observed_residual(X, P)
    if weights is None:
        return P + R, _row_sum(xp, R * R)
    return P + weights / largest * R, _row_sum(xp, weights * R * R)


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
    return rows, _row_sum(xp, price[:, None] * gap * gap)


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
    loss = _row_sum(xp, xp.where(large, zero, R * R)) + _row_sum(
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
    return xp.sign(R) * xp.where(excess > _rounding(P), excess, xp.zeros_like(excess))


def noise_squared_l0(X: Array, P: Array, lam: float) -> Array:
    """E for λ‖e‖₀²: the whole residual where an entry is corrupt."""
    xp = array_namespace(X, P)
    R = observed_residual(X, P)
    support = support_squared_l0(R, lam) & (xp.abs(R) > _rounding(P))
    return xp.where(support, R, xp.zeros_like(R))


def clean_squared_l0(X: Array, P: Array, lam: float) -> tuple[Array, Array]:
    """Cleaned rows and the loss of each row for λ‖e‖₀²."""
    xp = array_namespace(X, P)
    R = observed_residual(X, P)
    corrupt = support_squared_l0(R, lam)
    kept = xp.where(corrupt, xp.zeros_like(R), R)
    count = _row_sum(xp, xp.astype(corrupt, R.dtype))
    return P + kept, _row_sum(xp, kept * kept) + lam * count * count


def support_squared_l0(R: Array, lam: float) -> Array:
    """Mark in each row the s largest residuals, for the s that minimises Σ rest² + λ s²."""
    xp = array_namespace(R)
    m = R.shape[1]
    squared = R * R
    ordered = xp.sort(squared, axis=1, descending=True)
    # The s-th entry pays for itself when its square exceeds λs² − λ(s−1)².
    price = lam * (2 * xp.arange(1, m + 1, dtype=R.dtype) - 1)
    s = xp.sum(xp.astype(ordered > price[None, :], xp.int64), axis=1)
    padded = xp.concat([xp.full((R.shape[0], 1), xp.inf, dtype=R.dtype), ordered], axis=1)
    smallest = xp.take_along_axis(padded, s[:, None], axis=1)
    above = squared > smallest
    tied = squared == smallest
    room = s - xp.sum(xp.astype(above, xp.int64), axis=1)
    # Of equal residuals only as many are taken as pay: the first ones.
    rank = xp.cumulative_sum(xp.astype(tied, xp.int64), axis=1)
    return above | (tied & (rank <= room[:, None]))


# --- the paper's rule ------------------------------------------------------------------------


def paper_rule(
    X: Array, P: Array, Ep: Array, En: Array, lam: float
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """One update of Ep and En by the paper's eq. 9, and what its W and H need.

    Returns new Ep and En, X + 2En and P + Ep + En (which times Hᵀ are the two sides of the rule for
    W), the cleaned rows X − Ep + En after the update, and the loss of each row before it. A missing
    entry takes part as its own prediction, without noise (EM).
    """
    xp = array_namespace(X, P)
    X = xp.where(xp.isnan(X), P, X)
    mass = Ep + En
    total = xp.sum(mass, axis=1)[:, None]
    R = X - P - Ep + En
    loss = _row_sum(xp, R * R) + lam * _row_sum(xp, mass) ** 2
    # What the matrices of eq. 9 come to, written out.
    cross, overlap = 2 * max(0.0, 1 - lam), 2 * min(1.0, lam)
    shared = P + mass + lam * total
    new_Ep = Ep * ratio(X + cross * En, shared - overlap * En)
    new_En = En * ratio(xp.maximum(2 * P + cross * Ep - X, xp.zeros_like(P)), shared - overlap * Ep)
    # The rule does not keep X − E ≥ 0. Lowering Ep to its bound does, and lowers f as well.
    new_Ep = xp.minimum(new_Ep, X + new_En)
    return new_Ep, new_En, X + 2 * En, P + mass, X - new_Ep + new_En, loss


def ratio(top: Array, bottom: Array) -> Array:
    """Top / bottom, and 1 where both vanish: what nothing pulls at stays as it is."""
    tiny = array_namespace(bottom).finfo(bottom.dtype).smallest_normal ** 0.5
    return (top + tiny) / (bottom + tiny)


# --- factors ---------------------------------------------------------------------------------


def sweep_rows(W: Array, gram: Array, cross: Array, sweeps: int) -> Array:
    """HALS: minimise ‖X̂ − W H‖² over one column of W ≥ 0 after another, `sweeps` times.

    gram = H Hᵀ (k×k) and cross = X̂ Hᵀ (b×k) are all that is needed of the data.
    """
    xp = array_namespace(W)
    W = xp.asarray(W, copy=True)
    zero = xp.zeros_like(W[:, 0])
    for _ in range(sweeps):
        for j in range(W.shape[1]):
            if float(gram[j, j]) > 0:
                gradient = W @ gram[:, j] - cross[:, j]
                W[:, j] = xp.maximum(W[:, j] - gradient / gram[j, j], zero)
    return W


# The next three describe a row's loss near the current point as wQwᵀ − 2cwᵀ + const, which is what
# it is until an entry changes sides: Q (b×k×k) is its curvature, c (b×k) its pull. In float64,
# because k×k systems are solved with them.


def quadratic_weighted(
    X: Array, P: Array, H: Array, weights: Array | None
) -> tuple[Array, Array, Array]:
    """Q, c and the loss of each row when each entry counts by its weight."""
    xp = array_namespace(X, P)
    _, loss = clean_weighted(X, P, weights, 1.0)
    seen = xp.astype(~xp.isnan(X), X.dtype)
    return *_quadratic(X, H, seen if weights is None else seen * weights), loss


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
    kappa = lam / (1 + lam * _row_sum(xp, xp.astype(large, xp.float64)))
    Q, c = _quadratic(X, H, xp.astype(~large & ~xp.isnan(X), X.dtype))
    g = xp.astype(sign, xp.float64) @ xp.astype(H, xp.float64).T
    total = _row_sum(xp, xp.where(large, sign * X, xp.zeros_like(R)))
    Q = Q + kappa[:, None, None] * g[:, :, None] * g[:, None, :]
    return Q, c + (kappa * total)[:, None] * g, loss, tau


def quadratic_squared_l0(X: Array, P: Array, H: Array, lam: float) -> tuple[Array, Array, Array]:
    """Q, c and the loss of each row for λ‖e‖₀²: corrupt entries do not count at all."""
    xp = array_namespace(X, P)
    X = _without_rounding(X, P)
    _, loss = clean_squared_l0(X, P, lam)
    corrupt = support_squared_l0(observed_residual(X, P), lam)
    return *_quadratic(X, H, xp.astype(~corrupt & ~xp.isnan(X), X.dtype)), loss


def exact_fit(eps: float) -> float:
    """How far, as a share of itself, a prediction may be off an entry that it fits exactly."""
    return 64 * (eps + RIDGE)


def step_length_squared_l1(X: Array, P: Array, target: Array, lam: float, tau: Array) -> Array:
    """Where between P (0) and target (1) each row's loss is least, when it rises towards the end.

    The loss is convex on the way, so its slope changes sign once: halve the interval around it.
    """
    xp = array_namespace(X, P)
    way = xp.where(xp.isnan(X), xp.zeros_like(P), target - P)
    low = xp.zeros(X.shape[0], dtype=xp.float64)
    high = xp.ones(X.shape[0], dtype=xp.float64)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        at = P + xp.astype(middle, P.dtype)[:, None] * way
        cleaned, _, tau = clean_squared_l1(X, at, lam, tau)
        falling = _row_sum(xp, (cleaned - at) * way) > 0
        low, high = xp.where(falling, middle, low), xp.where(falling, high, middle)
    return low


def _without_rounding(X: Array, P: Array) -> Array:
    """X, but P where they differ by rounding only.

    In a row that is fitted exactly, rounding must not decide which entries count as large.
    """
    xp = array_namespace(X, P)
    return xp.where(xp.abs(X - P) <= _rounding(P), P, X)


def _rounding(P: Array) -> Array:
    """How large a residual rounding alone can make: noise below it is not noise."""
    return exact_fit(array_namespace(P).finfo(P.dtype).eps) * P


def _quadratic(X: Array, H: Array, entry_weight: Array) -> tuple[Array, Array]:
    """Q and c of Σ aᵢ(xᵢ − wHᵢ)² for a = entry_weight."""
    xp = array_namespace(X, H)
    k, m = H.shape
    X, H, a = (xp.astype(A, xp.float64) for A in (X, H, entry_weight))
    outer = xp.reshape(H[:, None, :] * H[None, :, :], (k * k, m))
    Q = xp.reshape(a @ outer.T, (X.shape[0], k, k))
    return Q, xp.where(a > 0, a * X, xp.zeros_like(X)) @ H.T


def solve_quadratic_rows(Q: Array, c: Array) -> Array:
    """Minimise wQwᵀ − 2cwᵀ over w ≥ 0 for each row.

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


# Far below any curvature that matters, far above rounding.
RIDGE = 1e-12
# Halvings of an interval until it is as short as double precision can tell.
HALVINGS = 50
# Coordinate descent is slow on nearly dependent components; this bounds the portable path only.
MAX_SWEEPS = 5000


def _row_sum(xp: Any, A: Array) -> Array:
    # Sums in double precision: the objective must not rise by rounding in float32.
    return xp.sum(A, axis=1, dtype=xp.float64)
