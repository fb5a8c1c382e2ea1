"""The loops of the prediction from neighbours: one ridge regression for each pixel of a strip.

The sums of products over a window are had by adding the row that enters it and taking off the one
that leaves it, for each column; columns are then added up. All runs along the columns of a strip:
a number of a regression is a row of an array, so that one instruction does its work for many
pixels. Single precision is enough: what rounding leaves in the sums is far below what the ridge
adds to them.
"""

from __future__ import annotations

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._kernels.jit import helper, jit

# How far a window reaches from its pixel. Fixed when the loops are compiled: `_window_sums` adds
# up this many columns.
RADIUS = 5
# The sums over a picture are of every so manieth row: its coefficients need no more. An odd number,
# because the rows of enlarged and of interlaced pictures come in kinds, two by two or four by four.
COUNTED = 5
# A pivot is at least this share of what the ridge adds, whatever rounding leaves of it.
_LEAST_PIVOT = np.float32(1e-3)
_ZERO, _ONE = np.float32(0), np.float32(1)


def strip_scratch(n_regressors: int, width: int) -> tuple[Array, ...]:
    """Return room for what `predict_strip` works out for a strip of at most this width."""
    n_products = n_regressors * (n_regressors + 1) // 2 + n_regressors
    wide = width + 2 * RADIUS
    shapes = [
        (n_products, wide),  # sums over the rows of the window
        (n_products, wide),  # sums over the window
        (n_regressors + 1, wide),  # regressors and target of a row
        (n_regressors + 1, wide),  # those of a row that leaves the window
        (n_regressors + 4, wide),  # inverse pivots, and four rows for passing use
    ]
    return (*(np.empty(shape, np.float32) for shape in shapes), np.empty(wide, np.int64))


@jit
def mean_around(padded: Array, means: Array) -> None:
    """Write the mean of the eight pixels around each; the pictures reach one pixel further."""
    n, height, width = means.shape
    eighth = np.float32(0.125)
    for c in range(n):
        for i in range(height):
            up, row, down = padded[c, i], padded[c, i + 1], padded[c, i + 2]
            out = means[c, i]
            for j in range(width):
                total = up[j] + up[j + 1] + up[j + 2] + row[j] + row[j + 2]
                out[j] = eighth * (total + down[j] + down[j + 1] + down[j + 2])


@helper
def _regress(
    padded: Array, means: Array, plane: int, linked: Array, row: int, first: int, n: int, out: Array
) -> None:
    """Write regressors and, last, the target of n pixels of a row, less the means around."""
    last = out.shape[0] - 1
    mean = means[plane, row, first : first + n]
    at = 0
    for step in range(9):
        # The pixel itself, in the middle of the nine, is the target.
        i, j = step // 3, step % 3
        to = out[last] if step == 4 else out[at]
        source = padded[plane, row + i, first + j : first + j + n]
        for t in range(n):
            to[t] = source[t] - mean[t]
        if step != 4:
            at += 1
    for k in range(linked.shape[0]):
        source = padded[linked[k], row + 1, first + 1 : first + 1 + n]
        mean = means[linked[k], row, first : first + n]
        to = out[at + k]
        for t in range(n):
            to[t] = source[t] - mean[t]


@helper
def _add_products(
    sums: Array,
    enter: Array,
    weight: Array,
    leave: Array,
    weight_left: Array,
    n: int,
    x: Array,
    y: Array,
) -> None:
    """Add weighted products of regressors and with the target, and take off those of another row.

    The products of regressors a ≥ b come first, in the order of a triangle, then those of the
    regressors with the target.
    """
    K = enter.shape[0] - 1
    pair = 0
    for a in range(K):
        e, g = enter[a], leave[a]
        for t in range(n):
            x[t] = weight[t] * e[t]
            y[t] = weight_left[t] * g[t]
        for b in range(a + 2):
            # The last one is with the target.
            with_target = b > a
            at = K * (K + 1) // 2 + a if with_target else pair
            total = sums[at]
            e = enter[K if with_target else b]
            g = leave[K if with_target else b]
            for t in range(n):
                total[t] += x[t] * e[t] - y[t] * g[t]
            if not with_target:
                pair += 1


@helper
def _window_sums(sums: Array, n: int, two: Array, out: Array) -> None:
    """Add up the columns of the window of each of n pixels: eleven, by way of sums of two."""
    for p in range(sums.shape[0]):
        s, o = sums[p], out[p]
        for j in range(n + 2 * RADIUS - 1):
            two[j] = s[j] + s[j + 1]
        for j in range(n):
            o[j] = (two[j] + two[j + 2]) + (two[j + 4] + two[j + 6]) + (two[j + 8] + s[j + 10])


@helper
def _take_off(sums: Array, target: int, first: int, second: int, count: int, n: int) -> None:
    """Take the products of `count` rows from one row, several at a time: storing is dear."""
    out = sums[target]
    c = 0
    while c + 4 <= count:
        a0, a1, a2, a3 = (
            sums[first + c],
            sums[first + c + 1],
            sums[first + c + 2],
            sums[first + c + 3],
        )
        b0, b1, b2, b3 = (
            sums[second + c],
            sums[second + c + 1],
            sums[second + c + 2],
            sums[second + c + 3],
        )
        for t in range(n):
            out[t] -= a0[t] * b0[t] + a1[t] * b1[t] + a2[t] * b2[t] + a3[t] * b3[t]
        c += 4
    while c < count:
        a0, b0 = sums[first + c], sums[second + c]
        for t in range(n):
            out[t] -= a0[t] * b0[t]
        c += 1


@helper
def _solve(
    sums: Array, regressors: Array, ridge: Array, inverse: Array, n: int, out: Array
) -> None:
    """Predict n pixels by the coefficients that solve their normal equations (Cholesky)."""
    K = inverse.shape[0]
    right = K * (K + 1) // 2
    for a in range(K):
        base = a * (a + 1) // 2
        for b in range(a):
            _take_off(sums, base + b, base, b * (b + 1) // 2, b, n)
            to, pivot = sums[base + b], inverse[b]
            for t in range(n):
                to[t] *= pivot[t]
        _take_off(sums, base + a, base, base, a, n)
        _take_off(sums, right + a, base, right, a, n)
        diagonal, pivot, to = sums[base + a], inverse[a], sums[right + a]
        for t in range(n):
            least = _LEAST_PIVOT * ridge[t]
            d = diagonal[t] if diagonal[t] > least else least
            pivot[t] = _ONE / np.sqrt(d)
            to[t] *= pivot[t]
    for t in range(n):
        out[t] = _ZERO
    for a in range(K - 1, -1, -1):
        to, pivot, x = sums[right + a], inverse[a], regressors[a]
        for t in range(n):
            to[t] *= pivot[t]
            out[t] += to[t] * x[t]
        for c in range(a):
            other, factor = sums[right + c], sums[a * (a + 1) // 2 + c]
            for t in range(n):
                other[t] -= factor[t] * to[t]


@helper
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
    means: Array,
    weights: Array,
    plane: int,
    linked: Array,
    wanted: Array,
    span: tuple[int, int, int, int],
    ridge: np.float32,
    prior: Array,
    scratch: tuple[Array, ...],
    totals: Array,
    out: Array,
) -> None:
    """Predict the wanted pixels of a strip of a picture.

    Parameters
    ----------
    padded : ndarray of float32, shape (n_sources, height + 2 * RADIUS + 2, ...)
        The pictures, continued beyond their edges.
    means : ndarray of float32, shape (n_sources, height + 2 * RADIUS, ...)
        Of the pixels around each.
    weights : ndarray of float32, shape (height + 2 * RADIUS, ...)
        How much each pixel counts as an example; 0 beyond the edges.
    plane, linked : int, ndarray of int
        The picture to predict, and those that help.
    wanted : ndarray of bool, shape (height, width)
        Which of its pixels to predict.
    span : tuple of four int
        First and last row, first and last column of the strip.
    ridge : float32
        For each example, added to the diagonal.
    prior : ndarray of float32
        Coefficients to which the ridge holds those of each pixel.
    scratch : tuple of ndarray
        As `strip_scratch` makes it.
    totals : ndarray of float64, shape (n_products,)
        The weighted products of the strip's pixels are added to these.
    out : ndarray of float32, shape (height, width)
        Predictions are written to it.
    """
    top, bottom, left, right = span
    sums, window, enter, leave, rest, index = scratch
    height, width = wanted.shape
    K = prior.shape[0]
    n_columns = right - left
    wide = n_columns + 2 * RADIUS
    inverse, x, y, held, predicted = rest[:K], rest[K], rest[K + 1], rest[K + 2], rest[K + 3]
    beyond = weights[0, :wide]
    for p in range(sums.shape[0]):
        for j in range(wide):
            sums[p, j] = _ZERO
    begin = max(0, top - RADIUS)
    for row in range(begin, bottom + RADIUS):
        if row < height:
            _regress(padded, means, plane, linked, row + RADIUS, left, wide, enter)
            weight = weights[row + RADIUS, left : left + wide]
        else:
            weight = beyond
        gone = row - 2 * RADIUS - 1
        weight_left = beyond
        if gone >= begin:
            _regress(padded, means, plane, linked, gone + RADIUS, left, wide, leave)
            weight_left = weights[gone + RADIUS, left : left + wide]
        elif row == begin:
            # Whatever scratch holds must not count, not even as 0 × NaN.
            for p in range(leave.shape[0]):
                for j in range(wide):
                    leave[p, j] = _ZERO
        _add_products(sums, enter, weight, leave, weight_left, wide, x, y)
        i = row - RADIUS
        if i < top:
            continue
        n = _choose(wanted[i], left, n_columns, index)
        if n == 0:
            continue
        _window_sums(sums, n_columns, x, window)
        here = leave
        _regress(padded, means, plane, linked, i + RADIUS, left + RADIUS, n_columns, here)
        weight = weights[i + RADIUS, left + RADIUS : left + RADIUS + n_columns]
        if i % COUNTED == 0:
            _count(totals, here, weight, n_columns, x)
        if n < n_columns:
            for p in range(window.shape[0]):
                for t in range(n):
                    window[p, t] = window[p, index[t]]
            for p in range(K + 1):
                for t in range(n):
                    here[p, t] = here[p, index[t]]
        n_rows = min(height, i + RADIUS + 1) - max(0, i - RADIUS)
        for t in range(n):
            j = left + index[t]
            held[t] = ridge * n_rows * (min(width, j + RADIUS + 1) - max(0, j - RADIUS))
            # The pixel itself is none of its examples.
            x[t] = -weight[index[t]]
        pair = 0
        for a in range(K):
            here_a = here[a]
            for b in range(a + 1):
                for t in range(n):
                    window[pair, t] += x[t] * here_a[t] * here[b, t]
                pair += 1
            for t in range(n):
                d = window[pair - 1, t]
                window[pair - 1, t] = (d if d > _ZERO else _ZERO) + held[t]
        for a in range(K):
            for t in range(n):
                window[pair + a, t] += x[t] * here[a, t] * here[K, t] + held[t] * prior[a]
        _solve(window, here, held, inverse, n, predicted)
        mean = means[plane, i + RADIUS, left + RADIUS : left + RADIUS + n_columns]
        for t in range(n):
            out[i, left + index[t]] = predicted[t] + mean[index[t]]


@helper
def _count(totals: Array, regressors: Array, weight: Array, n: int, x: Array) -> None:
    """Add the weighted products of a row's pixels, in the order of `_add_products`."""
    K = regressors.shape[0] - 1
    pair = 0
    for a in range(K):
        for t in range(n):
            x[t] = weight[t] * regressors[a, t]
        for b in range(a + 2):
            with_target = b > a
            total = _ZERO
            for t in range(n):
                total += x[t] * regressors[K if with_target else b, t]
            if with_target:
                totals[K * (K + 1) // 2 + a] += total
            else:
                totals[pair] += total
                pair += 1
