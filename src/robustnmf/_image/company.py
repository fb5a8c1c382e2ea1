"""Pixels in good company: an odd value that trusted neighbours share is no impulse.

On a jagged edge or a thin line no smooth prediction holds, but the pixels there have others of
their kind beside them. Impulses have not, unless they are impulses, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._kernels.cpu._jit import jit

Array = NDArray[Any]


def distance_to_company(values: Array, trusted: Array) -> Array:
    """Return how far each pixel is from the third nearest value among its trusted neighbours.

    Parameters
    ----------
    values : ndarray of float32, shape (height, width)
        The picture.
    trusted : ndarray of bool, same shape
        Pixels that can speak for others.

    Returns
    -------
    ndarray of float32, same shape
        Infinite where fewer than three of the eight neighbours are trusted.

    Examples
    --------
    >>> import numpy as np
    >>> picture = np.zeros((4, 4), dtype=np.float32); picture[:2, :2] = picture[3, 3] = 9
    >>> distance_to_company(picture, np.ones((4, 4), dtype=bool))[[1, 3], [1, 3]]
    array([0., 9.], dtype=float32)
    """
    out = np.empty_like(values)
    _third_nearest(values, trusted, out)
    return out


@jit
def _third_nearest(values: Array, trusted: Array, out: Array) -> None:
    height, width = values.shape
    for i in range(height):
        for j in range(width):
            first = second = third = np.float32(np.inf)
            for a in range(max(0, i - 1), min(height, i + 2)):
                for b in range(max(0, j - 1), min(width, j + 2)):
                    if (a == i and b == j) or not trusted[a, b]:
                        continue
                    d = abs(values[a, b] - values[i, j])
                    if d < first:
                        first, second, third = d, first, second
                    elif d < second:
                        second, third = d, second
                    elif d < third:
                        third = d
            out[i, j] = third
