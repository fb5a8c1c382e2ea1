"""Each row solved to its optimum, given H: the steps of Newton's method for a block of rows."""

from __future__ import annotations

import numpy as np

from robustnmf._kernels.cpu.noise import threshold_row
from robustnmf._kernels.cpu.quadratic import step_length_squared_l1
from robustnmf._kernels.cpu.small import solve_quadratic_rows
from robustnmf._kernels.jit import Array, inlined, jit
from robustnmf._kernels.shared import MAX_STEPS, exact_fit, tolerance

# What becomes of a row after a look at its trial point.
DONE, STEP, SHORTEN = 0, 1, 2


def solve_squared_l1(X: Array, H: Array, lam: float, start: Array | None) -> Array:
    """See `portable.solve_squared_l1`."""
    (k, m), b, dtype = H.shape, len(X), X.dtype
    H = np.ascontiguousarray(H)
    wide = H.astype(np.float64, copy=False)
    lengths = np.sum(wide * wide, axis=0)
    components = (H, wide, wide @ wide.T, lengths, float(lengths.sum()))
    eps = float(np.finfo(dtype).eps)
    numbers = (dtype.type(lam), exact_fit(eps), tolerance(eps))
    trial = np.zeros((b, k)) if start is None else start.astype(np.float64)
    best, best_loss, tau = np.zeros((b, k)), np.full(b, np.inf), np.zeros(b, dtype)
    # Without a start the first piece is that in which no entry is large.
    fate, side = np.full(b, STEP, np.int8), np.zeros((b, m), np.int8)
    Q, c = np.empty((b, k, k)), np.empty((b, k))
    scratch = (*np.empty((2, m), dtype), np.empty(m, np.int64), np.empty((k, m)), np.empty(k))
    for step in range(MAX_STEPS):
        cold = start is None and step == 0
        _take_stock(
            *(X, *components, *numbers, cold),
            *(trial, best, best_loss, tau, fate, side, Q, c),
            *scratch,
        )
        if not fate.any():
            break
        rows = np.flatnonzero(fate == SHORTEN)
        if len(rows):
            # The step overshot: go only as far as the loss falls.
            ends = (A[rows].astype(dtype) @ H for A in (best, trial))
            reach = step_length_squared_l1(X[rows], *ends, lam, tau[rows])
            trial[rows] = best[rows] + reach[:, None] * (trial[rows] - best[rows])
        trial = solve_quadratic_rows(Q, c, trial, fate == STEP)
    return best.astype(dtype)


@inlined
def _predict(w, H, p):
    """Write p = wH, in the precision of H."""
    k, m = H.shape
    for j in range(m):
        p[j] = 0
    for q in range(0, k, 2):
        # The last one of an odd number comes twice, of which one does not count.
        other = q + 1 if q + 1 < k else q
        a, b = H.dtype.type(w[q]), H.dtype.type(w[other] if other > q else 0.0)
        for j in range(m):
            p[j] += a * H[q, j] + b * H[other, j]


@inlined
def _quadratic(x, H, gram, outside, n_out, side, all_first, kappa, clean, picked, g, Q, c):
    """Q and c of the piece that `side` says: 0 for entries that count squared, ±1 for large ones.

    `outside` lists the entries that do not count squared, large or missing; where they are not to
    be taken away from all, it goes on with those that do.
    """
    k, m = H.shape
    first, n = (0, n_out) if all_first else (n_out, m - n_out)
    signed = 0.0
    for t in range(n_out):
        j = outside[t]
        signed += side[j] * x[j] if side[j] != 0 else 0.0
    for p in range(k):
        total, pull = 0.0, 0.0
        for t in range(n_out):
            total += side[outside[t]] * H[p, outside[t]]
        for j in range(m):
            pull += H[p, j] * clean[j]
        g[p] = total
        c[p] = pull + kappa * signed * total
        for t in range(n):
            picked[p, t] = H[p, outside[first + t]]
        for q in range(p + 1):
            dot = 0.0
            for t in range(n):
                dot += picked[p, t] * picked[q, t]
            dot = gram[p, q] - dot if all_first else dot
            Q[p, q] = dot + kappa * total * g[q]
            Q[q, p] = Q[p, q]


@jit
def _take_stock(
    X, H, wide, gram, lengths, length, lam, exact, tolerance, cold,
    trial, best, best_loss, tau, fate, side, Q, c,
    residual, clean, outside, picked, g,
):  # fmt: skip
    """Look at the trial point of each row that is not done, and say what becomes of the row.

    One whose trial point is the optimum of the very piece that it lies in is done, and so is one
    that no longer moves.
    """
    k, m = H.shape
    price = np.float64(lam)
    for i in range(X.shape[0]):
        if fate[i] == DONE:
            continue
        x, w, sides = X[i], trial[i], side[i]
        moved, largest = 0.0, 0.0
        for q in range(k):
            way = abs(w[q] - best[i, q])
            moved = way if way > moved else moved
            largest = best[i, q] if best[i, q] > largest else largest
        if best_loss[i] < np.inf and not moved > tolerance * largest:
            fate[i] = DONE
            continue
        _predict(w, H, residual)
        squares = 0.0
        for j in range(m):
            # What is missing, or off by rounding only, has no residual.
            x_j = x[j] if x[j] == x[j] else residual[j]
            squares += np.float64(x_j) * x_j if x[j] == x[j] else 0.0
            r = x_j - residual[j]
            residual[j] = 0 if cold or abs(r) <= exact * residual[j] else r
        level = threshold_row(residual, lam, tau[i])
        small, beyond, count, changed = 0.0, 0.0, 0, 0
        for j in range(m):
            r = residual[j]
            now = np.int8(r > level) - np.int8(r < -level)
            changed += now != sides[j]
            sides[j] = now
            count += now != 0
            size = np.float64(abs(r))
            small += 0.0 if now else size * size
            beyond += size if now else 0.0
            clean[j] = 0 if now or x[j] != x[j] else x[j]
        tau[i] = level
        loss = small + np.float64(level) * beyond
        # Losses below the last term are those of an exact fit; none of them is worse than another.
        if loss > best_loss[i] * (1 + tolerance) + exact * exact * squares:
            fate[i] = SHORTEN
            continue
        exactly = fate[i] == STEP and changed == 0 and best_loss[i] < np.inf
        for q in range(k):
            best[i, q] = w[q]
        if not cold:
            best_loss[i] = loss
        if exactly:
            fate[i] = DONE
            continue
        fate[i] = STEP
        n_out, dropped = np.int64(0), 0.0
        for j in range(m):
            if sides[j] != 0 or x[j] != x[j]:
                outside[n_out] = j
                n_out += 1
                dropped += lengths[j]
        # Where most entries count fully, it is cheaper to begin with all and take the rest away.
        # But elsewhere what is left of a difference of nearly equal numbers is rounding.
        all_first = 2 * dropped <= length
        if not all_first:
            n = n_out
            for j in range(m):
                if sides[j] == 0 and x[j] == x[j]:
                    outside[n] = j
                    n += 1
        kappa = price / (1 + price * count)
        _quadratic(
            x, wide, gram, outside, n_out, sides, all_first, kappa, clean, picked, g, Q[i], c[i]
        )
