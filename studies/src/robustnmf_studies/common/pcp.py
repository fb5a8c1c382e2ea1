"""Robust PCA by principal component pursuit, as a method to compare with.

E. J. Candès, X. Li, Y. Ma, J. Wright, "Robust principal component analysis?", J. ACM 58 (2011).
Z. Lin, M. Chen, Y. Ma, "The augmented Lagrange multiplier method for exact recovery of corrupted
low-rank matrices", arXiv:1009.5055 (the inexact form).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# How fast the penalty grows: faster ends sooner, and further from the optimum.
_GROWTH = 1.5
# It never needs so many.
_MOST_ITERATIONS = 500


class Pursuit(NamedTuple):
    """X ≈ low_rank + sparse."""

    low_rank: NDArray[Any]
    sparse: NDArray[Any]
    n_iter: int


def principal_component_pursuit(X: NDArray[Any], *, tol: float = 1e-6) -> Pursuit:
    """Split X into a low-rank and a sparse matrix.

    Minimises ‖L‖₊ + λ‖S‖₁ with L + S = X, ‖L‖₊ being the sum of the singular values. λ is
    1 / √max(n_samples, n_features), for which exact recovery is proven under conditions.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The data.
    tol : float, default=1e-6
        Stop when ‖X − L − S‖ is below this share of ‖X‖.

    Returns
    -------
    Pursuit
        ``low_rank``, ``sparse`` (with exact zeros) and ``n_iter``.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.outer(np.arange(1.0, 41), np.arange(1.0, 31))
    >>> X[3, 4] += 500
    >>> found = principal_component_pursuit(X)
    >>> [(int(i), int(j)) for i, j in np.argwhere(np.abs(found.sparse) > 1)]
    [(3, 4)]
    """
    X = np.asarray(X, dtype=np.float64)
    lam = 1 / math.sqrt(max(X.shape))
    size = float(np.linalg.norm(X))
    if size == 0:
        return Pursuit(X.copy(), X.copy(), 0)
    spectral = float(np.linalg.norm(X, 2))
    penalty = 1.25 / spectral
    # The dual variable starts feasible, which spares the first iterations.
    dual = X / max(spectral, float(np.abs(X).max()) / lam)
    S = np.zeros_like(X)
    L = S
    n_iter = 0
    while n_iter < _MOST_ITERATIONS:
        n_iter += 1
        L = _shrink_singular_values(X - S + dual / penalty, 1 / penalty)
        S = _shrink(X - L + dual / penalty, lam / penalty)
        gap = X - L - S
        dual += penalty * gap
        if np.linalg.norm(gap) <= tol * size:
            break
        penalty = min(penalty * _GROWTH, 1e9 / spectral)
    return Pursuit(L, S, n_iter)


def _shrink(A: NDArray[Any], by: float) -> NDArray[Any]:
    return np.sign(A) * np.maximum(np.abs(A) - by, 0)


def _shrink_singular_values(A: NDArray[Any], by: float) -> NDArray[Any]:
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    rank = int(np.count_nonzero(s > by))
    return (U[:, :rank] * (s[:rank] - by)) @ Vt[:rank]
