"""Filters of pictures: a separable blur, and medians. Beyond its edges a picture is mirrored."""

from __future__ import annotations

import functools

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._kernels.jit import jit

# Pixels of a row that are sorted at a time, so that the values of all windows stay in cache.
_AT_ONCE = 256


def blur(planes: Array, taps: Array) -> Array:
    """Convolve pictures with the same symmetric taps along rows and along columns.

    Parameters
    ----------
    planes : ndarray of float32, shape (n, height, width)
        The pictures.
    taps : ndarray of float32, shape (2 * reach + 1,)
        Weights.

    Examples
    --------
    >>> import numpy as np
    >>> peak = np.zeros((1, 3, 3), dtype=np.float32); peak[0, 1, 1] = 1
    >>> blur(peak, np.float32([0.25, 0.5, 0.25]))[0, 1]
    array([0.125, 0.25 , 0.125], dtype=float32)
    """
    out = np.empty_like(planes)
    padded = mirrored(planes, len(taps) // 2)
    _blur(padded, taps, np.empty(padded.shape[2], np.float32), out)
    return out


def median_filter(planes: Array, side: int, *, ring: bool = False) -> Array:
    """Return the median of the square around each pixel.

    Parameters
    ----------
    planes : ndarray of shape (n, height, width)
        The pictures; floats, and none missing.
    side : int
        Height and width of the square; odd.
    ring : bool, default=False
        Whether the pixel itself does not count. Of an even number of values the median is the
        larger of the two in the middle.

    Examples
    --------
    >>> import numpy as np
    >>> median_filter(np.arange(9, dtype=np.float32).reshape(1, 3, 3), 3)[0, 1, 1]
    np.float32(4.0)
    """
    steps = [(i, j) for i in range(side) for j in range(side)]
    if ring:
        del steps[len(steps) // 2]
    return ranked(mirrored(planes, side // 2), steps, len(steps) // 2, planes)


def ranked(
    padded: Array,
    steps: list[tuple[int, int]],
    rank: int,
    planes: Array,
    *,
    differences: bool = False,
) -> Array:
    """Return the value of a rank among the values at some steps from each pixel.

    Parameters
    ----------
    padded : ndarray of shape (n, height + rows, width + columns)
        The values; those of a pixel's window begin where the pixel is in `planes`.
    steps : list of pairs of int
        Rows and columns from there.
    rank : int
        0 for the smallest.
    planes : ndarray of shape (n, height, width)
        The pixels.
    differences : bool, default=False
        Whether to rank by how far values are from the pixel, and to return that.
    """
    n = len(steps)
    out = np.empty_like(planes)
    values = np.empty((n, min(_AT_ONCE, planes.shape[2])), planes.dtype)
    _select(padded, planes, differences, np.array(steps), network(n, rank), rank, values, out)
    return out


@functools.cache
def network(n: int, rank: int) -> Array:
    """Return pairs to be put in order, one after another, until one of n values is in its place.

    Batcher's odd-even merge sort, without the pairs that do not matter to the value of that rank.

    Returns
    -------
    ndarray of int, shape (n_pairs, 2)

    Examples
    --------
    >>> network(3, 1).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    pairs: list[tuple[int, int]] = []
    p = 1
    while p < n:
        k = p
        while k >= 1:
            firsts = (
                i + j
                for j in range(k % p, n - k, 2 * k)
                for i in range(min(k, n - j - k))
                if (i + j) // (2 * p) == (i + j + k) // (2 * p)
            )
            pairs += [(first, first + k) for first in firsts]
            k //= 2
        p *= 2
    matter, kept = {rank}, []
    for pair in reversed(pairs):
        if matter.intersection(pair):
            matter.update(pair)
            kept.append(pair)
    return np.array(kept[::-1], dtype=np.int64).reshape(-1, 2)


def mirrored(planes: Array, margin: int) -> Array:
    """Continue pictures beyond their edges, the last pixel twice."""
    return np.pad(planes, ((0, 0), (margin, margin), (margin, margin)), mode="symmetric")


@jit
def _blur(padded: Array, taps: Array, row: Array, out: Array) -> None:
    n, height, width = out.shape
    for c in range(n):
        for i in range(height):
            for j in range(row.shape[0]):
                row[j] = 0
            for d in range(taps.shape[0]):
                source, tap = padded[c, i + d], taps[d]
                for j in range(row.shape[0]):
                    row[j] += tap * source[j]
            to = out[c, i]
            for j in range(width):
                to[j] = 0
            for d in range(taps.shape[0]):
                source, tap = row[d:], taps[d]
                for j in range(width):
                    to[j] += tap * source[j]


@jit
def _select(
    padded: Array,
    planes: Array,
    differences: bool,
    steps: Array,
    network: Array,
    rank: int,
    values: Array,
    out: Array,
) -> None:
    """Sort the values of all windows of a row side by side, as far as that rank needs it."""
    n, height, width = out.shape
    at_once = values.shape[1]
    for c in range(n):
        for i in range(height):
            for left in range(0, width, at_once):
                m = min(at_once, width - left)
                for s in range(steps.shape[0]):
                    source, to = padded[c, i + steps[s, 0], left + steps[s, 1] :], values[s]
                    if differences:
                        own = planes[c, i, left:]
                        for j in range(m):
                            to[j] = abs(source[j] - own[j])
                    else:
                        for j in range(m):
                            to[j] = source[j]
                for s in range(network.shape[0]):
                    low, high = values[network[s, 0]], values[network[s, 1]]
                    for j in range(m):
                        a, b = low[j], high[j]
                        low[j] = a if a < b else b
                        high[j] = b if a < b else a
                source, to = values[rank], out[c, i, left:]
                for j in range(m):
                    to[j] = source[j]
