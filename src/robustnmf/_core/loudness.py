"""Rows that are far louder than the rest.

Squares make a few of them count more than all others together: they would have components of their
own before anybody can tell what they have in common with the rest, or that it is nothing.
"""

from __future__ import annotations

import numpy as np

from robustnmf._common.arrays import Array


def loudness(sizes: Array, loud: float) -> Array:
    """Return by what to divide each row so that none is far louder than the rest; n×1.

    Parameters
    ----------
    sizes : array, n×1
        How large the values of each row are. Rows that hold nothing say nothing of what is usual,
        however many they are.
    loud : float
        So many times the usual size is loud.

    Examples
    --------
    >>> loudness(np.array([[1.0], [2.0], [3.0], [40.0], [0.0]]), loud=4.0).T
    array([[1., 1., 1., 4., 1.]])
    """
    usual = float(np.median(sizes[sizes > 0])) if (sizes > 0).any() else 1.0
    return np.maximum(sizes / (loud * usual), 1).astype(sizes.dtype)
