"""Do trusted neighbours agree with a pixel? If three have nearly its value, it is no impulse.

On a jagged edge or a thin line no smooth prediction holds, but the pixels there have others of
nearly their value beside them. Impulses have not, unless these are impulses, too.
"""

from __future__ import annotations

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._kernels.jit import jit


def third_smallest_difference(values: Array, trusted: Array, wanted: Array) -> Array:
    """Return the third smallest absolute difference of each pixel from its trusted neighbours.

    Parameters
    ----------
    values : ndarray of float32, shape (n, height, width)
        The pictures.
    trusted : ndarray of bool, same shape
        Pixels that are held to be clean.
    wanted : ndarray of bool, same shape
        Pixels to compare.

    Returns
    -------
    ndarray of float32, same shape
        Infinite where fewer than three of the eight neighbours are trusted, and where it is not
        wanted.

    Examples
    --------
    >>> import numpy as np
    >>> picture = np.zeros((1, 4, 4), dtype=np.float32)
    >>> picture[0, :2, :2] = picture[0, 3, 3] = 9
    >>> everywhere = np.ones(picture.shape, dtype=bool)
    >>> third_smallest_difference(picture, everywhere, everywhere)[0, [1, 3], [1, 3]]
    array([0., 9.], dtype=float32)
    """
    out = np.full_like(values, np.inf)
    _third_smallest(values, trusted, wanted, out)
    return out


@jit
def _third_smallest(values: Array, trusted: Array, wanted: Array, out: Array) -> None:
    n, height, width = values.shape
    for c in range(n):
        for i in range(height):
            for j in range(width):
                if not wanted[c, i, j]:
                    continue
                first = second = third = np.float32(np.inf)
                for a in range(max(0, i - 1), min(height, i + 2)):
                    for b in range(max(0, j - 1), min(width, j + 2)):
                        if (a == i and b == j) or not trusted[c, a, b]:
                            continue
                        d = abs(values[c, a, b] - values[c, i, j])
                        if d < first:
                            first, second, third = d, first, second
                        elif d < second:
                            second, third = d, second
                        elif d < third:
                            third = d
                out[c, i, j] = third
