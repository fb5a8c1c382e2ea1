"""Each row solved to its optimum, given H: the steps of Newton's method for a block of rows."""

from __future__ import annotations

import numpy as np

from robustnmf._kernels.cpu.noise import threshold_row
from robustnmf._kernels.cpu.quadratic import step_length_squared_l1
from robustnmf._kernels.cpu.small import solve_quadratic_rows
from robustnmf._kernels.jit import Array, jit
from robustnmf._kernels.shared import MAX_STEPS, exact_fit, tolerance

# What becomes of a row after a look at its trial point.
DONE, STEP, SHORTEN = 0, 1, 2


def solve_squared_l1(X: Array, H: Array, lam: float, start: Array | None) -> Array:
    """See `portable.solve_squared_l1`."""
    (k, m), b, dtype = H.shape, len(X), X.dtype
    H = np.ascontiguousarray(H)
    wide = H.astype(np.float64, copy=False)
    eps = float(np.finfo(dtype).eps)
    components = (wide, wide @ wide.T, np.sum(wide * wide, axis=0))
    # Arguments take long to compile, so what goes together is one array.
    points, told, side = np.zeros((2, b, k)), np.zeros((3, b)), np.zeros((b, m), np.int8)
    best, trial = points
    if start is not None:
        trial[:] = start
    # What the kernel tells of each row: the least loss so far, the threshold, and the fate.
    best_loss, tau, fate = told
    best_loss[:], fate[:] = np.inf, STEP
    Q, c = np.empty((b, k, k)), np.empty((b, k))
    scratch = (np.empty((2, m), dtype), np.empty(m, np.int64), np.empty((k + 1, max(m, k))))
    for step in range(MAX_STEPS):
        # Without a start the first piece is that in which no entry is large.
        cold = start is None and step == 0
        numbers = np.array([dtype.type(lam), exact_fit(eps), tolerance(eps), cold])
        _take_stock(X, *components, numbers, points, told, side, Q, c, *scratch)
        if not fate.any():
            break
        rows = np.flatnonzero(fate == SHORTEN)
        if len(rows):
            # The step overshot: go only as far as the loss falls.
            before, after = (_each_by_itself(A[rows].astype(dtype), H) for A in points)
            way = trial[rows] - best[rows]
            reach = step_length_squared_l1(X[rows], before, after, lam, tau[rows].astype(dtype))
            trial[rows] = best[rows] + reach[:, None] * way
        trial[:] = solve_quadratic_rows(Q, c, trial, fate == STEP)
    return best.astype(dtype)


def _each_by_itself(W: Array, H: Array) -> Array:
    """Return W H, of which no row is rounded otherwise because of the others.

    A product of matrices is, by how many rows there are, and where a λ is tiny and the precision
    single, the last digit of a prediction may decide between optima that lie far apart.
    """
    found: Array = np.stack([w @ H for w in W])
    return found


@jit
def _take_stock(X, H, gram, lengths, numbers, points, told, side, Q, c, scratch, chosen, picked):
    """Look at the trial point of each row that is not done, and say what becomes of the row.

    A row whose trial point is the optimum of the very
    piece that it lies in is done, and so is one that no longer moves. `side` remembers the piece: 0
    for an entry that counts squared, ±1 for a large one.
    """
    k, m = H.shape
    price, exact, tolerance, cold = numbers[0], numbers[1], numbers[2], numbers[3] > 0
    lam = X.dtype.type(price)
    best_loss, tau, fate = told[0], told[1], told[2]
    residual, clean = scratch[0], scratch[1]
    length = 0.0
    for j in range(m):
        length += lengths[j]
    # Each row is predicted by itself: see `_each_by_itself`. It lies where later others lie.
    p = picked[0]
    for i in range(X.shape[0]):
        if fate[i] == DONE:
            continue
        x, best, trial, sides = X[i], points[0, i], points[1, i], side[i]
        for j in range(m):
            p[j] = 0
        for q in range(k):
            if trial[q] != 0:
                for j in range(m):
                    p[j] += trial[q] * H[q, j]
        squares = 0.0
        for j in range(m):
            # What is missing, or off by rounding only, has no residual.
            value = x[j] if x[j] == x[j] else p[j]
            squares += np.float64(value) * value if x[j] == x[j] else 0.0
            r = value - p[j]
            residual[j] = 0 if cold or abs(r) <= exact * p[j] else r
        level = threshold_row(residual, lam, tau[i])
        small, beyond, signed, count, changed = 0.0, 0.0, 0.0, 0, 0
        for j in range(m):
            r = residual[j]
            now = np.int8(r > level) - np.int8(r < -level)
            changed += now != sides[j]
            sides[j] = now
            size = np.float64(abs(r))
            small += 0.0 if now else size * size
            beyond += size if now else 0.0
            signed += now * np.float64(x[j]) if now else 0.0
            count += now != 0
            clean[j] = 0 if now or x[j] != x[j] else x[j]
        tau[i] = level
        loss = small + np.float64(level) * beyond
        # Losses below the last term are those of an exact fit; none of them is worse than another.
        if loss > best_loss[i] * (1 + tolerance) + exact * exact * squares:
            fate[i] = SHORTEN
            continue
        moved, largest = 0.0, 0.0
        for q in range(k):
            way = abs(trial[q] - best[q])
            moved = way if way > moved else moved
            largest = best[q] if best[q] > largest else largest
            best[q] = trial[q]
        known = fate[i] == STEP and changed == 0
        if best_loss[i] < np.inf and (known or not moved > tolerance * largest):
            fate[i] = DONE
            continue
        best_loss[i] = np.inf if cold else loss
        fate[i] = STEP
        dropped = 0.0
        for j in range(m):
            dropped += lengths[j] if sides[j] != 0 or x[j] != x[j] else 0.0
        # Where most entries count fully, it is cheaper to begin with all and take the rest away.
        # But elsewhere what is left of a difference of nearly equal numbers is rounding.
        all_first = 2 * dropped <= length
        n = 0
        for j in range(m):
            if (sides[j] != 0 or x[j] != x[j]) == all_first:
                chosen[n] = j
                n += 1
        kappa = price / (1 + price * count)
        for a in range(k):
            pull, total = 0.0, 0.0
            for j in range(m):
                pull += H[a, j] * clean[j]
                total += H[a, j] * sides[j]
            picked[k, a] = total
            c[i, a] = pull + kappa * signed * total
            for t in range(n):
                picked[a, t] = H[a, chosen[t]]
            for b in range(a + 1):
                dot = 0.0
                for t in range(n):
                    dot += picked[a, t] * picked[b, t]
                dot = (gram[a, b] - dot if all_first else dot) + kappa * total * picked[k, b]
                Q[i, a, b], Q[i, b, a] = dot, dot
