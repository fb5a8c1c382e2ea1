"""The kernels as fused Numba loops for NumPy arrays, float32 and float64.

Same names, signatures and results as `portable`, which explains the mathematics. Here a row is read
once, its residual stays in cache, and the GIL is released, so blocks can run on threads. P is
overwritten with the cleaned rows. Every row is computed by itself and in one fixed order: its
result is the same bit for bit whatever block or thread it falls into.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from robustnmf.kernels.portable import HALVINGS, RIDGE, exact_fit

Array = NDArray[np.floating]

# NaN marks a missing entry, so "no NaN" must not be among the assumptions of fast math.
_jit = njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"}, error_model="numpy")


# --- noise models ----------------------------------------------------------------------------


def clean_weighted(
    X: Array, P: Array, weights: Array | None, largest: float
) -> tuple[Array, Array]:
    """See `portable.clean_weighted`; overwrites P."""
    loss = np.empty(len(X))
    if weights is None:
        _clean_plain(X, P, loss)
    else:
        _clean_weighted(X, P, weights, P.dtype.type(1 / largest), loss)
    return P, loss


def clean_squared_l1(X: Array, P: Array, lam: float, tau: Array) -> tuple[Array, Array, Array]:
    """See `portable.clean_squared_l1`; overwrites P."""
    loss = np.empty(len(X))
    tau = np.array(tau, dtype=P.dtype)
    _clean_squared_l1(X, P, P.dtype.type(lam), tau, loss)
    return P, loss, tau


def clean_squared_l0(X: Array, P: Array, lam: float) -> tuple[Array, Array]:
    """See `portable.clean_squared_l0`; overwrites P."""
    loss = np.empty(len(X))
    _clean_squared_l0(X, P, P.dtype.type(lam), loss)
    return P, loss


@_jit
def _clean_plain(X, P, loss):
    for i in range(X.shape[0]):
        total = 0.0
        for j in range(X.shape[1]):
            if X[i, j] == X[i, j]:  # a missing entry keeps its prediction
                r = X[i, j] - P[i, j]
                P[i, j] += r
                total += np.float64(r) * r
        loss[i] = total


@_jit
def _clean_weighted(X, P, weights, reach, loss):
    for i in range(X.shape[0]):
        total = 0.0
        for j in range(X.shape[1]):
            if X[i, j] == X[i, j]:
                r = X[i, j] - P[i, j]
                P[i, j] += reach * weights[i, j] * r
                total += np.float64(weights[i, j]) * r * r
        loss[i] = total


@_jit
def _residual_row(x, p, residual):
    for j in range(x.shape[0]):
        residual[j] = x[j] - p[j] if x[j] == x[j] else 0


@_jit
def _drop_rounding(p, residual, share):
    for j in range(p.shape[0]):
        if abs(residual[j]) <= share * p[j]:
            residual[j] = 0


@_jit
def _next_threshold(residual, lam, level):
    # Written such that it runs in vectors: adding up where(size > level, size, 0) would not. What
    # sticks out above the level is summed instead; it is exactly 0 for all others.
    count = 0
    excess = residual.dtype.type(0)
    for j in range(residual.shape[0]):
        size = abs(residual[j])
        excess += size - (size if size < level else level)
        count += size > level
    number = residual.dtype.type(count)
    return lam * (excess + level * number) / (1 + lam * number)


@_jit
def _threshold_row(residual, lam, level):
    level = _next_threshold(residual, lam, level)
    while True:
        new = _next_threshold(residual, lam, level)
        if not new > level:  # also where a residual is no number
            return level
        level = new


@_jit
def _clean_squared_l1(X, P, lam, tau, loss):
    m = X.shape[1]
    residual = np.empty(m, X.dtype)
    for i in range(X.shape[0]):
        p = P[i]
        _residual_row(X[i], p, residual)
        level = _threshold_row(residual, lam, tau[i])
        total = 0.0
        for j in range(m):
            r = residual[j]
            clipped = r if r < level else level
            clipped = clipped if clipped > -level else -level
            p[j] += clipped
            # r² where the residual is small, τ|r| where it is large: both are this product.
            total += np.float64(clipped) * np.float64(r)
        tau[i] = level
        loss[i] = total


@_jit
def _count_above(squared, price):
    count = 0
    for j in range(squared.shape[0]):
        count += 1 if squared[j] > price else 0
    return count


@_jit
def _support_squared_l0(squared, lam, support):
    """Mark the s largest, for the largest s whose s-th entry exceeds its price λ(2s − 1)."""
    low, high = 0, squared.shape[0]
    while low < high:
        middle = (low + high + 1) // 2
        if _count_above(squared, lam * (2 * middle - 1)) >= middle:
            low = middle
        else:
            high = middle - 1
    s = low
    sure = lam * (2 * s + 1)
    need = s - _count_above(squared, sure)
    level = sure
    ties = 0
    if need > 0:
        # Between the price of the last one taken and that of the next lie the candidates.
        band = -np.sort(-squared[(squared > lam * (2 * s - 1)) & (squared <= sure)])
        level = band[need - 1]
        ties = need
        for value in band:
            if value > level:
                ties -= 1
    for j in range(squared.shape[0]):
        support[j] = squared[j] > level
        if need > 0 and squared[j] == level and ties > 0:
            support[j] = True
            ties -= 1
    return s


@_jit
def _clean_squared_l0(X, P, lam, loss):
    m = X.shape[1]
    residual = np.empty(m, X.dtype)
    squared = np.empty(m, X.dtype)
    support = np.empty(m, np.bool_)
    for i in range(X.shape[0]):
        _residual_row(X[i], P[i], residual)
        for j in range(m):
            squared[j] = residual[j] * residual[j]
        s = _support_squared_l0(squared, lam, support)
        total = 0.0
        for j in range(m):
            if not support[j]:
                P[i, j] += residual[j]
                total += np.float64(residual[j]) * residual[j]
        loss[i] = total + np.float64(lam) * s * s


# --- the paper's rule ------------------------------------------------------------------------


def paper_rule(
    X: Array, P: Array, Ep: Array, En: Array, lam: float
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """See `portable.paper_rule`; overwrites Ep and En."""
    top, cleaned, loss = np.empty_like(P), np.empty_like(P), np.empty(len(X))
    tiny = P.dtype.type(np.finfo(P.dtype).smallest_normal ** 0.5)
    _paper_rule(X, P, Ep, En, P.dtype.type(lam), tiny, top, cleaned, loss)
    return Ep, En, top, P, cleaned, loss


@_jit
def _paper_rule(X, P, Ep, En, lam, tiny, top, cleaned, loss):
    """P is overwritten with P + Ep + En."""
    m = X.shape[1]
    kind = X.dtype.type
    zero, one, two = kind(0), kind(1), kind(2)
    cross = two * max(zero, one - lam)
    overlap = two * min(one, lam)
    for i in range(X.shape[0]):
        mass = 0.0
        for j in range(m):
            mass += np.float64(Ep[i, j]) + np.float64(En[i, j])
        price = lam * kind(mass)
        total = 0.0
        for j in range(m):
            p, ep, en = P[i, j], Ep[i, j], En[i, j]
            x = X[i, j] if X[i, j] == X[i, j] else p
            r = np.float64(x - p - ep + en)
            total += r * r
            both = p + ep + en
            shared = both + price
            pull = two * p + cross * ep - x
            pull = pull if pull > zero else zero
            new_en = en * ((pull + tiny) / (shared - overlap * ep + tiny))
            new_ep = ep * ((x + cross * en + tiny) / (shared - overlap * en + tiny))
            new_ep = new_ep if new_ep < x + new_en else x + new_en
            top[i, j] = x + two * en
            P[i, j] = both
            Ep[i, j], En[i, j] = new_ep, new_en
            cleaned[i, j] = x - new_ep + new_en
        loss[i] = total + np.float64(lam) * mass * mass


# --- factors ---------------------------------------------------------------------------------


def sweep_rows(W: Array, gram: Array, cross: Array, sweeps: int) -> Array:
    """See `portable.sweep_rows`."""
    W = np.array(W, order="C")
    _sweep_rows(W, np.ascontiguousarray(gram), np.ascontiguousarray(cross), sweeps)
    return W


@_jit
def _sweep_rows(W, gram, cross, sweeps):
    k = W.shape[1]
    zero = W.dtype.type(0)
    gradient = np.empty(k, W.dtype)
    inverse = np.zeros(k, W.dtype)
    for j in range(k):
        if gram[j, j] > 0:
            inverse[j] = 1 / gram[j, j]
    for i in range(W.shape[0]):
        w = W[i]
        for j in range(k):
            gradient[j] = -cross[i, j]
        for p in range(k):
            for j in range(k):
                gradient[j] += w[p] * gram[p, j]
        for _ in range(sweeps):
            moved = False
            for j in range(k):
                new = w[j] - gradient[j] * inverse[j]
                new = new if new > zero else zero
                step = new - w[j]
                # Many weights are zero and stay so. The gradient is kept up to date instead of
                # being computed anew for each component: that runs in vectors.
                if step != zero:
                    moved = True
                    w[j] = new
                    for p in range(k):
                        gradient[p] += step * gram[j, p]
            if not moved:
                break


def quadratic_weighted(
    X: Array, P: Array, H: Array, weights: Array | None
) -> tuple[Array, Array, Array]:
    """See `portable.quadratic_weighted`."""
    model = _components(H)
    Q, c, loss = _quadratic_arrays(X, H)
    _quadratic_weighted(X, P, X[:0] if weights is None else weights, model, Q, c, loss)
    return Q, c, loss


def quadratic_squared_l1(
    X: Array, P: Array, H: Array, lam: float, tau: Array
) -> tuple[Array, Array, Array, Array]:
    """See `portable.quadratic_squared_l1`."""
    model = _components(H)
    Q, c, loss = _quadratic_arrays(X, H)
    tau = np.array(tau, dtype=P.dtype)
    exact = exact_fit(float(np.finfo(P.dtype).eps))
    _quadratic_squared_l1(X, P, P.dtype.type(lam), tau, exact, model, Q, c, loss)
    return Q, c, loss, tau


def quadratic_squared_l0(X: Array, P: Array, H: Array, lam: float) -> tuple[Array, Array, Array]:
    """See `portable.quadratic_squared_l0`."""
    model = _components(H)
    Q, c, loss = _quadratic_arrays(X, H)
    exact = exact_fit(float(np.finfo(P.dtype).eps))
    _quadratic_squared_l0(X, P, P.dtype.type(lam), exact, model, Q, c, loss)
    return Q, c, loss


def _components(H: Array) -> tuple[Array, Array, Array, Array]:
    """H, its transpose, H Hᵀ and the squared length of each column: all in float64."""
    H = np.ascontiguousarray(H, dtype=np.float64)
    return H, np.ascontiguousarray(H.T), H @ H.T, np.sum(H * H, axis=0)


def _quadratic_arrays(X: Array, H: Array) -> tuple[Array, Array, Array]:
    b, k = len(X), len(H)
    return np.empty((b, k, k)), np.empty((b, k)), np.empty(b)


@_jit
def _add_outer(Q, h, share):
    for p in range(h.shape[0]):
        factor = share * h[p]
        for q in range(h.shape[0]):
            Q[p, q] += factor * h[q]


@_jit
def _weighted_sums(x, weight, model, Q, c):
    """Q = Σ aⱼ hⱼᵀhⱼ and c = Σ aⱼ xⱼ hⱼ for weights a; x is used up."""
    H, HT, gram, lengths = model
    k, m = H.shape
    dropped = 0.0
    for j in range(m):
        dropped += (1 - weight[j]) * lengths[j]
    if 2 * dropped <= np.sum(lengths):
        # Most entries count fully, so it is cheaper to begin with all and take the rest away.
        Q[:] = gram
        for j in range(m):
            if weight[j] != 1:
                _add_outer(Q, HT[j], weight[j] - 1)
    else:
        # But what is left of a difference of nearly equal numbers is rounding.
        Q[:] = 0.0
        for j in range(m):
            if weight[j] != 0:
                _add_outer(Q, HT[j], weight[j])
    for j in range(m):
        x[j] *= weight[j]
    for p in range(k):
        total = 0.0
        for j in range(m):
            total += H[p, j] * x[j]
        c[p] = total


@_jit
def _quadratic_weighted(X, P, weights, model, Q, c, loss):
    m = X.shape[1]
    weighted = weights.shape[0] > 0
    known, weight = np.empty(m), np.empty(m)
    for i in range(X.shape[0]):
        total = 0.0
        for j in range(m):
            seen = X[i, j] == X[i, j]
            known[j] = X[i, j] if seen else 0.0
            weight[j] = (weights[i, j] if weighted else 1.0) if seen else 0.0
            r = known[j] - P[i, j]
            total += weight[j] * r * r
        _weighted_sums(known, weight, model, Q[i], c[i])
        loss[i] = total


@_jit
def _quadratic_squared_l1(X, P, lam, tau, exact, model, Q, c, loss):
    m, k = model[1].shape
    residual = np.empty(m, X.dtype)
    known, weight, g = np.empty(m), np.empty(m), np.empty(k)
    price = np.float64(lam)
    for i in range(X.shape[0]):
        _residual_row(X[i], P[i], residual)
        _drop_rounding(P[i], residual, exact)
        level = _threshold_row(residual, lam, tau[i])
        g[:] = 0.0
        count, signed, small, large = 0.0, 0.0, 0.0, 0.0
        for j in range(m):
            r = np.float64(residual[j])
            seen = X[i, j] == X[i, j]
            known[j] = X[i, j] if seen else 0.0
            if abs(r) > level:
                sign = 1.0 if r > 0 else -1.0
                count += 1
                signed += sign * known[j]
                large += abs(r)
                weight[j] = 0.0
                for p in range(k):
                    g[p] += sign * model[1][j, p]
            else:
                weight[j] = 1.0 if seen else 0.0
                small += r * r
        _weighted_sums(known, weight, model, Q[i], c[i])
        kappa = price / (1 + price * count)
        for p in range(k):
            c[i, p] += kappa * signed * g[p]
        _add_outer(Q[i], g, kappa)
        tau[i] = level
        loss[i] = small + level * large


@_jit
def _quadratic_squared_l0(X, P, lam, exact, model, Q, c, loss):
    m = X.shape[1]
    residual = np.empty(m, X.dtype)
    squared = np.empty(m, X.dtype)
    support = np.empty(m, np.bool_)
    known, weight = np.empty(m), np.empty(m)
    for i in range(X.shape[0]):
        _residual_row(X[i], P[i], residual)
        _drop_rounding(P[i], residual, exact)
        for j in range(m):
            squared[j] = residual[j] * residual[j]
        s = _support_squared_l0(squared, lam, support)
        total = 0.0
        for j in range(m):
            seen = X[i, j] == X[i, j]
            known[j] = X[i, j] if seen else 0.0
            weight[j] = 1.0 if seen and not support[j] else 0.0
            total += weight[j] * squared[j]
        _weighted_sums(known, weight, model, Q[i], c[i])
        loss[i] = total + np.float64(lam) * s * s


def step_length_squared_l1(X: Array, P: Array, target: Array, lam: float, tau: Array) -> Array:
    """See `portable.step_length_squared_l1`."""
    length = np.empty(len(X))
    _step_length_squared_l1(X, P, target, P.dtype.type(lam), tau, length)
    return length


@_jit
def _step_length_squared_l1(X, P, target, lam, tau, length):
    m = X.shape[1]
    residual = np.empty(m, X.dtype)
    for i in range(X.shape[0]):
        low, high = 0.0, 1.0
        level = tau[i]
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            for j in range(m):
                r = X[i, j] - (P[i, j] + middle * (target[i, j] - P[i, j]))
                residual[j] = r if X[i, j] == X[i, j] else 0
            level = _threshold_row(residual, lam, level)
            slope = 0.0
            for j in range(m):
                # A missing entry's residual is 0, so its way does not count.
                clipped = np.float64(min(max(residual[j], -level), level))
                slope += clipped * (target[i, j] - P[i, j])
            if slope > 0:
                low = middle
            else:
                high = middle
        length[i] = low


def solve_quadratic_rows(Q: Array, c: Array) -> Array:
    """See `portable.solve_quadratic_rows`; exact, by the active-set method of Lawson and Hanson.

    Always from w = 0: where several w are equally good, the way decides which is found.
    """
    W = np.zeros_like(c)
    _solve_quadratic_rows(Q, c, W)
    return W


@_jit
def _solve_quadratic_rows(Q, c, W):
    k = c.shape[1]
    passive = np.empty(k, np.int64)
    factor = np.empty((k, k))
    z = np.empty(k)
    for i in range(c.shape[0]):
        _nonnegative_minimum(Q[i], c[i], W[i], passive, factor, z)


@_jit
def _nonnegative_minimum(Q, c, w, passive, factor, z):
    """Minimise wQw − 2cw + ridge·w² over w ≥ 0 in place, from w = 0."""
    k = c.shape[0]
    largest = 0.0
    force = 0.0
    for j in range(k):
        largest = max(largest, Q[j, j])
        force = max(force, abs(c[j]))
    ridge = RIDGE * largest
    n = 0
    for _ in range(10 * k + 10):
        # The component whose growth would lower the loss most joins, until none would.
        best, steepest = -1, 1e-13 * force
        for j in range(k):
            if w[j] == 0 and Q[j, j] > 0:
                slope = c[j]
                for p in range(k):
                    slope -= Q[j, p] * w[p]
                if slope > steepest:
                    best, steepest = j, slope
        if best < 0:
            return
        # In ascending order: rounding then depends on who is passive, not on how it came to be.
        place = n
        while place > 0 and passive[place - 1] > best:
            passive[place] = passive[place - 1]
            place -= 1
        passive[place] = best
        n = _settle(Q, c, w, passive, n + 1, ridge, factor, z)


@_jit
def _settle(Q, c, w, passive, n, ridge, factor, z):
    """Move w to the minimum over its passive components, dropping those that hit zero."""
    while n > 0:
        _cholesky_solve(Q, c, passive, n, ridge, factor, z)
        step, blocking = 1.0, -1
        for a in range(n):
            if z[a] <= 0:
                before = w[passive[a]]
                reach = before / (before - z[a]) if before > z[a] else 0.0
                if blocking < 0 or reach < step:
                    step, blocking = reach, a
        if blocking < 0:
            for a in range(n):
                w[passive[a]] = z[a]
            return n
        # Go as far towards z as w ≥ 0 allows. The component that stops the way always leaves, so
        # that rounding cannot make this loop endless.
        kept = 0
        for a in range(n):
            j = passive[a]
            w[j] = max(w[j] + step * (z[a] - w[j]), 0.0)
            if a == blocking or (z[a] <= 0 and w[j] == 0):
                w[j] = 0.0
            else:
                passive[kept] = j
                kept += 1
        n = kept
    return n


@_jit
def _cholesky_solve(Q, c, passive, n, ridge, factor, z):
    for a in range(n):
        for b in range(a + 1):
            total = Q[passive[a], passive[b]]
            if a == b:
                total += ridge
            for p in range(b):
                total -= factor[a, p] * factor[b, p]
            if a == b:
                factor[a, a] = np.sqrt(max(total, ridge))
            else:
                factor[a, b] = total / factor[b, b]
    for a in range(n):
        total = c[passive[a]]
        for p in range(a):
            total -= factor[a, p] * z[p]
        z[a] = total / factor[a, a]
    for a in range(n - 1, -1, -1):
        total = z[a]
        for p in range(a + 1, n):
            total -= factor[p, a] * z[p]
        z[a] = total / factor[a, a]
