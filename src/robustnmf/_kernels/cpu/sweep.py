"""HALS sweeps, a tile of rows at a time."""

from __future__ import annotations

import numpy as np

from robustnmf._kernels.cpu._jit import Array, jit

# In a row each component waits for the one before, and the processor for both. Rows do not wait for
# each other, so a tile of them runs side by side in vectors. Its size is fixed, with the last tile
# filled up: how a row is rounded must not depend on how many there are.
TILE = 64


def sweep_rows(W: Array, gram: Array, cross: Array, sweeps: int) -> Array:
    """See `portable.sweep_rows`; the result has the memory order of W."""
    swept = np.empty_like(W)
    _sweep_rows(W, np.ascontiguousarray(gram), cross, sweeps, swept)
    return swept


@jit
def _sweep_rows(W, gram, cross, sweeps, swept):
    n, k = W.shape
    # Four components at a time save three of four trips of the sum to memory and back.
    padded = -(-k // 4) * 4
    G = np.zeros((k, padded), W.dtype)
    inverse = np.zeros(k, W.dtype)
    for j in range(k):
        if gram[j, j] > 0:
            inverse[j] = 1 / gram[j, j]
            G[j, :k] = gram[j]
    w = np.zeros((padded, TILE), W.dtype)
    pull = np.zeros((k, TILE), W.dtype)
    for first in range(0, n, TILE):
        size = min(TILE, n - first)
        for p in range(k):
            for t in range(size):
                w[p, t] = W[first + t, p]
                pull[p, t] = cross[first + t, p]
        for _ in range(sweeps):
            _sweep_tile(w, G, inverse, pull)
        for p in range(k):
            for t in range(size):
                swept[first + t, p] = w[p, t]


@jit
def _sweep_tile(w, G, inverse, pull):
    zero = w.dtype.type(0)
    slope = np.empty(TILE, w.dtype)
    for j in range(pull.shape[0]):
        for t in range(TILE):
            slope[t] = pull[j, t]
        for p in range(0, w.shape[0], 4):
            a, b, c, d = G[j, p], G[j, p + 1], G[j, p + 2], G[j, p + 3]
            for t in range(TILE):
                slope[t] -= (a * w[p, t] + b * w[p + 1, t]) + (c * w[p + 2, t] + d * w[p + 3, t])
        for t in range(TILE):
            new = w[j, t] + inverse[j] * slope[t]
            w[j, t] = new if new > zero else zero
