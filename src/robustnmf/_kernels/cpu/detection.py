"""Detection: counts, odds and thresholds, reading each entry once and making nothing as large."""

from __future__ import annotations

import math

import numpy as np

from robustnmf._kernels.cpu.noise import clean_row_truncated
from robustnmf._kernels.density import FAR as _FAR
from robustnmf._kernels.density import LOG_PEAK as _LOG_PEAK
from robustnmf._kernels.density import TAIL as _TAIL
from robustnmf._kernels.jit import inlined, jit

TAIL, LOG_PEAK, FAR = float(_TAIL), float(_LOG_PEAK), float(_FAR)


@inlined
def _surprise(u):
    return u * u / 2 if u < TAIL else TAIL * u - TAIL * TAIL / 2


@inlined
def _surprise_in_tail(u, begin, power):
    thin = _surprise(u)
    return thin if thin <= begin else min(thin, begin + power * math.log(max(u, FAR) / FAR))


@inlined
def _scale(a, feature, factor, least):
    s = a * feature * factor
    return s if s > least else least


@inlined
def _log_scale(logs, n, m, i, j, level):
    s = logs[i] + logs[n + j] + logs[n + m + level]
    least = logs[-1]
    return s if s > least else least


def level_of(P, bounds):
    """See `portable.level_of`."""
    out = np.empty(P.shape, dtype=np.int8)
    _level_of(P, bounds, out)
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


@jit
def _spread_sums(size, samples, features, levels, level, least, use, cutoff, axis, total, count):
    for i in range(size.shape[0]):
        for j in range(size.shape[1]):
            if use[i, j]:
                u = size[i, j] / _scale(samples[i], features[j], levels[level[i, j]], least)
                if u < cutoff:
                    group = j if axis == 0 else i if axis == 1 else level[i, j]
                    total[group] += u * min(u, TAIL)
                    count[group] += 1


def spread_sums(size, scale, use, cutoff, axis):
    """See `portable.spread_sums`."""
    total, count = np.zeros(_groups(scale, axis)), np.zeros(_groups(scale, axis))
    _spread_sums(size, *scale, use, cutoff, axis, total, count)  # type: ignore[call-arg]
    return total, count


@jit
def _count_beyond(size, samples, features, levels, level, least, known, reach, axis, far, count):
    for i in range(size.shape[0]):
        for j in range(size.shape[1]):
            if known[i, j]:
                group = j if axis == 0 else i if axis == 1 else level[i, j]
                s = _scale(samples[i], features[j], levels[level[i, j]], least)
                far[group] += size[i, j] > reach * s
                count[group] += 1


def count_beyond(size, scale, known, reach, axis):
    """See `portable.count_beyond`."""
    far, count = np.zeros(_groups(scale, axis)), np.zeros(_groups(scale, axis))
    _count_beyond(size, *scale, known, reach, axis, far, count)  # type: ignore[call-arg]
    return far, count


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
    _class_counts(size, *scale, known, class_of, near, far, n_near, n_far, count)  # type: ignore[call-arg]
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
    _far_counts(size, *scale, known, class_of, group, far, out)  # type: ignore[call-arg]
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
    """See `portable.compare_values`."""
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


@jit
def _add_densities(points, prediction, scale, first, last, density):
    for j in range(prediction.shape[0]):
        for i in range(first[j], last[j]):
            distance = abs(points[i] - prediction[j]) / scale[j]
            density[i] += math.exp(LOG_PEAK - _surprise(distance)) / scale[j]


@jit
def _log_odds(
    size, samples, features, levels, level, least, logs, known, class_of, prior, begin, power, out
):
    for i in range(size.shape[0]):
        for j in range(size.shape[1]):
            if known[i, j]:
                s = _scale(samples[i], features[j], levels[level[i, j]], least)
                log_s = _log_scale(logs, level.shape[0], level.shape[1], i, j, level[i, j])
                u = size[i, j] / s
                out[i, j] = prior[class_of[i, j]] + log_s + _surprise_in_tail(u, begin, power)
            else:
                out[i, j] = -np.inf


def log_odds(size, scale, known, class_of, prior, tail):
    """See `portable.log_odds`."""
    out = np.empty(size.shape)
    logs = _logs(scale)
    _log_odds(size, *scale, logs, known, class_of, prior, *tail, out)  # type: ignore[call-arg]
    return out


@jit
def _thresholds(
    samples, features, levels, level, least, logs, class_of, prior, bar, begin, power, out
):
    for i in range(level.shape[0]):
        for j in range(level.shape[1]):
            s = _scale(samples[i], features[j], levels[level[i, j]], least)
            room = (
                bar
                - prior[class_of[i, j]]
                - _log_scale(logs, level.shape[0], level.shape[1], i, j, level[i, j])
            )
            room = room if room > 0.0 else 0.0
            near, far = math.sqrt(2 * room), room / TAIL + TAIL / 2
            u = near if room < TAIL * TAIL / 2 else far
            if room > begin:
                u = max(u, FAR * math.exp((room - begin) / power))
            out[i, j] = s * u


def thresholds(scale, class_of, prior, bar, tail, out):
    """See `portable.thresholds`."""
    logs = _logs(scale)
    _thresholds(*scale, logs, class_of, prior, bar, *tail, out)  # type: ignore[call-arg]
    return out


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
