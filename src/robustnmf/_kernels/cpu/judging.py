"""Judging rows: the class of each value, the scale of each sample, what is beyond thresholds."""

from __future__ import annotations

import math

import numpy as np

from robustnmf._kernels.cpu.detection import TAIL, single
from robustnmf._kernels.jit import jit


@jit
def _beyond(X, P, limits, out):
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            out[i, j] = abs(X[i, j] - P[i, j]) > limits[i, j]


def beyond(X, P, limits):
    """See `portable.beyond`."""
    out = np.empty(X.shape, dtype=np.bool_)
    _beyond(X, P, limits, out)
    return out


@jit
def _cell_index(x, edges, below, per_unit, most, out):
    n_edges, n_cells = edges.shape[0], below.shape[0] - 1
    first = edges[0]
    for j in range(x.shape[0]):
        place = (x[j] - first) * per_unit
        # A missing value is in the first cell.
        place = place if place > 0 else 0.0
        index = below[int(place if place < n_cells else n_cells)]
        for _ in range(most):
            index += index < n_edges and edges[index if index < n_edges else 0] < x[j]
        out[j] = index


@jit
def _mark_atoms(x, atoms, same, first, out):
    for j in range(x.shape[0]):
        low, high = 0, atoms.shape[0] - 1
        while low < high:
            middle = (low + high) // 2
            if x[j] > (atoms[middle] + atoms[middle + 1]) / 2:
                low = middle + 1
            else:
                high = middle
        if abs(atoms[low] - x[j]) <= same * abs(x[j]):
            out[j] = first + low


def class_index(X, edges, grid, atoms, same):
    """See `portable.class_index`."""
    x = X.ravel()
    if grid is None:
        out = np.searchsorted(edges, x).astype(np.int32)
    else:
        out = np.empty(x.shape, dtype=np.int32)
        _cell_index(x, edges, *grid, out)  # type: ignore[call-arg]
    if len(atoms):
        _mark_atoms(x, atoms, same, len(edges) + 1, out)
    return out.reshape(X.shape)


@jit
def _sample_spreads(
    X, P, corrupt, features, levels, bounds, numbers, rows, samples, level, far, count
):
    first, cutoff, usual, prior = numbers[0], numbers[1], numbers[2], numbers[3]
    least, largest, reach, steps = numbers[4], numbers[5], numbers[6], int(numbers[7])
    size, used = rows[0], rows[1]
    tail, none = size.dtype.type(TAIL), size.dtype.type(0)
    guessed = corrupt.shape[0] > 0
    m = X.shape[1]
    for i in range(X.shape[0]):
        for j in range(m):
            size[j] = P[i, j]
            level[i, j] = 0
        for b in range(bounds.shape[0]):
            bound = bounds[b]
            for j in range(m):
                level[i, j] += size[j] > bound
        n = 0
        for j in range(m):
            r = size.dtype.type(abs(X[i, j] - P[i, j]))
            known = r == r
            # In units of what feature and level make of it.
            size[j] = r * features[j] * levels[level[i, j]] if known else none
            used[j] = size[j] if known else np.inf
            n += known
        if guessed:
            for j in range(m):
                used[j] = np.inf if corrupt[i, j] else used[j]
        own = first
        for _ in range(steps):
            per, bound = size.dtype.type(1 / own), size.dtype.type(min(cutoff * own, 3e38))
            total, counted = none, 0
            for j in range(m):
                u = used[j] * per
                term = u * (u if u < tail else tail)
                total += term if used[j] < bound else none
                counted += used[j] < bound
            step = math.sqrt((total / usual + prior * first / own) / (counted + prior))
            step = step if step < largest else largest
            own *= step if step > 1 / largest else 1 / largest
            own = own if own > least else least
        bound, beyond = size.dtype.type(reach * own), 0
        for j in range(m):
            beyond += size[j] > bound
        samples[i], far[i], count[i] = own, beyond, n


def sample_spreads(X, P, corrupt, scale, bounds, settings):
    """See `portable.sample_spreads`."""
    samples, far, count = np.empty((3, len(X)))
    level, rows = np.empty(X.shape, np.int8), np.empty((2, X.shape[1]), np.float32)
    corrupt = np.empty((0, 0), np.bool_) if corrupt is None else corrupt
    # Products are quicker than quotients.
    per_feature, per_level = (np.float32(1) / single(A) for A in scale[1:3])
    factors = (per_feature, per_level, single(bounds), np.array(settings, float))
    _sample_spreads(X, P, corrupt, *factors, rows, samples, level, far, count)
    return samples, level, far, count


@jit
def _row_losses(X, P, limits, out):
    for i in range(X.shape[0]):
        total, count = 0.0, 0
        for j in range(X.shape[1]):
            known = X[i, j] == X[i, j]
            total += X[i, j] if known else 0.0
            count += known
        mean = total / count
        misfit, penalty, variation = 0.0, 0.0, 0.0
        for j in range(X.shape[1]):
            known = X[i, j] == X[i, j]
            size, limit = np.float64(abs(X[i, j] - P[i, j])), np.float64(limits[i, j])
            # A missing entry is NaN, and fails both comparisons.
            misfit += size * size if size <= limit else 0.0
            penalty += limit * limit if size > limit else 0.0
            way = X[i, j] - mean
            variation += way * way if known else 0.0
        out[0, i], out[1, i], out[2, i] = misfit, penalty, variation


def row_losses(X, P, limits):
    """See `portable.row_losses`."""
    out = np.empty((3, len(X)))
    _row_losses(X, P, limits, out)
    return tuple(out)


@jit
def _value_range(X, corrupt, low, high):
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            # A missing entry is NaN, and is neither below nor above anything.
            x = np.nan if corrupt[i, j] else X[i, j]
            low[j] = x if x < low[j] else low[j]
            high[j] = x if x > high[j] else high[j]


def value_range(X, corrupt):
    """See `portable.value_range`."""
    m = X.shape[1]
    low, high = np.full(m, np.inf), np.full(m, -np.inf)
    _value_range(X, corrupt, low, high)
    return low, high
