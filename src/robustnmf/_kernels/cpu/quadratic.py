"""The loss of a row as the quadratic that it is near the current point."""

from __future__ import annotations

import numpy as np

from robustnmf._kernels.cpu.noise import (
    mark_support,
    support_scratch,
    threshold_row,
)
from robustnmf._kernels.jit import Array, inlined, jit
from robustnmf._kernels.shared import HALVINGS, exact_fit


def quadratic_weighted(
    X: Array, P: Array, H: Array, weights: Array | None
) -> tuple[Array, Array, Array]:
    """See `portable.quadratic_weighted`."""
    Q, c, loss = _quadratic_arrays(X, H)
    weights = X[:0] if weights is None else weights
    _quadratic_weighted(X, P, weights, _components(H), *_row_scratch(H), Q, c, loss)
    return Q, c, loss


def quadratic_filled(
    X: Array, P: Array, H: Array, corrupt: Array, share: float
) -> tuple[Array, Array]:
    """See `portable.quadratic_filled`."""
    (k, m), b = H.shape, len(X)
    wide = np.ascontiguousarray(H, dtype=np.float64)
    counted, Q = np.empty(X.shape), np.empty((b, k, k))
    scratch = np.empty(m, np.int64), np.empty((k, m)), np.empty(m)
    lengths = np.sum(wide * wide, axis=0)
    _quadratic_filled(X, P, wide, corrupt, share, wide @ wide.T, lengths, *scratch, counted, Q)
    return Q, counted @ wide.T


def quadratic_squared_l1(
    X: Array, P: Array, H: Array, lam: float, tau: Array
) -> tuple[Array, Array, Array, Array]:
    """See `portable.quadratic_squared_l1`."""
    Q, c, loss = _quadratic_arrays(X, H)
    tau = np.array(tau, dtype=P.dtype)
    exact = exact_fit(float(np.finfo(P.dtype).eps))
    scratch = (np.empty(P.shape[1], P.dtype), *_row_scratch(H))
    _quadratic_squared_l1(X, P, P.dtype.type(lam), tau, exact, _components(H), *scratch, Q, c, loss)
    return Q, c, loss, tau


def quadratic_squared_l0(X: Array, P: Array, H: Array, lam: float) -> tuple[Array, Array, Array]:
    """See `portable.quadratic_squared_l0`."""
    Q, c, loss = _quadratic_arrays(X, H)
    exact = exact_fit(float(np.finfo(P.dtype).eps))
    scratch = (*support_scratch(P), *_row_scratch(H))
    _quadratic_squared_l0(X, P, P.dtype.type(lam), exact, _components(H), *scratch, Q, c, loss)
    return Q, c, loss


def _components(H: Array) -> tuple[Array, Array, Array, Array, float]:
    """H, its transpose, H Hᵀ, the squared length of each column and their sum: all in float64."""
    H = np.ascontiguousarray(H, dtype=np.float64)
    lengths = np.sum(H * H, axis=0)
    return H, np.ascontiguousarray(H.T), H @ H.T, lengths, float(np.sum(lengths))


def _quadratic_arrays(X: Array, H: Array) -> tuple[Array, Array, Array]:
    b, k = len(X), len(H)
    return np.empty((b, k, k)), np.empty((b, k)), np.empty(b)


def _row_scratch(H: Array) -> tuple[Array, Array, Array]:
    """Room for a row's weighted values, for its weights, and for as many numbers as components."""
    k, m = H.shape
    return np.empty(m), np.empty(m), np.zeros(k)


@inlined
def _kept_residual(x, p, share, residual):
    """Write the residual of each observed entry that is more than a share of its prediction."""
    for j in range(x.shape[0]):
        r = x[j] - p[j]
        residual[j] = 0 if x[j] != x[j] or abs(r) <= share * p[j] else r


@inlined
def _weighted_sums(ax, a, dropped, model, g, kappa, signed, Q, c):
    """Q = Σ aⱼ hⱼᵀhⱼ + κ gᵀg and c = Σ aⱼ xⱼ hⱼ + κ·signed·g for weights a and values ax.

    `dropped` is the squared length of all columns of H, each times 1 − aⱼ.
    """
    H, HT, gram, _, length = model
    k, m = H.shape
    # Where most entries count fully, it is cheaper to begin with all and take the rest away. But
    # elsewhere what is left of a difference of nearly equal numbers is rounding.
    all_first = 2 * dropped <= length
    counted = 1.0 if all_first else 0.0
    for p in range(k):
        factor = kappa * g[p]
        for q in range(k):
            Q[p, q] = (gram[p, q] if all_first else 0.0) + factor * g[q]
        total = factor * signed
        for j in range(m):
            total += H[p, j] * ax[j]
        c[p] = total
    for j in range(m):
        if a[j] != counted:
            for p in range(k):
                factor = (a[j] - counted) * HT[j, p]
                for q in range(k):
                    Q[p, q] += factor * HT[j, q]


@jit
def _quadratic_weighted(X, P, weights, model, ax, a, g, Q, c, loss):
    lengths = model[3]
    weighted = weights.shape[0] > 0
    for i in range(X.shape[0]):
        total = 0.0
        dropped = 0.0
        for j in range(X.shape[1]):
            seen = X[i, j] == X[i, j]
            x = np.float64(X[i, j]) if seen else 0.0
            a[j] = (weights[i, j] if weighted else 1.0) if seen else 0.0
            ax[j] = a[j] * x
            r = x - P[i, j]
            total += a[j] * r * r
            dropped += (1 - a[j]) * lengths[j]
        _weighted_sums(ax, a, dropped, model, g, 0.0, 0.0, Q[i], c[i])
        loss[i] = total


@jit
def _quadratic_filled(X, P, H, corrupt, share, gram, lengths, chosen, picked, root, counted, Q):
    k, m = H.shape
    length = 0.0
    for j in range(m):
        length += lengths[j]
    for i in range(X.shape[0]):
        dropped = 0.0
        for j in range(m):
            seen = X[i, j] == X[i, j]
            filled = share * P[i, j] if seen else 0.0
            counted[i, j] = X[i, j] if seen and not corrupt[i, j] else filled
            weight = (share if corrupt[i, j] else 1.0) if seen else 0.0
            dropped += (1 - weight) * lengths[j]
        # As in `_weighted_sums`: from all, or from none.
        all_first = 2 * dropped <= length
        n = 0
        for j in range(m):
            seen = X[i, j] == X[i, j]
            weight = (share if corrupt[i, j] else 1.0) if seen else 0.0
            rest = 1 - weight if all_first else weight
            if rest > 0:
                chosen[n], root[n] = j, np.sqrt(rest)
                n += 1
        for a in range(k):
            for t in range(n):
                picked[a, t] = H[a, chosen[t]] * root[t]
            for b in range(a + 1):
                dot = 0.0
                for t in range(n):
                    dot += picked[a, t] * picked[b, t]
                dot = gram[a, b] - dot if all_first else dot
                Q[i, a, b], Q[i, b, a] = dot, dot


@jit
def _quadratic_squared_l1(X, P, lam, tau, exact, model, residual, ax, a, g, Q, c, loss):
    HT, lengths = model[1], model[3]
    m, k = HT.shape
    price = np.float64(lam)
    for i in range(X.shape[0]):
        _kept_residual(X[i], P[i], exact, residual)
        level = threshold_row(residual, lam, tau[i])
        for p in range(k):
            g[p] = 0.0
        count, signed, small, large, dropped = 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(m):
            r = np.float64(residual[j])
            a[j] = 0.0
            ax[j] = 0.0
            if abs(r) > level:
                sign = 1.0 if r > 0 else -1.0
                count += 1
                signed += sign * X[i, j]
                large += abs(r)
                for p in range(k):
                    g[p] += sign * HT[j, p]
            elif X[i, j] == X[i, j]:
                a[j] = 1.0
                ax[j] = X[i, j]
                small += r * r
            dropped += (1 - a[j]) * lengths[j]
        kappa = price / (1 + price * count)
        _weighted_sums(ax, a, dropped, model, g, kappa, signed, Q[i], c[i])
        tau[i] = level
        loss[i] = small + level * large


@jit
def _quadratic_squared_l0(
    X, P, lam, exact, model, residual, squared, band, support, ax, a, g, Q, c, loss
):
    lengths = model[3]
    m = X.shape[1]
    for i in range(X.shape[0]):
        _kept_residual(X[i], P[i], exact, residual)
        for j in range(m):
            squared[j] = residual[j] * residual[j]
        s = mark_support(squared, lam, band, support)
        total = 0.0
        dropped = 0.0
        for j in range(m):
            kept = X[i, j] == X[i, j] and not support[j]
            a[j] = 1.0 if kept else 0.0
            ax[j] = X[i, j] if kept else 0.0
            total += a[j] * squared[j]
            dropped += (1 - a[j]) * lengths[j]
        _weighted_sums(ax, a, dropped, model, g, 0.0, 0.0, Q[i], c[i])
        loss[i] = total + np.float64(lam) * s * s


def step_length_squared_l1(X: Array, P: Array, target: Array, lam: float, tau: Array) -> Array:
    """See `portable.step_length_squared_l1`."""
    length = np.empty(len(X))
    residual = np.empty(P.shape[1], P.dtype)
    _step_length_squared_l1(X, P, target, P.dtype.type(lam), tau, residual, length)
    return length


@jit
def _step_length_squared_l1(X, P, target, lam, tau, residual, length):
    m = X.shape[1]
    for i in range(X.shape[0]):
        low, high = 0.0, 1.0
        level = tau[i]
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            for j in range(m):
                r = X[i, j] - (P[i, j] + middle * (target[i, j] - P[i, j]))
                residual[j] = r if X[i, j] == X[i, j] else 0
            level = threshold_row(residual, lam, level)
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
