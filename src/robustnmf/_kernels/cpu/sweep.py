"""HALS sweeps, a tile of rows at a time."""

from __future__ import annotations

from typing import Literal

import numpy as np

from robustnmf._kernels.jit import Array, jit

# In a row each component waits for the one before, and the processor for both. Rows do not wait for
# each other, so a tile of them runs side by side in vectors. Its size is fixed, with the last tile
# filled up: how a row is rounded must not depend on how many there are.
TILE = 64


def sweep_rows(W: Array, gram: Array, cross: Array, sweeps: int) -> Array:
    """See `portable.sweep_rows`; the result has the memory order of W."""
    (n, k), dtype = W.shape, W.dtype
    # H is swept as Hᵀ, whose memory is that of H. The kernel takes either order as flat memory and
    # two strides: compiled for two kinds of array, it would be compiled twice.
    turned = not W.flags.c_contiguous and W.flags.f_contiguous
    order: Literal["C", "F"] = "F" if turned else "C"
    down, across = (1, n) if turned else (k, 1)
    swept = np.empty((n, k), dtype, order)
    # Four components at a time save three of four trips of the sum to memory and back.
    padded = -(-k // 4) * 4
    G, inverse = np.zeros((k, padded), dtype), np.zeros(k, dtype)
    w, pull = np.zeros((padded, TILE), dtype), np.zeros((k, TILE), dtype)
    slope = np.empty(TILE, dtype)
    _sweep_rows(
        *(W.ravel(order), cross.ravel(order), swept.ravel(order)),
        *(down, across),
        np.ascontiguousarray(gram),
        sweeps,
        *(G, inverse, w, pull, slope),
    )
    return swept


@jit
def _sweep_rows(W, cross, swept, down, across, gram, sweeps, G, inverse, w, pull, slope):
    k = gram.shape[0]
    n = W.shape[0] // k
    zero = W.dtype.type(0)
    for j in range(k):
        if gram[j, j] > 0:
            inverse[j] = 1 / gram[j, j]
            for p in range(k):
                G[j, p] = gram[j, p]
    for first in range(0, n, TILE):
        last = n if n - first < TILE else first + TILE
        for i in range(first, last):
            for p in range(k):
                w[p, i - first] = W[i * down + p * across]
                pull[p, i - first] = cross[i * down + p * across]
        for _ in range(sweeps):
            for j in range(k):
                for p in range(0, w.shape[0], 4):
                    a, b, c, d = G[j, p], G[j, p + 1], G[j, p + 2], G[j, p + 3]
                    for t in range(TILE):
                        low, high = a * w[p, t] + b * w[p + 1, t], c * w[p + 2, t] + d * w[p + 3, t]
                        slope[t] = (pull[j, t] if p == 0 else slope[t]) - (low + high)
                for t in range(TILE):
                    new = w[j, t] + inverse[j] * slope[t]
                    w[j, t] = new if new > zero else zero
        for i in range(first, last):
            for p in range(k):
                swept[i * down + p * across] = w[p, i - first]
