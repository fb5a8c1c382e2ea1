"""HALS sweeps, a tile of rows at a time."""

from __future__ import annotations

import numpy as np

from robustnmf._kernels.jit import Array, inlined, jit

# In a row each component waits for the one before, and the processor for both. Rows do not wait for
# each other, so a tile of them runs side by side in vectors. Its size is fixed, with the last tile
# filled up: how a row is rounded must not depend on how many there are.
TILE = 64


def sweep_rows(W: Array, gram: Array, cross: Array, sweeps: int) -> Array:
    """See `portable.sweep_rows`; the result has the memory order of W."""
    k, dtype = W.shape[1], W.dtype
    # H is swept as Hᵀ, whose memory is that of H. The kernel takes either order as a row-major
    # array: compiled for two kinds of array, it would be compiled twice.
    turned = not W.flags.c_contiguous and W.flags.f_contiguous
    W, cross = (W.T, cross.T) if turned else (W, cross)
    W, cross, gram = map(np.ascontiguousarray, (W, cross, gram))
    swept = np.empty_like(W)
    # Four components at a time save three of four trips of the sum to memory and back.
    padded = -(-k // 4) * 4
    G, inverse = np.zeros((k, padded), dtype), np.zeros(k, dtype)
    w, pull = np.zeros((padded, TILE), dtype), np.zeros((k, TILE), dtype)
    slope = np.empty(TILE, dtype)
    _sweep_rows(turned, W, cross, swept, gram, sweeps, G, inverse, w, pull, slope)
    return swept.T if turned else swept


@inlined
def _sweep_tile(w, G, inverse, pull, slope):
    zero = w.dtype.type(0)
    for j in range(pull.shape[0]):
        for p in range(0, w.shape[0], 4):
            a, b, c, d = G[j, p], G[j, p + 1], G[j, p + 2], G[j, p + 3]
            for t in range(TILE):
                low, high = a * w[p, t] + b * w[p + 1, t], c * w[p + 2, t] + d * w[p + 3, t]
                slope[t] = (pull[j, t] if p == 0 else slope[t]) - (low + high)
        for t in range(TILE):
            new = w[j, t] + inverse[j] * slope[t]
            w[j, t] = new if new > zero else zero


@jit
def _sweep_rows(turned, W, cross, swept, gram, sweeps, G, inverse, w, pull, slope):
    n, k = W.shape[1] if turned else W.shape[0], gram.shape[0]
    for j in range(k):
        if gram[j, j] > 0:
            inverse[j] = 1 / gram[j, j]
            for p in range(k):
                G[j, p] = gram[j, p]
    for first in range(0, n, TILE):
        size = min(TILE, n - first)
        if turned:
            for p in range(k):
                for t in range(size):
                    w[p, t] = W[p, first + t]
                    pull[p, t] = cross[p, first + t]
        else:
            for t in range(size):
                for p in range(k):
                    w[p, t] = W[first + t, p]
                    pull[p, t] = cross[first + t, p]
        for _ in range(sweeps):
            _sweep_tile(w, G, inverse, pull, slope)
        if turned:
            for p in range(k):
                for t in range(size):
                    swept[p, first + t] = w[p, t]
        else:
            for t in range(size):
                for p in range(k):
                    swept[first + t, p] = w[p, t]
