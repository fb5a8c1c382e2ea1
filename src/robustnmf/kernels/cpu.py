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


def clean_weighted(X: Array, P: Array, weights: Array | None) -> tuple[Array, Array]:
    """See `portable.clean_weighted`; overwrites P."""
    loss = np.empty(len(X))
    if weights is None:
        _clean_plain(X, P, loss)
    else:
        _clean_weighted(X, P, weights, loss)
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
            r = X[i, j] - P[i, j]
            if r == r:  # a missing entry keeps its prediction
                P[i, j] += r
                total += np.float64(r) * r
        loss[i] = total


@_jit
def _clean_weighted(X, P, weights, loss):
    for i in range(X.shape[0]):
        total = 0.0
        for j in range(X.shape[1]):
            r = X[i, j] - P[i, j]
            if r == r:
                P[i, j] += weights[i, j] * r
                total += np.float64(weights[i, j]) * r * r
        loss[i] = total


@_jit
def _residual_row(x, p, residual):
    for j in range(x.shape[0]):
        r = x[j] - p[j]
        residual[j] = r if r == r else 0


@_jit
def _drop_rounding(p, residual, share):
    for j in range(p.shape[0]):
        if abs(residual[j]) <= share * p[j]:
            residual[j] = 0


@_jit
def _threshold_row(residual, lam, level):
    one = residual.dtype.type(1)
    zero = residual.dtype.type(0)
    first = True
    while True:
        # Counted in floating point, so that count and sum share one SIMD width.
        count = zero
        total = zero
        for j in range(residual.shape[0]):
            size = abs(residual[j])
            count += one if size > level else zero
            total += size if size > level else zero
        new = lam * total / (one + lam * count)
        if new <= level and not first:
            return level
        first = False
        level = new


@_jit
def _clean_squared_l1(X, P, lam, tau, loss):
    m = X.shape[1]
    residual = np.empty(m, X.dtype)
    zero = X.dtype.type(0)
    for i in range(X.shape[0]):
        _residual_row(X[i], P[i], residual)
        level = _threshold_row(residual, lam, tau[i])
        small = 0.0
        large = 0.0
        for j in range(m):
            r = residual[j]
            size = abs(r)
            P[i, j] += min(max(r, -level), level)
            small += np.float64(zero if size > level else r) * r
            large += np.float64(size if size > level else zero)
        tau[i] = level
        loss[i] = small + level * large


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


# --- factors ---------------------------------------------------------------------------------


def sweep_rows(W: Array, gram: Array, cross: Array, sweeps: int) -> Array:
    """See `portable.sweep_rows`."""
    W = np.array(W, order="C")
    _sweep_rows(W, np.ascontiguousarray(gram), np.ascontiguousarray(cross), sweeps)
    return W


@_jit
def _sweep_rows(W, gram, cross, sweeps):
    k = W.shape[1]
    for i in range(W.shape[0]):
        w = W[i]
        b = cross[i]
        for _ in range(sweeps):
            moved = False
            for j in range(k):
                curvature = gram[j, j]
                if curvature > 0:
                    gradient = -b[j]
                    for p in range(k):
                        gradient += w[p] * gram[j, p]
                    new = max(w[j] - gradient / curvature, W.dtype.type(0))
                    moved = moved or new != w[j]
                    w[j] = new
            if not moved:
                break


def quadratic_weighted(
    X: Array, P: Array, H: Array, weights: Array | None
) -> tuple[Array, Array, Array]:
    """See `portable.quadratic_weighted`."""
    HT, gram, Q, c, loss = _quadratic_arrays(X, H)
    _quadratic_weighted(X, P, X[:0] if weights is None else weights, HT, gram, Q, c, loss)
    return Q, c, loss


def quadratic_squared_l1(
    X: Array, P: Array, H: Array, lam: float, tau: Array
) -> tuple[Array, Array, Array, Array]:
    """See `portable.quadratic_squared_l1`."""
    HT, gram, Q, c, loss = _quadratic_arrays(X, H)
    tau = np.array(tau, dtype=P.dtype)
    exact = exact_fit(float(np.finfo(P.dtype).eps))
    _quadratic_squared_l1(X, P, P.dtype.type(lam), tau, exact, HT, gram, Q, c, loss)
    return Q, c, loss, tau


def quadratic_squared_l0(X: Array, P: Array, H: Array, lam: float) -> tuple[Array, Array, Array]:
    """See `portable.quadratic_squared_l0`."""
    HT, gram, Q, c, loss = _quadratic_arrays(X, H)
    exact = exact_fit(float(np.finfo(P.dtype).eps))
    _quadratic_squared_l0(X, P, P.dtype.type(lam), exact, HT, gram, Q, c, loss)
    return Q, c, loss


def _quadratic_arrays(X: Array, H: Array) -> tuple[Array, Array, Array, Array, Array]:
    b, k = len(X), len(H)
    HT = np.ascontiguousarray(H.T, dtype=np.float64)
    return HT, HT.T @ HT, np.empty((b, k, k)), np.zeros((b, k)), np.empty(b)


@_jit
def _take_entry(Q, h, share):
    """Q −= share·hᵀh. Most entries count fully, so Q starts from all and loses the rest."""
    for p in range(h.shape[0]):
        factor = share * h[p]
        for q in range(h.shape[0]):
            Q[p, q] -= factor * h[q]


@_jit
def _pull_entry(c, h, amount):
    for p in range(h.shape[0]):
        c[p] += amount * h[p]


@_jit
def _quadratic_weighted(X, P, weights, HT, gram, Q, c, loss):
    weighted = weights.shape[0] > 0
    for i in range(X.shape[0]):
        Q[i] = gram
        total = 0.0
        for j in range(X.shape[1]):
            r = np.float64(X[i, j] - P[i, j])
            a = np.float64(weights[i, j]) if weighted else 1.0
            if r != r:
                a = 0.0
            if a > 0:
                total += a * r * r
                _pull_entry(c[i], HT[j], a * X[i, j])
            if a != 1:
                _take_entry(Q[i], HT[j], 1 - a)
        loss[i] = total


@_jit
def _quadratic_squared_l1(X, P, lam, tau, exact, HT, gram, Q, c, loss):
    m, k = HT.shape
    residual = np.empty(m, X.dtype)
    g = np.empty(k)
    for i in range(X.shape[0]):
        _residual_row(X[i], P[i], residual)
        _drop_rounding(P[i], residual, exact)
        level = _threshold_row(residual, lam, tau[i])
        Q[i] = gram
        g[:] = 0.0
        count, signed, small, large = 0.0, 0.0, 0.0, 0.0
        for j in range(m):
            x = np.float64(X[i, j])
            r = np.float64(residual[j])
            if abs(r) > level:
                sign = 1.0 if r > 0 else -1.0
                count += 1
                signed += sign * x
                large += abs(r)
                _pull_entry(g, HT[j], sign)
                _take_entry(Q[i], HT[j], 1.0)
            elif x == x:
                small += r * r
                _pull_entry(c[i], HT[j], x)
            else:
                _take_entry(Q[i], HT[j], 1.0)
        kappa = np.float64(lam) / (1 + np.float64(lam) * count)
        _pull_entry(c[i], g, kappa * signed)
        _take_entry(Q[i], g, -kappa)
        tau[i] = level
        loss[i] = small + level * large


@_jit
def _quadratic_squared_l0(X, P, lam, exact, HT, gram, Q, c, loss):
    m = X.shape[1]
    residual = np.empty(m, X.dtype)
    squared = np.empty(m, X.dtype)
    support = np.empty(m, np.bool_)
    for i in range(X.shape[0]):
        _residual_row(X[i], P[i], residual)
        _drop_rounding(P[i], residual, exact)
        for j in range(m):
            squared[j] = residual[j] * residual[j]
        s = _support_squared_l0(squared, lam, support)
        Q[i] = gram
        total = 0.0
        for j in range(m):
            x = np.float64(X[i, j])
            if support[j] or x != x:
                _take_entry(Q[i], HT[j], 1.0)
            else:
                total += np.float64(squared[j])
                _pull_entry(c[i], HT[j], x)
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
                residual[j] = r if r == r else 0
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


def solve_quadratic_rows(Q: Array, c: Array, W: Array) -> Array:
    """See `portable.solve_quadratic_rows`; exact, by the active-set method of Lawson and Hanson."""
    W = np.array(W, dtype=np.float64, order="C")
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
    """Minimise wQw − 2cw + ridge·w² over w ≥ 0 in place; w ≥ 0 is also the start."""
    k = c.shape[0]
    largest = 0.0
    force = 0.0
    for j in range(k):
        largest = max(largest, Q[j, j])
        force = max(force, abs(c[j]))
    if largest <= 0:
        w[:] = 0.0
        return
    ridge = RIDGE * largest
    n = 0
    for j in range(k):
        if w[j] > 0:
            passive[n] = j
            n += 1
    for _ in range(10 * k + 10):
        n = _settle(Q, c, w, passive, n, ridge, factor, z)
        # The component whose growth would lower the loss most joins, until none would.
        best, steepest = -1, 1e-13 * force
        for j in range(k):
            if w[j] == 0:
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
        n += 1


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
