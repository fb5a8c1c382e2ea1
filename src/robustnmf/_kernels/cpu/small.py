"""Small nonnegative least-squares problems, one for each row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robustnmf._kernels.jit import Array, inlined, jit
from robustnmf._kernels.shared import RIDGE

# A pivot below this share of the largest curvature belongs to components that are next to
# dependent.
SOUND = 1e-6


def solve_quadratic_rows(
    Q: Array, c: Array, guess: Array | None = None, wanted: NDArray[np.bool_] | None = None
) -> Array:
    """See `portable.solve_quadratic_rows`; exact, by the active-set method of Lawson and Hanson.

    From w = 0: where several w are equally good, the way decides which is found. The components
    that are positive in a guess are tried as they are. That they are right shows at once, and then
    the answer is that from w = 0 to the last digit. Where Q is next to singular, they count for
    nothing. Rows that are not wanted stay as they were guessed.
    """
    W = np.zeros_like(c) if guess is None else guess.astype(np.float64)
    wanted = np.ones(len(c), np.bool_) if wanted is None else wanted
    k = c.shape[1]
    passive, factor, z = np.empty(k, np.int64), np.empty((k, k)), np.empty(k)
    _solve_quadratic_rows(Q, c, W, wanted, passive, factor, z)
    return W


@inlined
def _cholesky_solve(Q, c, passive, factored, n, ridge, factor, z):
    """Solve for the passive components; `factored` rows of the factor are right already."""
    for a in range(factored, n):
        for b in range(a + 1):
            total = Q[passive[a], passive[b]]
            if a == b:
                total += ridge
            for p in range(b):
                total -= factor[a, p] * factor[b, p]
            if a == b:
                factor[a, a] = np.sqrt(total if total > ridge else ridge)
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


@inlined
def _sort(numbers, n):
    """Sort the first n numbers and return whether they were in order; they are few."""
    ordered = True
    for a in range(1, n):
        number, at = numbers[a], a
        while at > 0 and numbers[at - 1] > number:
            numbers[at] = numbers[at - 1]
            at -= 1
            ordered = False
        numbers[at] = number
    return ordered


@jit
def _solve_quadratic_rows(Q, c, W, wanted, passive, factor, z):
    """Minimise wQw − 2cw + ridge·w² over w ≥ 0 for each row that is wanted."""
    k = c.shape[1]
    turns = 10 * k + 10
    for i in range(c.shape[0]):
        if not wanted[i]:
            continue
        largest = 0.0
        force = 0.0
        for j in range(k):
            largest = Q[i, j, j] if Q[i, j, j] > largest else largest
            force = abs(c[i, j]) if abs(c[i, j]) > force else force
        ridge = RIDGE * largest
        n = 0
        for j in range(k):
            if W[i, j] > 0:
                passive[n] = j
                n += 1
        guessed, unsound = n > 0, False
        for turn in range(turns + 1):
            # The component whose growth would lower the loss most joins, until none would.
            best, steepest = -1, 1e-13 * force
            for j in range(k):
                if W[i, j] == 0 and Q[i, j, j] > 0:
                    slope = c[i, j]
                    for p in range(k):
                        slope -= Q[i, j, p] * W[i, p]
                    if slope > steepest:
                        best, steepest = j, slope
            first = guessed and turn == 0
            if guessed and not first and (unsound or best >= 0):
                # Somebody is missing, or should not be there.
                guessed, n = False, 0
                for j in range(k):
                    W[i, j] = 0.0
                continue
            last = not first and (best < 0 or turn == turns)
            if first:
                factored = 0
            elif last:
                # Once more in order: rounding then depends on who is passive, not on how it came
                # to be.
                if _sort(passive, n):
                    break
                factored = 0
            else:
                factored = n
                passive[n] = best
                n += 1
            # Move w to the minimum over its passive components, dropping those that hit zero.
            while n > 0:
                _cholesky_solve(Q[i], c[i], passive, factored, n, ridge, factor, z)
                step, blocking = 1.0, -1
                for a in range(n):
                    if factor[a, a] * factor[a, a] <= SOUND * largest:
                        unsound = True
                    if z[a] <= 0:
                        unsound = True
                        before = W[i, passive[a]]
                        reach = before / (before - z[a]) if before > z[a] else 0.0
                        if blocking < 0 or reach < step:
                            step, blocking = reach, a
                if first or blocking < 0:
                    for a in range(n):
                        W[i, passive[a]] = z[a]
                    break
                # Go as far towards z as w ≥ 0 allows. The component that stops the way always
                # leaves, so that rounding cannot make this loop endless.
                kept = 0
                factored = n
                for a in range(n):
                    j = passive[a]
                    new = W[i, j] + step * (z[a] - W[i, j])
                    W[i, j] = new if new > 0 else 0.0
                    if a == blocking or (z[a] <= 0 and W[i, j] == 0):
                        W[i, j] = 0.0
                        factored = a if a < factored else factored
                    else:
                        passive[kept] = j
                        kept += 1
                n = kept
            if last:
                break
