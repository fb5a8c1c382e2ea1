"""HALS sweeps, a tile of rows at a time."""

from __future__ import annotations

from typing import Literal

import numpy as np

from robustnmf._kernels.jit import Array, helper, inlined, jit

# In a row each component waits for the one before, and the processor for both. Rows do not wait for
# each other, so a tile of them runs side by side in vectors. The last tile is filled up: how a row
# is rounded must not depend on how many there are. Wide tiles are faster where there are so many.
TILE, WIDE_TILE = 64, 128


def sweep_rows(W: Array, gram: Array, cross: Array, sweeps: int) -> Array:
    """See `portable.sweep_rows`; the result has the memory order of W."""
    (n, k), dtype = W.shape, W.dtype
    # H is swept as Hᵀ, whose memory is that of H. The kernel takes either order as flat memory and
    # two strides: compiled for two kinds of array, it would be compiled twice.
    turned = not W.flags.c_contiguous and W.flags.f_contiguous
    order: Literal["C", "F"] = "F" if turned else "C"
    down, across = (1, n) if turned else (k, 1)
    swept = np.empty((n, k), dtype, order)
    _sweep_rows(
        *(W.ravel(order), cross.ravel(order), swept.ravel(order)),
        *(down, across),
        np.ascontiguousarray(gram),
        sweeps,
        *tile_scratch(k, dtype, TILE if n <= TILE else WIDE_TILE),
    )
    return swept


def tile_scratch(
    k: int, dtype: np.dtype, size: int = TILE
) -> tuple[Array, Array, Array, Array, Array]:
    """Room for `sweep_tile`: w and pull of a tile's rows, and what `learn_gram` writes."""
    # Four components at a time save three of four trips of the sum to memory and back.
    padded = -(-k // 4) * 4
    tile = aligned(2 * padded + 1, size, dtype)
    tile[:] = 0
    G, inverse = np.zeros((k, padded), dtype), np.zeros(padded, dtype)
    return tile[:padded], tile[padded:-1], G, inverse, tile[-1]


def aligned(n: int, m: int, dtype: np.dtype) -> Array:
    """Return an empty array whose rows begin with lines of the cache, and are as long as some.

    Where vectors cross these lines, loops over products take a quarter longer.
    """
    line = 64 // dtype.itemsize
    width = -(-m // line) * line
    room = np.empty((n + 1) * width, dtype)
    first = -(room.__array_interface__["data"][0] // dtype.itemsize) % line
    return room[first : first + n * width].reshape(n, width)


@jit
def _sweep_rows(W, cross, swept, down, across, gram, sweeps, w, pull, G, inverse, best):
    k, tile = gram.shape[0], w.shape[1]
    n = W.shape[0] // k
    learn_gram(gram, G, inverse)
    for first in range(0, n, tile):
        last = n if n - first < tile else first + tile
        for i in range(first, last):
            for p in range(k):
                w[p, i - first] = W[i * down + p * across]
                pull[p, i - first] = inverse[p] * cross[i * down + p * across]
        sweep_tile(w, pull, G, best, sweeps)
        for i in range(first, last):
            for p in range(k):
                swept[i * down + p * across] = w[p, i - first]


@inlined
def learn_gram(gram, G, inverse):
    """Write G such that pull − G w is where each component is best, given the others.

    The pull is cross times what is written to `inverse`.
    """
    for j in range(gram.shape[0]):
        if gram[j, j] > 0:
            inverse[j] = 1 / gram[j, j]
            for p in range(gram.shape[0]):
                G[j, p] = inverse[j] * gram[j, p] if p != j else 0
        else:
            G[j, j] = -1  # a dead component stays as it is


@helper
def sweep_tile(w, pull, G, best, sweeps):
    """HALS sweeps on the rows of a tile, which are the columns of w; overwrites w."""
    zero = w.dtype.type(0)
    for _ in range(sweeps):
        for j in range(G.shape[0]):
            for p in range(0, w.shape[0], 4):
                a, b, c, d = G[j, p], G[j, p + 1], G[j, p + 2], G[j, p + 3]
                for t in range(w.shape[1]):
                    low, high = a * w[p, t] + b * w[p + 1, t], c * w[p + 2, t] + d * w[p + 3, t]
                    best[t] = (pull[j, t] if p == 0 else best[t]) - (low + high)
            for t in range(w.shape[1]):
                w[j, t] = best[t] if best[t] > zero else zero
