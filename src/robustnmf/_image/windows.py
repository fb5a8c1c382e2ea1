"""The loops of the prediction from neighbours: one ridge regression for each pixel of a strip.

The sums of products over a window are had by adding the row that enters it and taking off the one
that leaves it, for each column; columns are then added up. All runs along the columns of a strip:
a number of a regression is a row of an array, so that one instruction does its work for many
pixels. Single precision is enough: what rounding leaves in the sums is far below what the ridge
adds to them.

Products are kept in the order of a triangle, row by row: regressors with regressors, then, as row
K, the target with regressors. To predict pixels, their regressors with the other sign are written
below as row K + 1, and what the neighbours' mean is at its end. Elimination (Cholesky) leaves the
prediction there.
"""

from __future__ import annotations

import math

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._kernels.jit import inlined, jit

# How far a window reaches from its pixel. Fixed when the loops are compiled: `_add_products` adds
# up this many columns.
RADIUS = 5
# What the eight neighbours tell apart from their mean has seven numbers.
_N_CONTRASTS = 7
# Rows of regressors that are kept: those of a window, and the one that leaves it.
_N_KEPT = 2 * RADIUS + 2
# Numbers of a vector and bytes of a line of the cache, where rows begin: a vector that lies across
# two lines takes twice as long to load.
_VECTOR, _LINE = 16, 64
# So many pixels of rows before may wait to be predicted when a row is added.
_WAITING = 128
# A pivot is at least this share of what the ridge adds, whatever rounding leaves of it.
_LEAST_PIVOT = np.float32(1e-3)
_ZERO, _ONE, _HALF = np.float32(0), np.float32(1), np.float32(0.5)
_EIGHTH = np.float32(0.125)
_ROOT_HALF, _ROOT_EIGHTH = np.float32(math.sqrt(0.5)), np.float32(math.sqrt(0.125))


def strip_scratch(n_regressors: int, width: int) -> tuple[Array, ...]:
    """Return room for what `predict_strip` works out for a strip of at most this width."""
    K = n_regressors
    wide, batch = _whole_vectors(width + 2 * RADIUS), _whole_vectors(width + _WAITING)
    shapes = [
        (K * (K + 1) // 2 + K, wide),  # sums over the rows of the window
        (_N_KEPT, K + 3, wide),  # what `_regress` writes, of some rows
        (4, wide),  # for passing use
        # Equations of pixels to predict, what the ridge adds, zeros, ones, inverse pivots.
        ((K + 2) * (K + 3) // 2 + 3 + K, batch),
    ]
    scratch = [_aligned(shape) for shape in shapes]
    scratch[-1][-K - 1] = 1
    return (*scratch, np.empty(wide, np.int64), np.empty((2, batch), np.int64))


def _whole_vectors(length: int) -> int:
    return -(-length // _VECTOR) * _VECTOR


def _aligned(shape: tuple[int, ...]) -> Array:
    """Return zeros in single precision that begin with a line of the cache."""
    n_bytes = 4 * math.prod(shape)
    room = np.zeros(n_bytes + _LINE, np.uint8)
    begin = -room.ctypes.data % _LINE
    return room[begin : begin + n_bytes].view(np.float32).reshape(shape)


@inlined
def _regress(
    padded: Array,
    weights: Array,
    plane: int,
    linked: Array,
    row: int,
    first: int,
    n: int,
    out: Array,
) -> None:
    """Write regressors, the target, the mean of its neighbours, and weights, of pixels of a row.

    The first regressors are contrasts of the eight neighbours, orthogonal to their mean and to each
    other, so that a ridge on their coefficients is one on those of the neighbours. Linked pictures
    and the target come less the mean of their neighbours.
    """
    target = out.shape[0] - 3
    weight = weights[row, first:]
    up, down = padded[plane, row, first:], padded[plane, row + 2, first:]
    middle = padded[plane, row + 1, first:]
    for t in range(n):
        # Opposite neighbours, their difference and their sum.
        out[0, t] = _ROOT_HALF * (up[t] - down[t + 2])
        out[1, t] = _ROOT_HALF * (up[t + 1] - down[t + 1])
        out[2, t] = _ROOT_HALF * (up[t + 2] - down[t])
        out[3, t] = _ROOT_HALF * (middle[t] - middle[t + 2])
        falling, upright = up[t] + down[t + 2], up[t + 1] + down[t + 1]
        rising, level = up[t + 2] + down[t], middle[t] + middle[t + 2]
        out[4, t] = _HALF * (falling - rising)
        out[5, t] = _HALF * (upright - level)
        corners, nearest = falling + rising, upright + level
        out[6, t] = _ROOT_EIGHTH * (corners - nearest)
        mean = _EIGHTH * (corners + nearest)
        out[target, t] = middle[t + 1] - mean
        out[target + 1, t] = mean
        out[target + 2, t] = weight[t]
    for k in range(_N_CONTRASTS, target):
        source = linked[k - _N_CONTRASTS]
        up, down = padded[source, row, first:], padded[source, row + 2, first:]
        middle = padded[source, row + 1, first:]
        for t in range(n):
            corners = (up[t] + down[t + 2]) + (up[t + 2] + down[t])
            nearest = (up[t + 1] + down[t + 1]) + (middle[t] + middle[t + 2])
            out[k, t] = middle[t + 1] - _EIGHTH * (corners + nearest)


@inlined
def _add_products(
    sums: Array,
    enter: Array,
    leave: Array,
    here: Array,
    rows: Array,
    wide: int,
    wanted: bool,
    batch: Array,
    filled: int,
) -> None:
    """Add the weighted products of a row that enters and take off those of one that leaves.

    Where pixels are wanted, write the sums over their windows, less their own products.
    """
    K = enter.shape[0] - 3
    weight = K + 2
    n_columns = wide - 2 * RADIUS
    pair = 0
    for a in range(K + 1):
        for t in range(wide):
            rows[0, t] = enter[weight, t] * enter[a, t]
            rows[1, t] = leave[weight, t] * leave[a, t]
        for t in range(n_columns):
            rows[2, t] = here[weight, t + RADIUS] * here[a, t + RADIUS]
        for b in range(a + 1 if a < K else K):
            for t in range(wide):
                sums[pair, t] += rows[0, t] * enter[b, t] - rows[1, t] * leave[b, t]
            if wanted:
                out = batch[pair, filled:]
                # Eleven columns, by way of sums of two.
                for t in range(wide - 1):
                    rows[3, t] = sums[pair, t] + sums[pair, t + 1]
                for t in range(n_columns):
                    out[t] = (
                        (rows[3, t] + rows[3, t + 2])
                        + (rows[3, t + 4] + rows[3, t + 6])
                        + (rows[3, t + 8] + sums[pair, t + 10])
                        - rows[2, t] * here[b, t + RADIUS]
                    )
            pair += 1


@inlined
def _solve(batch: Array, prior: Array, n: int) -> None:
    """Solve the normal equations of n pixels, and predict them (Cholesky)."""
    K = prior.shape[0]
    target, held = K * (K + 1) // 2, (K + 2) * (K + 3) // 2
    zero, one, inverse = held + 1, held + 2, held + 3
    for a in range(K):
        diagonal = a * (a + 3) // 2
        for t in range(n):
            d = batch[diagonal, t]
            batch[diagonal, t] = (d if d > _ZERO else _ZERO) + batch[held, t]
            batch[target + a, t] += batch[held, t] * prior[a]
    for a in range(K + 2):
        last = a if a < K else K
        for b in range(last + 1):
            out = a * (a + 1) // 2 + b
            # Four products at a time: storing is dear.
            for c in range(0, b if b else 1, 4):
                p, q = a * (a + 1) // 2 + c, b * (b + 1) // 2 + c
                p0, q0 = (p, q) if c < b else (zero, zero)
                p1, q1 = (p + 1, q + 1) if c + 1 < b else (zero, zero)
                p2, q2 = (p + 2, q + 2) if c + 2 < b else (zero, zero)
                p3, q3 = (p + 3, q + 3) if c + 3 < b else (zero, zero)
                factor = inverse + b if b < last and c + 4 >= b else one
                for t in range(n):
                    batch[out, t] = batch[factor, t] * (
                        batch[out, t]
                        - batch[p0, t] * batch[q0, t]
                        - batch[p1, t] * batch[q1, t]
                        - batch[p2, t] * batch[q2, t]
                        - batch[p3, t] * batch[q3, t]
                    )
        if a < K:
            for t in range(n):
                least = _LEAST_PIVOT * batch[held, t]
                d = batch[a * (a + 3) // 2, t]
                batch[inverse + a, t] = _ONE / np.sqrt(d if d > least else least)


@inlined
def _choose(wanted: Array, left: int, n_columns: int, index: Array) -> int:
    """Write which columns of a strip are wanted, and return how many."""
    n = 0
    for j in range(n_columns):
        index[n] = j
        n += 1 if wanted[left + j] else 0
    return n


@jit
def predict_strip(
    padded: Array,
    weights: Array,
    plane: int,
    linked: Array,
    wanted: Array,
    span: tuple[int, int, int, int],
    n_examples: Array,
    ridge: np.float32,
    prior: Array,
    scratch: tuple[Array, ...],
    out: Array,
) -> None:
    """Predict the wanted pixels of a strip of a picture.

    Parameters
    ----------
    padded : ndarray of float32, shape (n_sources, height + 2 * RADIUS + 2, ...)
        The pictures, continued beyond their edges.
    weights : ndarray of float32, shape (height + 2 * RADIUS, ...)
        How much each pixel counts as an example; 0 beyond the edges.
    plane, linked : int, ndarray of int
        The picture to predict, and those that help.
    wanted : ndarray of bool, shape (height, width)
        Which of its pixels to predict.
    span : tuple of four int
        First and last row, first and last column of the strip.
    n_examples : ndarray of float32, shape (2, height or width)
        How many rows, and how many columns, the windows of pixels of each row and column have.
    ridge : float32
        For each example, added to the diagonal.
    prior : ndarray of float32
        Coefficients to which the ridge holds those of each pixel.
    scratch : tuple of ndarray
        As `strip_scratch` makes it.
    out : ndarray of float32, shape (height, width)
        Predictions are written to it.
    """
    top, bottom, left, right = span
    sums, kept, rows, batch, index, places = scratch
    height = wanted.shape[0]
    K = prior.shape[0]
    n_columns = right - left
    wide = n_columns + 2 * RADIUS
    regressors = (K + 1) * (K + 2) // 2
    held = regressors + K + 2
    for p in range(sums.shape[0]):
        for j in range(wide):
            sums[p, j] = _ZERO
    # What scratch held before must not count, nor rows beyond an edge.
    for p in range(_N_KEPT):
        for j in range(wide):
            kept[p, K + 2, j] = _ZERO
    filled = 0
    for row in range(max(0, top - RADIUS), bottom + RADIUS):
        enter, leave = kept[row % _N_KEPT], kept[(row + 1) % _N_KEPT]
        if row < height:
            _regress(padded, weights, plane, linked, row + RADIUS, left, wide, enter)
        else:
            for j in range(wide):
                enter[K + 2, j] = _ZERO
        i = row - RADIUS
        n = _choose(wanted[i], left, n_columns, index) if i >= top else 0
        here = kept[i % _N_KEPT]
        _add_products(sums, enter, leave, here, rows, wide, n > 0, batch, filled)
        if n == 0 and filled == 0:
            continue
        to, counts = batch[held, filled:], n_examples[1, left:]
        for t in range(n_columns):
            to[t] = ridge * n_examples[0, i] * counts[t]
        for k in range(K + 1):
            # What is left of the mean in the end is less by the regressors times coefficients.
            source, sign = (k, -_ONE) if k < K else (K + 1, _ONE)
            to = batch[regressors + k, filled:]
            for t in range(n_columns):
                to[t] = sign * here[source, RADIUS + t]
        if n < n_columns:
            for p in range(held + 1):
                to = batch[p, filled:]
                for t in range(n):
                    to[t] = to[index[t]]
        for t in range(n):
            places[0, filled + t], places[1, filled + t] = i, left + index[t]
        filled += n
        if filled > batch.shape[1] - n_columns or (row == bottom + RADIUS - 1 and filled):
            _solve(batch, prior, _VECTOR * (-(-filled // _VECTOR)))
            for t in range(filled):
                out[places[0, t], places[1, t]] = batch[regressors + K, t]
            filled = 0
