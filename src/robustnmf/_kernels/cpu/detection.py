"""Detection: counts, odds and thresholds, reading each entry once.

Residuals come and thresholds go in single precision: what is far out is so by more than rounding.
Whatever can be told row by row is, in loops that run in vectors.
"""

from __future__ import annotations

import math

import numpy as np

from robustnmf._kernels.cpu.noise import clean_row_truncated
from robustnmf._kernels.density import FAR as _FAR
from robustnmf._kernels.density import LOG_PEAK as _LOG_PEAK
from robustnmf._kernels.density import TAIL as _TAIL
from robustnmf._kernels.jit import helper, inlined, jit

TAIL, FAR = float(_TAIL), float(_FAR)
PEAK, E_MINUS_ONE = math.exp(_LOG_PEAK), math.exp(-1)


@inlined
def _surprise(u):
    return u * u / 2 if u < TAIL else TAIL * u - TAIL * TAIL / 2


@inlined
def _scale(a, feature, factor, least):
    s = a * feature * factor
    return s if s > least else least


def single(A):
    """Return sizes in the precision of the kernels, which are compiled for no other."""
    return np.asarray(A, dtype=np.float32)


def level_of(P, bounds):
    """See `portable.level_of`."""
    out = np.empty(P.shape, dtype=np.int8)
    _level_of(single(P), bounds, out)
    return out


@jit
def _level_of(P, bounds, out):
    for i in range(P.shape[0]):
        for j in range(P.shape[1]):
            p, level = P[i, j], 0
            for b in range(bounds.shape[0]):
                level += p > bounds[b]
            out[i, j] = level


def scale_of(samples, features, levels, level, least):
    """See `portable.scale_of`."""
    out = np.empty(level.shape)
    _scale_of(samples, features, levels, level, least, out)
    return out


@jit
def _scale_of(samples, features, levels, level, least, out):
    for i in range(level.shape[0]):
        for j in range(level.shape[1]):
            out[i, j] = _scale(samples[i], features[j], levels[level[i, j]], least)


@jit
def mean_square_scale(samples, features, levels, level):
    """See `portable.mean_square_scale`."""
    total = 0.0
    for i in range(level.shape[0]):
        for j in range(level.shape[1]):
            s = samples[i] * features[j] * levels[level[i, j]]
            total += s * s
    return total / level.size


@helper
def _row_scales(own, features, levels, level, least, out):
    """Find the scales of one row, in a loop of its own, which runs in vectors."""
    for j in range(features.shape[0]):
        s = own * features[j] * levels[level[j]]
        out[j] = s if s > least else least


@inlined
def _add_row(i, level, axis, term, one, total, count):
    """Add the terms of row i to its column (axis 0), itself (1) or its level (2)."""
    m = term.shape[0]
    if axis == 0:
        for j in range(m):
            total[0, j] += term[j]
            count[0, j] += one[j]
    elif axis == 1:
        t, c = 0.0, 0.0
        for j in range(m):
            t += term[j]
            c += one[j]
        total[0, i], count[0, i] = t, c
    else:
        # Neighbours are often of one level, and each sum would wait for the one before.
        for j in range(m):
            total[j & 3, level[j]] += term[j]
            count[j & 3, level[j]] += one[j]


@jit
def _add_up(
    beyond, size, samples, features, levels, level, least, use, bound, axis, rows, total, count
):
    """Sum up the entries that lie beyond a bound, or spreads of those below one."""
    scale, term, one = rows[0], rows[1], rows[2]
    for i in range(size.shape[0]):
        _row_scales(samples[i], features, levels, level[i], least, scale)
        if beyond:
            for j in range(size.shape[1]):
                term[j] = 1.0 if use[i, j] & (size[i, j] > bound * scale[j]) else 0.0
                one[j] = 1.0 if use[i, j] else 0.0
        else:
            for j in range(size.shape[1]):
                u = size[i, j] / scale[j]
                counts = use[i, j] & (u < bound)
                term[j] = u * (u if u < TAIL else TAIL) if counts else 0.0
                one[j] = 1.0 if counts else 0.0
        _add_row(i, level[i], axis, term, one, total, count)


def spread_sums(size, scale, use, cutoff, axis):
    """See `portable.spread_sums`."""
    return _summed(False, size, scale, use, cutoff, axis)


def count_beyond(size, scale, known, reach, axis):
    """See `portable.count_beyond`."""
    return _summed(True, size, scale, known, reach, axis)


def _summed(beyond, size, scale, use, bound, axis):
    shape = (4 if axis == 2 else 1, _groups(scale, axis))
    total, count = np.zeros(shape), np.zeros(shape)
    rows = np.empty((3, size.shape[1]))
    _add_up(beyond, single(size), *scale, use, float(bound), axis, rows, total, count)  # type: ignore[call-arg]
    return total.sum(axis=0), count.sum(axis=0)


def _groups(scale, axis):
    return len(scale[(1, 0, 2)[axis]])


@jit
def _class_counts(
    size, samples, features, levels, level, least, known, class_of, near, far, n_near, n_far, count
):
    for i in range(size.shape[0]):
        for j in range(size.shape[1]):
            if known[i, j]:
                u = size[i, j] / _scale(samples[i], features[j], levels[level[i, j]], least)
                c = class_of[i, j]
                n_near[c] += u < near
                n_far[c] += u > far
                count[c] += 1


def class_counts(size, scale, known, class_of, n, near, far):
    """See `portable.class_counts`."""
    n_near, n_far, count = np.zeros(n), np.zeros(n), np.zeros(n)
    _class_counts(single(size), *scale, known, class_of, near, far, n_near, n_far, count)  # type: ignore[call-arg]
    return n_near, n_far, count


@jit
def _far_counts(size, samples, features, levels, level, least, known, class_of, group, far, out):
    for i in range(size.shape[0]):
        for j in range(size.shape[1]):
            if known[i, j]:
                s = _scale(samples[i], features[j], levels[level[i, j]], least)
                out[class_of[i, j], group[i, j]] += size[i, j] > far * s


def far_counts(size, scale, known, class_of, group, shape, far):
    """See `portable.far_counts`."""
    out = np.zeros(shape)
    _far_counts(single(size), *scale, known, class_of, group, far, out)  # type: ignore[call-arg]
    return out


def far_shares(points, prediction, scale, group, n_groups, far):
    """See `portable.far_shares`."""
    order, first, last = _within(points, prediction, far * scale)
    # How many windows begin at or before each point, less those that end before it.
    shape = (len(points) + 1, n_groups)
    inside = np.zeros(shape[0] * n_groups)
    for edge, sign in ((first, 1), (last, -1)):
        inside += sign * np.bincount(edge * n_groups + group, minlength=len(inside))
    count = np.bincount(group, minlength=n_groups)
    out = np.empty((len(points), n_groups))
    out[order] = count - np.cumsum(inside.reshape(shape), axis=0)[:-1]
    return out / np.maximum(count, 1)


def compare_values(points, prediction, scale, near, far):
    """See `portable.compare_values`; for `near` up to 2."""
    n = len(prediction)
    often = far_shares(points, prediction, scale, np.zeros(n, dtype=int), 1, far)[:, 0]
    order, first, last = _within(points, prediction, near * scale)
    density, out = np.zeros(len(points)), np.empty(len(points))
    _add_densities(points[order], prediction, scale, first, last, density)
    out[order] = density / n
    return often, out


def _within(points, prediction, reach):
    """Return the order of the points, and which of them in it are within reach of each entry."""
    order = np.argsort(points, kind="stable")
    points = points[order]
    first = np.searchsorted(points, prediction - reach, side="left")
    return order, first, np.searchsorted(points, prediction + reach, side="right")


@inlined
def _exp_minus(amount):
    """e^-amount for 0 ≤ amount ≤ 2, to nine digits; unlike `math.exp`, it runs in vectors."""
    t = 0.25 - amount / 4
    power = 1 + t * (
        1 + t / 2 * (1 + t / 3 * (1 + t / 4 * (1 + t / 5 * (1 + t / 6 * (1 + t / 7)))))
    )
    square = power * power
    return E_MINUS_ONE * square * square


@jit
def _add_densities(points, prediction, scale, first, last, density):
    for j in range(prediction.shape[0]):
        for i in range(first[j], last[j]):
            amount = _surprise(abs(points[i] - prediction[j]) / scale[j])
            density[i] += _exp_minus(amount) * (PEAK / scale[j])


@jit
def _log_odds(
    size,
    samples,
    features,
    levels,
    level,
    least,
    logs,
    known,
    class_of,
    prior,
    begin,
    power,
    rows,
    out,
):
    scale, log_scale = rows[0], rows[1]
    for i in range(size.shape[0]):
        _row_scales(samples[i], features, levels, level[i], least, scale)
        _row_log_scales(logs, i, level, log_scale)
        for j in range(size.shape[1]):
            u = size[i, j] / scale[j]
            near = u if u < TAIL else TAIL
            odds = prior[class_of[i, j]] + log_scale[j] + near * (u - near / 2)
            out[i, j] = odds if known[i, j] else -np.inf
        if begin < np.inf:
            for j in range(size.shape[1]):
                u = size[i, j] / scale[j]
                near = u if u < TAIL else TAIL
                thin = near * (u - near / 2)
                if thin > begin and known[i, j]:
                    heavy = begin + power * math.log((u if u > FAR else FAR) / FAR)
                    out[i, j] += min(heavy - thin, 0.0)


def log_odds(size, scale, known, class_of, prior, tail):
    """See `portable.log_odds`."""
    out, rows = np.empty(size.shape), np.empty((2, size.shape[1]))
    _log_odds(single(size), *scale, _logs(scale), known, class_of, prior, *tail, rows, out)  # type: ignore[call-arg]
    return out


@jit
def _thresholds(
    samples, features, levels, level, least, logs, class_of, prior, bar, begin, power, rows, out
):
    scale, room = rows[0], rows[1]
    for i in range(level.shape[0]):
        _row_scales(samples[i], features, levels, level[i], least, scale)
        _row_log_scales(logs, i, level, room)
        for j in range(level.shape[1]):
            left = bar - prior[class_of[i, j]] - room[j]
            room[j] = left if left > 0.0 else 0.0
        for j in range(level.shape[1]):
            near, far = math.sqrt(2 * room[j]), room[j] / TAIL + TAIL / 2
            out[i, j] = scale[j] * (near if room[j] < TAIL * TAIL / 2 else far)
        if begin < np.inf:
            for j in range(level.shape[1]):
                if room[j] > begin:
                    heavy = scale[j] * FAR * math.exp((room[j] - begin) / power)
                    out[i, j] = max(out[i, j], heavy)


def thresholds(scale, class_of, prior, bar, tail):
    """See `portable.thresholds`."""
    rows = np.empty((2, class_of.shape[1]))
    out = np.empty(class_of.shape, dtype=np.float32)
    _thresholds(*scale, _logs(scale), class_of, prior, bar, *tail, rows, out)  # type: ignore[call-arg]
    return out


@helper
def _row_log_scales(logs, i, level, out):
    n, m = level.shape
    least = logs[-1]
    for j in range(m):
        s = logs[i] + logs[n + j] + logs[n + m + level[i, j]]
        out[j] = s if s > least else least


def _logs(scale):
    """Return the logarithms of what scales are made of, one after the other; they are few."""
    return np.log(np.concatenate((*scale[:3], [scale[4]])))


@jit
def _clean_truncated(X, P, limits, loss):
    for i in range(X.shape[0]):
        loss[i] = clean_row_truncated(X[i], P[i], limits[i])


def clean_truncated(X, P, limits):
    """See `portable.clean_truncated`; overwrites P."""
    loss = np.empty(len(X))
    _clean_truncated(X, P, limits, loss)
    return P, loss
