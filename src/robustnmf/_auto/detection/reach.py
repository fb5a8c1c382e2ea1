"""Values cut off far above what is usual, for a first fit.

The convex noise model bounds what one entry can do, but not what the size of many can.
"""

from __future__ import annotations

import numpy as np

from robustnmf._auto.detection.settings import ROWS
from robustnmf._common.arrays import Array
from robustnmf._common.robust import quantile


def within_reach(X: Array, rows: Array, profile: Array) -> Array:
    """Return X with values cut off that are far above the size of their row times a profile.

    Examples
    --------
    >>> within_reach(np.array([[1.0, 9.0]]), np.array([1.0]), np.array([1.0, 2.0]))
    array([[1., 3.]])
    """
    return np.minimum(X, (ROWS.reach * rows[:, None] * profile).astype(X.dtype))


def usual(X: Array, axis: int) -> Array:
    """Return the usual value of a row or column, which is not 0 because most entries are."""
    return np.maximum(quantile(X, 0.5, axis=axis), ROWS.least_usual * np.nanmean(X, axis=axis))


def within_rows_and_columns(X: Array) -> Array:
    """Return X with values cut off that are far above what their row and column would suggest."""
    rows, columns = (usual(X, axis) for axis in (1, 0))
    common = max(float(np.mean(rows)), np.finfo(X.dtype).tiny)
    return within_reach(X, rows, columns / common)


def within_components(X: Array, H: Array, share: float) -> Array:
    """Return X with values cut off that are far above what the mean component would suggest.

    The size of a row is such that a share of its entries is below.
    """
    profile = H.mean(axis=0)
    relative = X / np.maximum(profile, np.finfo(X.dtype).tiny ** 0.5)
    high = quantile(np.where(profile > 0, relative, np.nan), share, axis=1)
    least = ROWS.least_usual * np.nanmean(X, axis=1) / max(float(profile.mean()), 1e-300)
    return within_reach(X, np.maximum(high, least), profile)
