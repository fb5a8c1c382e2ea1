"""The objective, in one place: f = Σ q(X − WH − E)² + Σ price of each row of E."""

from __future__ import annotations

from robustnmf._common.arrays import Array
from robustnmf._core.noise import NoiseModel
from robustnmf._kernels import kernels_for


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
    misfit = kernels_for(X).clean_weighted(X, P + E, weights, 1.0)[1]
    return misfit, noise.penalty(E)
