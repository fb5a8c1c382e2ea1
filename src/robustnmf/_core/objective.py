"""The objective, in one place: f = Σ q(X − WH − E)² + Σ price of each row of E."""

from __future__ import annotations

from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._common.places import widest
from robustnmf._core.noise import NoiseModel


def row_losses(
    X: Array, P: Array, E: Array, noise: NoiseModel, weights: Array | None = None
) -> tuple[Array, Array]:
    """Squared misfit and penalty of each row, for any E; missing entries do not count.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf._core.noise import SquaredL1
    >>> x, p, e = np.array([[1.0, np.nan, 9.0]]), np.ones((1, 3)), np.array([[0.0, 0.0, 6.0]])
    >>> row_losses(x, p, e, SquaredL1(lam=0.5))
    (array([4.]), array([18.]))
    """
    xp = array_namespace(X, P, E)
    residual = X - P
    residual -= E
    residual = xp.astype(residual, widest(residual), copy=False)
    squares = _weighted_squares(residual, weights)
    if xp.any(xp.isnan(squares)):
        known = xp.where(xp.isnan(X), xp.zeros_like(residual), residual)
        squares = _weighted_squares(known, weights)
    return squares, noise.penalty(E)


def _weighted_squares(residual: Array, weights: Array | None) -> Array:
    xp = array_namespace(residual)
    return xp.vecdot(residual if weights is None else weights * residual, residual)
