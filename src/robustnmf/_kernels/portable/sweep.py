"""HALS sweeps."""

from __future__ import annotations

from array_api_compat import array_namespace

from robustnmf._common.arrays import Array


def sweep_rows(W: Array, gram: Array, cross: Array, sweeps: int) -> Array:
    """HALS: minimise ‖X̂ − W H‖² over one column of W ≥ 0 after another, `sweeps` times.

    gram = H Hᵀ (k×k) and cross = X̂ Hᵀ (b×k) are all that is needed of the data.
    """
    xp = array_namespace(W)
    W = xp.asarray(W, copy=True)
    zero = xp.zeros_like(W[:, 0])
    for _ in range(sweeps):
        for j in range(W.shape[1]):
            if float(gram[j, j]) > 0:
                gradient = W @ gram[:, j] - cross[:, j]
                W[:, j] = xp.maximum(W[:, j] - gradient / gram[j, j], zero)
    return W
