"""Pictures cut into square patches, and put together again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.arrays import Array

Corners = tuple[NDArray[np.intp], NDArray[np.intp]]


def patch_corners(shape: tuple[int, int], side: int, step: int) -> Corners:
    """Return the top and the left of every patch, row by row of the picture.

    Patches lie `step` pixels apart, the last ones flush with the edges.
    """
    top, left = np.meshgrid(*(_starts(length, side, step) for length in shape), indexing="ij")
    return top.ravel(), left.ravel()


def _starts(length: int, side: int, step: int) -> NDArray[np.intp]:
    if side > length:
        raise ValueError(f"patches of {side} pixels do not fit into a picture of {length}")
    return np.unique(np.append(np.arange(0, length - side, step), length - side))


def cut_patches(
    picture: Array, side: int, step: int | None = None, chosen: Array | None = None
) -> Array:
    """Cut a picture into patches, one a row.

    Parameters
    ----------
    picture : ndarray of shape (height, width)
        The picture.
    side : int
        Height and width of a patch.
    step : int, default=None
        Distance from a patch to the next; by default `side`, so that they do not overlap. The
        last patches of a row or column lie flush with the edge.
    chosen : ndarray of int or bool, default=None
        Which of the patches to return; all by default.

    Returns
    -------
    ndarray of shape (n_patches, side * side)

    Examples
    --------
    >>> import numpy as np
    >>> cut_patches(np.arange(8).reshape(2, 4), 2)
    array([[0, 1, 4, 5],
           [2, 3, 6, 7]])
    """
    top, left = _chosen_corners(picture.shape, side, step, chosen)
    windows = np.lib.stride_tricks.sliding_window_view(picture, (side, side))
    return windows[top, left].reshape(len(top), side * side)


def join_patches(
    patches: Array,
    shape: tuple[int, int],
    side: int,
    step: int | None = None,
    chosen: Array | None = None,
) -> Array:
    """Put patches together again; where they overlap, they are averaged.

    Parameters
    ----------
    patches : ndarray of shape (n_patches, side * side)
        As `cut_patches` returns them.
    shape : tuple of (height, width)
        Of the picture.
    side, step, chosen :
        As in `cut_patches`.

    Returns
    -------
    ndarray of shape `shape`
        NaN where no patch lies.

    Examples
    --------
    >>> import numpy as np
    >>> picture = np.arange(15.0).reshape(3, 5)
    >>> joined = join_patches(cut_patches(picture, 2, 1), (3, 5), 2, 1)
    >>> bool(np.allclose(joined, picture))
    True
    """
    top, left = _chosen_corners(shape, side, step, chosen)
    first = top * shape[1] + left
    size = shape[0] * shape[1]
    total = np.zeros(size)
    count = np.zeros(size)
    for pixel in range(side * side):
        where = first + (pixel // side) * shape[1] + pixel % side
        # Patches begin at different pixels, so no pixel is named twice in one sum.
        total[where] += patches[:, pixel]
        count[where] += 1
    with np.errstate(invalid="ignore"):
        return (total / np.where(count > 0, count, np.nan)).reshape(shape)


def _chosen_corners(
    shape: tuple[int, int], side: int, step: int | None, chosen: Array | None
) -> Corners:
    top, left = patch_corners(shape, side, step or side)
    return (top, left) if chosen is None else (top[chosen], left[chosen])
