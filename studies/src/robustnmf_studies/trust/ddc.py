"""Detecting deviating cells, as a method to compare with; written from its description.

P. J. Rousseeuw, W. Van den Bossche, "Detecting deviating data cells", Technometrics 60 (2018).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from robustnmf_studies.trust.scales import robust_sd

Array = NDArray[Any]
# As its authors have it: the share of clean cells that pass, and the least correlation that counts.
_QUANTILE, _LEAST_CORRELATION = 0.99, 0.5
_CUT = float(np.sqrt(chi2.ppf(_QUANTILE, 1)))
_CUT_PAIR = float(chi2.ppf(_QUANTILE, 2))
# Fewer rows than this say nothing about a pair of columns.
_LEAST_ROWS = 5


def detect_deviating_cells(Z: Array) -> tuple[NDArray[np.bool_], Array]:
    """Find cells that do not fit their column, or do not fit the rest of their row.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_columns)
        Robustly standardised, with NaN for missing cells.

    Returns
    -------
    mask : ndarray of bool
        Which cells deviate.
    expected : ndarray
        What the other cells of their rows let expect.

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.outer(np.linspace(-2, 2, 50), [1, 1, 1]) + 0.01 * np.eye(50, 3)
    >>> Z[40, 1] = -1.5
    >>> mask, expected = detect_deviating_cells(Z)
    >>> bool(mask[40, 1]), bool(expected[40, 1] > 0)
    (True, True)
    """
    m = Z.shape[1]
    # What is far out in its own column is no witness for others.
    U = np.where(np.abs(Z) <= _CUT, Z, np.nan)
    correlations, slopes = np.eye(m), np.eye(m)
    for j in range(m):
        for h in range(j):
            correlation = _correlation(U[:, j], U[:, h])
            correlations[j, h] = correlations[h, j] = correlation
            if abs(correlation) >= _LEAST_CORRELATION:
                slopes[j, h] = _slope(U[:, h], U[:, j])
                slopes[h, j] = _slope(U[:, j], U[:, h])
    # A column is a witness for itself, too, as its authors have it.
    weights = np.where(np.abs(correlations) >= _LEAST_CORRELATION, np.abs(correlations), 0.0)
    known = np.isfinite(U)
    filled = np.where(known, U, 0.0)
    total = known @ weights.T
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = np.where(total > 0, filled @ (weights * slopes).T / total, 0.0)
    for j in range(m):
        if not (np.delete(weights[j], j) > 0).any():
            # Nobody knows anything about this column: its own middle has to do.
            expected[:, j] = 0.0
            continue
        # A mean of several witnesses is too near to the middle.
        expected[:, j] *= _slope(expected[:, j], Z[:, j])
    residuals = Z - expected
    scales = np.array([robust_sd(column) for column in residuals.T])
    return (np.abs(residuals / scales) > _CUT) & np.isfinite(Z), expected


def _correlation(a: Array, b: Array) -> float:
    """Return the correlation of the pairs within the ellipse that most pairs lie in."""
    both = np.isfinite(a) & np.isfinite(b)
    if both.sum() < _LEAST_ROWS:
        return 0.0
    a, b = a[both], b[both]
    plus, minus = robust_sd(a + b) ** 2, robust_sd(a - b) ** 2
    first = float(np.clip((plus - minus) / (plus + minus), -0.99, 0.99))
    distance = (a * a - 2 * first * a * b + b * b) / (1 - first * first)
    inside = distance <= _CUT_PAIR
    a, b = a[inside], b[inside]
    if len(a) < _LEAST_ROWS or a.std() == 0 or b.std() == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


def _slope(x: Array, y: Array) -> float:
    """Return the slope of y on x through the origin, without the pairs far off a first line."""
    both = np.isfinite(x) & np.isfinite(y) & (x != 0)
    if both.sum() < _LEAST_ROWS:
        return 1.0
    x, y = x[both], y[both]
    residuals = y - float(np.median(y / x)) * x
    near = np.abs(residuals) <= _CUT * robust_sd(residuals)
    power = float((x[near] ** 2).sum())
    return float((x[near] * y[near]).sum() / power) if power > 0 else 1.0
