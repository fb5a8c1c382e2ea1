"""HALS sweeps, row by row."""

from __future__ import annotations

import numpy as np

from robustnmf.kernels.cpu._jit import Array, jit


def sweep_rows(W: Array, gram: Array, cross: Array, sweeps: int) -> Array:
    """See `portable.sweep_rows`."""
    W = np.array(W, order="C")
    _sweep_rows(W, np.ascontiguousarray(gram), np.ascontiguousarray(cross), sweeps)
    return W


@jit
def _sweep_rows(W, gram, cross, sweeps):
    k = W.shape[1]
    zero = W.dtype.type(0)
    gradient = np.empty(k, W.dtype)
    inverse = np.zeros(k, W.dtype)
    for j in range(k):
        if gram[j, j] > 0:
            inverse[j] = 1 / gram[j, j]
    for i in range(W.shape[0]):
        w = W[i]
        for j in range(k):
            gradient[j] = -cross[i, j]
        for p in range(k):
            for j in range(k):
                gradient[j] += w[p] * gram[p, j]
        for _ in range(sweeps):
            moved = False
            for j in range(k):
                new = w[j] - gradient[j] * inverse[j]
                new = new if new > zero else zero
                step = new - w[j]
                # Many weights are zero and stay so. The gradient is kept up to date instead of
                # being computed anew for each component: that runs in vectors.
                if step != zero:
                    moved = True
                    w[j] = new
                    for p in range(k):
                        gradient[p] += step * gram[j, p]
            if not moved:
                break
