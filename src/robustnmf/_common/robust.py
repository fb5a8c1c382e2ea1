"""Middles and spreads of numbers of which some are missing or wildly wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from robustnmf._common.arrays import Array

# The standard deviation of Gaussian numbers over the median of their absolute deviations.
GAUSSIAN = 1.4826


def quantile(A: Array, share: float, axis: int) -> Array:
    """Return a quantile of the numbers that are not NaN, between two as NumPy has it.

    To sort many rows takes a tenth of the time of NumPy's own way to a quantile of each.
    """
    ordered = np.sort(A, axis=axis)  # NaN comes last
    position = share * np.maximum((~np.isnan(A)).sum(axis=axis, keepdims=True) - 1, 0)
    below = np.floor(position).astype(int)
    above = np.ceil(position).astype(int)
    low, high = (np.take_along_axis(ordered, i, axis=axis) for i in (below, above))
    return np.squeeze(low + (position - below) * (high - low), axis=axis).astype(A.dtype)


def robust_deviation(deviations: Array, axis: int | None = None) -> Any:
    """Return the standard deviation of Gaussian numbers with the same median |deviation|.

    Without an axis NaN is not allowed, and the answer for no numbers is 0.

    Examples
    --------
    >>> robust_deviation(np.array([-1.0, 0.5, 1.0, 1000.0, -2.0]))
    1.4826
    """
    size = np.abs(deviations)
    if axis is None:
        return GAUSSIAN * float(np.median(size)) if size.size else 0.0
    return GAUSSIAN * quantile(size, 0.5, axis=axis).astype(float)
