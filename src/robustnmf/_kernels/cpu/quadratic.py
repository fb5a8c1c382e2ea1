"""The loss of a row as the quadratic that it is near the current point."""

from __future__ import annotations

import numpy as np

from robustnmf._kernels.cpu._jit import Array, jit
from robustnmf._kernels.cpu.noise import (
    drop_rounding,
    residual_row,
    support_squared_l0,
    threshold_row,
)
from robustnmf._kernels.shared import HALVINGS, exact_fit


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


@jit
def _add_outer(Q, h, share):
    for p in range(h.shape[0]):
        factor = share * h[p]
        for q in range(h.shape[0]):
            Q[p, q] += factor * h[q]


@jit
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


@jit
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


@jit
def _quadratic_squared_l1(X, P, lam, tau, exact, model, Q, c, loss):
    m, k = model[1].shape
    residual = np.empty(m, X.dtype)
    known, weight, g = np.empty(m), np.empty(m), np.empty(k)
    price = np.float64(lam)
    for i in range(X.shape[0]):
        residual_row(X[i], P[i], residual)
        drop_rounding(P[i], residual, exact)
        level = threshold_row(residual, lam, tau[i])
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


@jit
def _quadratic_squared_l0(X, P, lam, exact, model, Q, c, loss):
    m = X.shape[1]
    residual = np.empty(m, X.dtype)
    squared = np.empty(m, X.dtype)
    support = np.empty(m, np.bool_)
    known, weight = np.empty(m), np.empty(m)
    for i in range(X.shape[0]):
        residual_row(X[i], P[i], residual)
        drop_rounding(P[i], residual, exact)
        for j in range(m):
            squared[j] = residual[j] * residual[j]
        s = support_squared_l0(squared, lam, support)
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


@jit
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
