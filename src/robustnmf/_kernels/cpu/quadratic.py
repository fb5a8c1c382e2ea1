"""The loss of a row as the quadratic that it is near the current point."""

from __future__ import annotations

import numpy as np

from robustnmf._kernels.cpu._jit import Array, inlined, jit
from robustnmf._kernels.cpu.noise import (
    drop_rounding,
    mark_support,
    residual_row,
    support_scratch,
    threshold_row,
)
from robustnmf._kernels.shared import HALVINGS, exact_fit


def quadratic_weighted(
    X: Array, P: Array, H: Array, weights: Array | None
) -> tuple[Array, Array, Array]:
    """See `portable.quadratic_weighted`."""
    model = _components(H)
    Q, c, loss = _quadratic_arrays(X, H)
    weights = X[:0] if weights is None else weights
    _quadratic_weighted(X, P, weights, model, *_row_scratch(H), Q, c, loss)
    return Q, c, loss


def quadratic_squared_l1(
    X: Array, P: Array, H: Array, lam: float, tau: Array
) -> tuple[Array, Array, Array, Array]:
    """See `portable.quadratic_squared_l1`."""
    model = _components(H)
    Q, c, loss = _quadratic_arrays(X, H)
    tau = np.array(tau, dtype=P.dtype)
    exact = exact_fit(float(np.finfo(P.dtype).eps))
    residual, g = np.empty(P.shape[1], P.dtype), np.empty(len(H))
    scratch = (residual, g, *_row_scratch(H))
    _quadratic_squared_l1(X, P, P.dtype.type(lam), tau, exact, model, *scratch, Q, c, loss)
    return Q, c, loss, tau


def quadratic_squared_l0(X: Array, P: Array, H: Array, lam: float) -> tuple[Array, Array, Array]:
    """See `portable.quadratic_squared_l0`."""
    model = _components(H)
    Q, c, loss = _quadratic_arrays(X, H)
    exact = exact_fit(float(np.finfo(P.dtype).eps))
    scratch = (*support_scratch(P), *_row_scratch(H))
    _quadratic_squared_l0(X, P, P.dtype.type(lam), exact, model, *scratch, Q, c, loss)
    return Q, c, loss


def _components(H: Array) -> tuple[Array, Array, Array, Array, float]:
    """H, its transpose, H Hᵀ, the squared length of each column and their sum: all in float64."""
    H = np.ascontiguousarray(H, dtype=np.float64)
    lengths = np.sum(H * H, axis=0)
    return H, np.ascontiguousarray(H.T), H @ H.T, lengths, float(np.sum(lengths))


def _quadratic_arrays(X: Array, H: Array) -> tuple[Array, Array, Array]:
    b, k = len(X), len(H)
    return np.empty((b, k, k)), np.empty((b, k)), np.empty(b)


def _row_scratch(H: Array) -> tuple[Array, Array]:
    """Room for the known values of a row and their weights."""
    return np.empty(H.shape[1]), np.empty(H.shape[1])


@inlined
def _weighted_sums(x, weight, model, Q, c):
    """Q = Σ aⱼ hⱼᵀhⱼ and c = Σ aⱼ xⱼ hⱼ for weights a; x is used up."""
    H, HT, gram, lengths, length = model
    k, m = H.shape
    dropped = 0.0
    for j in range(m):
        dropped += (1 - weight[j]) * lengths[j]
    # Where most entries count fully, it is cheaper to begin with all and take the rest away. But
    # elsewhere what is left of a difference of nearly equal numbers is rounding.
    all_first = 2 * dropped <= length
    counted = 1.0 if all_first else 0.0
    for p in range(k):
        for q in range(k):
            Q[p, q] = gram[p, q] if all_first else 0.0
    for j in range(m):
        if weight[j] != counted:
            for p in range(k):
                factor = (weight[j] - counted) * HT[j, p]
                for q in range(k):
                    Q[p, q] += factor * HT[j, q]
    for j in range(m):
        x[j] *= weight[j]
    for p in range(k):
        total = 0.0
        for j in range(m):
            total += H[p, j] * x[j]
        c[p] = total


@jit
def _quadratic_weighted(X, P, weights, model, known, weight, Q, c, loss):
    m = X.shape[1]
    weighted = weights.shape[0] > 0
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
def _quadratic_squared_l1(X, P, lam, tau, exact, model, residual, g, known, weight, Q, c, loss):
    HT = model[1]
    m, k = HT.shape
    price = np.float64(lam)
    for i in range(X.shape[0]):
        residual_row(X[i], P[i], residual)
        drop_rounding(P[i], residual, exact)
        level = threshold_row(residual, lam, tau[i])
        for p in range(k):
            g[p] = 0.0
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
                    g[p] += sign * HT[j, p]
            else:
                weight[j] = 1.0 if seen else 0.0
                small += r * r
        _weighted_sums(known, weight, model, Q[i], c[i])
        kappa = price / (1 + price * count)
        for p in range(k):
            factor = kappa * g[p]
            c[i, p] += factor * signed
            for q in range(k):
                Q[i, p, q] += factor * g[q]
        tau[i] = level
        loss[i] = small + level * large


@jit
def _quadratic_squared_l0(
    X, P, lam, exact, model, residual, squared, band, support, known, weight, Q, c, loss
):
    m = X.shape[1]
    for i in range(X.shape[0]):
        residual_row(X[i], P[i], residual)
        drop_rounding(P[i], residual, exact)
        for j in range(m):
            squared[j] = residual[j] * residual[j]
        s = mark_support(squared, lam, band, support)
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
