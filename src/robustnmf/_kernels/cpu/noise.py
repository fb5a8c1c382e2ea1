"""Noise models: residual, threshold, cleaned row and loss in one go."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robustnmf._kernels.jit import Array, helper, inlined, jit
from robustnmf._kernels.shared import exact_fit


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


def hold_missing(
    X: Array,
    cleaned: Array,
    weights: Array | None,
    levels: Array,
    profiles: Array,
    price: Array,
    largest: float,
) -> tuple[Array, Array]:
    """See `portable.hold_missing`; overwrites `cleaned`."""
    loss = np.empty(len(X))
    levels, profiles = (np.ascontiguousarray(A, dtype=X.dtype) for A in (levels, profiles))
    # One component is by far the most frequent guess; others are multiplied out by BLAS.
    thin = len(profiles) == 1
    level, guess = (levels[:, 0], profiles) if thin else (price, levels @ profiles)
    reach = X.dtype.type(1 / largest)
    q = X[:0] if weights is None else weights
    _hold_missing(X, cleaned, q, thin, level, guess, price, reach, loss)
    return cleaned, loss


def clean_squared_l1(X: Array, P: Array, lam: float, tau: Array) -> tuple[Array, Array, Array]:
    """See `portable.clean_squared_l1`; overwrites P."""
    loss = np.empty(len(X))
    tau = np.array(tau, dtype=P.dtype)
    _clean_squared_l1(X, P, P.dtype.type(lam), tau, np.empty(P.shape[1], P.dtype), loss)
    return P, loss, tau


def clean_squared_l0(X: Array, P: Array, lam: float) -> tuple[Array, Array]:
    """See `portable.clean_squared_l0`; overwrites P."""
    loss = np.empty(len(X))
    _clean_squared_l0(X, P, P.dtype.type(lam), *support_scratch(P), loss)
    return P, loss


def noise_squared_l1(X: Array, P: Array, lam: float) -> Array:
    """See `portable.noise_squared_l1`."""
    E = np.empty_like(P)
    _noise_squared_l1(X, P, P.dtype.type(lam), _exact(P), E)
    return E


def noise_squared_l0(X: Array, P: Array, lam: float) -> Array:
    """See `portable.noise_squared_l0`."""
    E = np.empty_like(P)
    _, squared, band, support = support_scratch(P)
    _noise_squared_l0(X, P, P.dtype.type(lam), _exact(P), squared, band, support, E)
    return E


def support_scratch(P: Array) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """Room for a row's residual, its squares, and what `mark_support` needs and answers."""
    m = P.shape[1]
    residual, squared, band = (np.empty(m, P.dtype) for _ in range(3))
    return residual, squared, band, np.empty(m, np.bool_)


def _exact(P: Array) -> np.floating:
    return P.dtype.type(exact_fit(float(np.finfo(P.dtype).eps)))


@jit
def _clean_plain(X, P, loss):
    for i in range(X.shape[0]):
        total = 0.0
        for j in range(X.shape[1]):
            if X[i, j] == X[i, j]:  # a missing entry keeps its prediction
                r = X[i, j] - P[i, j]
                P[i, j] += r
                total += np.float64(r) * r
        loss[i] = total


@jit
def _clean_weighted(X, P, weights, reach, loss):
    for i in range(X.shape[0]):
        total = 0.0
        for j in range(X.shape[1]):
            if X[i, j] == X[i, j]:
                r = X[i, j] - P[i, j]
                P[i, j] += reach * weights[i, j] * r
                total += np.float64(weights[i, j]) * r * r
        loss[i] = total


@jit
def _hold_missing(X, cleaned, weights, thin, level, guess, price, reach, loss):
    weighted = weights.shape[0] > 0
    for i in range(X.shape[0]):
        total = 0.0
        step = reach * price[i]
        for j in range(X.shape[1]):
            if X[i, j] != X[i, j] or (weighted and weights[i, j] == 0):
                target = level[i] * guess[0, j] if thin else guess[i, j]
                gap = target - cleaned[i, j]
                cleaned[i, j] += step * gap
                total += np.float64(gap) * gap
        loss[i] = np.float64(price[i]) * total


@helper
def residual_row(x, p, residual):
    """See `portable.observed_residual`."""
    for j in range(x.shape[0]):
        residual[j] = x[j] - p[j] if x[j] == x[j] else 0


@helper
def threshold_row(residual, lam, level):
    """See `portable.threshold_squared_l1`."""
    # A plain 1 would turn all of this, and whoever compares with the result, into float64.
    one = residual.dtype.type(1)
    first = True
    while True:
        # Written such that it runs in vectors: adding up where(size > level, size, 0) would not.
        # What sticks out above the level is summed instead; it is exactly 0 for all others.
        count = 0
        excess = residual.dtype.type(0)
        for j in range(residual.shape[0]):
            size = abs(residual[j])
            excess += size - (size if size < level else level)
            count += size > level
        number = residual.dtype.type(count)
        new = lam * (excess + level * number) / (one + lam * number)
        # After one step it is at or below the answer, and rises. Also where a residual is no
        # number this ends.
        if not first and not new > level:
            return level
        first, level = False, new


@inlined
def clean_row_squared_l1(x, p, lam, level, residual):
    """Overwrite the prediction p of a row with the cleaned row; return its threshold and loss."""
    residual_row(x, p, residual)
    level = threshold_row(residual, lam, level)
    total = 0.0
    for j in range(x.shape[0]):
        r = residual[j]
        clipped = r if r < level else level
        clipped = clipped if clipped > -level else -level
        p[j] += clipped
        # r² where the residual is small, τ|r| where it is large: both are this product.
        total += np.float64(clipped * r)
    return level, total


@jit
def _clean_squared_l1(X, P, lam, tau, residual, loss):
    for i in range(X.shape[0]):
        tau[i], loss[i] = clean_row_squared_l1(X[i], P[i], lam, tau[i], residual)


@inlined
def clean_row_truncated(x, p, limits):
    """Do the same for entries that have limits of their own; return the loss."""
    total = 0.0
    for j in range(x.shape[0]):
        r, limit = x[j] - p[j], limits[j]
        # A missing entry is NaN, and fails both comparisons.
        within, beyond = abs(r) <= limit, abs(r) > limit
        p[j] = x[j] if within else p[j]
        cost = r if within else (limit if beyond else p.dtype.type(0))
        total += np.float64(cost) * cost
    return total


@inlined
def room_of_bits(bits, room):
    """Write the limits of entries that do not count where their bit is set, a number for each."""
    for b in range(bits.shape[0]):
        byte = np.uint32(bits[b])
        for t in range(8):
            room[8 * b + t] = 0 if byte & (128 >> t) else np.inf


@jit
def _noise_squared_l1(X, P, lam, exact, E):
    zero = E.dtype.type(0)
    for i in range(X.shape[0]):
        e = E[i]
        residual_row(X[i], P[i], e)
        level = threshold_row(e, lam, zero)
        for j in range(e.shape[0]):
            excess = abs(e[j]) - level
            if excess > exact * P[i, j]:
                e[j] = excess if e[j] > zero else -excess
            else:
                e[j] = zero


@helper
def mark_support(squared, lam, band, support):
    """Mark the s largest, for the largest s whose s-th entry exceeds its price λ(2s − 1).

    Returns s. `band` is room for as many numbers.
    """
    m = squared.shape[0]
    low, high = 0, m
    while low < high:
        middle = (low + high + 1) // 2
        price = lam * (2 * middle - 1)
        count = 0
        for j in range(m):
            count += 1 if squared[j] > price else 0
        if count >= middle:
            low = middle
        else:
            high = middle - 1
    level = lam * (2 * low + 1)
    ties = low
    for j in range(m):
        ties -= 1 if squared[j] > level else 0
    if ties > 0:
        # Between the price of the last one taken and that of the next lie the candidates.
        price, n = lam * (2 * low - 1), 0
        for j in range(m):
            if price < squared[j] <= level:
                band[n] = squared[j]
                n += 1
        level = _select(band, n, ties - 1)
        for a in range(n):
            ties -= 1 if band[a] > level else 0
    for j in range(m):
        support[j] = squared[j] > level
    if ties > 0:
        for j in range(m):
            if ties > 0 and squared[j] == level:
                support[j] = True
                ties -= 1
    return low


@inlined
def _select(values, n, rank):
    """Return which of the first n values comes at this rank from the largest, by Hoare's method."""
    first, last = 0, n - 1
    while first < last:
        pivot = values[(first + last) // 2]
        a, b = first, last
        while a <= b:
            while values[a] > pivot:
                a += 1
            while values[b] < pivot:
                b -= 1
            if a <= b:
                values[a], values[b] = values[b], values[a]
                a += 1
                b -= 1
        if rank <= b:
            last = b
        elif rank >= a:
            first = a
        else:
            break
    return values[rank]


@jit
def _clean_squared_l0(X, P, lam, residual, squared, band, support, loss):
    m = X.shape[1]
    for i in range(X.shape[0]):
        residual_row(X[i], P[i], residual)
        for j in range(m):
            squared[j] = residual[j] * residual[j]
        s = mark_support(squared, lam, band, support)
        total = 0.0
        for j in range(m):
            if not support[j]:
                P[i, j] += residual[j]
                total += np.float64(residual[j]) * residual[j]
        loss[i] = total + np.float64(lam) * s * s


@jit
def _noise_squared_l0(X, P, lam, exact, squared, band, support, E):
    zero = E.dtype.type(0)
    for i in range(X.shape[0]):
        e = E[i]
        residual_row(X[i], P[i], e)
        for j in range(e.shape[0]):
            squared[j] = e[j] * e[j]
        mark_support(squared, lam, band, support)
        for j in range(e.shape[0]):
            if not (support[j] and abs(e[j]) > exact * P[i, j]):
                e[j] = zero
