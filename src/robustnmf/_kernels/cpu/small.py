"""Small nonnegative least-squares problems, one for each row."""

from __future__ import annotations

import numpy as np

from robustnmf._kernels.cpu._jit import Array, jit
from robustnmf._kernels.shared import RIDGE


def solve_quadratic_rows(Q: Array, c: Array) -> Array:
    """See `portable.solve_quadratic_rows`; exact, by the active-set method of Lawson and Hanson.

    Always from w = 0: where several w are equally good, the way decides which is found.
    """
    W = np.zeros_like(c)
    _solve_quadratic_rows(Q, c, W)
    return W


@jit
def _solve_quadratic_rows(Q, c, W):
    k = c.shape[1]
    passive = np.empty(k, np.int64)
    factor = np.empty((k, k))
    z = np.empty(k)
    for i in range(c.shape[0]):
        _nonnegative_minimum(Q[i], c[i], W[i], passive, factor, z)


@jit
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
            break
        passive[n] = best
        n = _settle(Q, c, w, passive, n, n + 1, ridge, factor, z)
    # Once more in order: rounding then depends on who is passive, not on how it came to be.
    for a in range(1, n):
        if passive[a - 1] > passive[a]:
            passive[:n].sort()
            _settle(Q, c, w, passive, 0, n, ridge, factor, z)
            break


@jit
def _settle(Q, c, w, passive, factored, n, ridge, factor, z):
    """Move w to the minimum over its passive components, dropping those that hit zero.

    The first rows of the Cholesky factor, `factored` of them, are those of these components
    already.
    """
    while n > 0:
        _cholesky_solve(Q, c, passive, factored, n, ridge, factor, z)
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
        factored = n
        for a in range(n):
            j = passive[a]
            w[j] = max(w[j] + step * (z[a] - w[j]), 0.0)
            if a == blocking or (z[a] <= 0 and w[j] == 0):
                w[j] = 0.0
                factored = min(factored, a)
            else:
                passive[kept] = j
                kept += 1
        n = kept
    return n


@jit
def _cholesky_solve(Q, c, passive, factored, n, ridge, factor, z):
    for a in range(factored, n):
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
