"""New components H from the sums over all rows."""

from __future__ import annotations

from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._core.block import Stats
from robustnmf._kernels import kernels_for


def update_components(H: Array, stats: Stats, sweeps: int) -> Array:
    """HALS sweeps on H: the same step as for W, with the roles of rows and columns exchanged.

    Examples
    --------
    >>> import numpy as np
    >>> W, X = np.array([[1.0], [2.0]]), np.array([[1.0, 3.0], [2.0, 6.0]])
    >>> update_components(np.ones((1, 2)), Stats(W.T @ W, W.T @ X, 0.0), sweeps=1)
    array([[1., 3.]])
    """
    gram, cross = stats.gram, stats.cross
    if cross.dtype != H.dtype:
        xp = array_namespace(H)
        gram, cross = (xp.astype(A, H.dtype) for A in (gram, cross))
    return kernels_for(H).sweep_rows(H.T, gram, cross.T, sweeps).T
