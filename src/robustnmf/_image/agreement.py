"""Do trusted neighbours agree with a pixel? If three have nearly its value, it is no impulse.

On a jagged edge or a thin line no smooth prediction holds, but the pixels there have others of
nearly their value beside them. Impulses have not, unless these are impulses, too.
"""

from __future__ import annotations

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._image.filters import ranked

_AROUND = [(i, j) for i in range(3) for j in range(3) if (i, j) != (1, 1)]


def third_smallest_difference(values: Array, trusted: Array) -> Array:
    """Return the third smallest absolute difference of each pixel from its trusted neighbours.

    Parameters
    ----------
    values : ndarray of float32, shape (n, height, width)
        The pictures.
    trusted : ndarray of bool, same shape
        Pixels that are held to be clean.

    Returns
    -------
    ndarray of float32, same shape
        Infinite where fewer than three of the eight neighbours are trusted.

    Examples
    --------
    >>> import numpy as np
    >>> picture = np.zeros((1, 4, 4), dtype=np.float32)
    >>> picture[0, :2, :2] = picture[0, 3, 3] = 9
    >>> everywhere = np.ones(picture.shape, dtype=bool)
    >>> third_smallest_difference(picture, everywhere)[0, [1, 3], [1, 3]]
    array([0., 9.], dtype=float32)
    """
    infinite = np.float32(np.inf)
    padded = np.pad(
        np.where(trusted, values, infinite), ((0, 0), (1, 1), (1, 1)), constant_values=infinite
    )
    return ranked(padded, _AROUND, 2, values, differences=True)
