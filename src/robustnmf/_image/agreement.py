"""Do trusted neighbours agree with a pixel? If three have nearly its value, it is no impulse.

On a jagged edge or a thin line no smooth prediction holds, but the pixels there have others of
nearly their value beside them. Impulses have not, unless these are impulses, too.
"""

from __future__ import annotations

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._kernels.jit import jit


def third_smallest_difference(values: Array, trusted: Array) -> Array:
    """Return the third smallest absolute difference of each pixel from its trusted neighbours.

    Parameters
    ----------
    values : ndarray of float32, shape (height, width)
        The picture.
    trusted : ndarray of bool, same shape
        Pixels that are held to be clean.

    Returns
    -------
    ndarray of float32, same shape
        Infinite where fewer than three of the eight neighbours are trusted.

    Examples
    --------
    >>> import numpy as np
    >>> picture = np.zeros((4, 4), dtype=np.float32); picture[:2, :2] = picture[3, 3] = 9
    >>> third_smallest_difference(picture, np.ones((4, 4), dtype=bool))[[1, 3], [1, 3]]
    array([0., 9.], dtype=float32)
    """
    out = np.empty_like(values)
    _third_smallest(values, trusted, out)
    return out


@jit
def _third_smallest(values: Array, trusted: Array, out: Array) -> None:
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
