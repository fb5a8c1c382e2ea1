"""Dead lines: whole rows or columns of a picture that tell nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._image.belief import SMALL
from robustnmf._image.planes import Units

Array = NDArray[Any]

# So much of a line must stand out on the same side of both of its neighbours,
_ONE_SIDE = 0.8
# or on either side, if so much of it is of one value.
_EITHER_SIDE, _ALIKE = 0.4, 0.95
# Lines up to two pixels thick: one of the two rows compared with may lie beyond the other line.
_THICKEST = 2
_BESIDE = ((1, 1), (1, 2), (2, 1))
# Shorter lines prove nothing.
_SHORTEST = 8
_STRIP = 2**20


def dead_lines(plane: Array, units: Units) -> tuple[Array, Array]:
    """Tell the dead rows and columns of a picture.

    Neighbours along a dead line confirm each other, so no pixel of it looks wrong by itself.

    Parameters
    ----------
    plane : ndarray of shape (height, width)
        The picture.
    units : Units
        Its grey levels.

    Returns
    -------
    rows : ndarray of bool, shape (height,)
    columns : ndarray of bool, shape (width,)

    Examples
    --------
    >>> import numpy as np
    >>> plane = np.tile(np.linspace(50, 90, 32), (16, 1)).astype(np.uint8); plane[5] = 0
    >>> rows, columns = dead_lines(plane, Units.of(plane[None]))
    >>> np.flatnonzero(rows), np.flatnonzero(columns)
    (array([5]), array([], dtype=int64))
    """
    return _dead_rows(plane, units), _dead_rows(plane.T, units)


def _dead_rows(plane: Array, units: Units) -> Array:
    height, width = plane.shape
    found = np.zeros(height, dtype=bool)
    if width < _SHORTEST or height <= 2 * _THICKEST:
        return found
    # A strip at a time, so that a large picture is never there as floats.
    strip = max(1, _STRIP // width)
    for top in range(0, height, strip):
        bottom = min(top + strip, height)
        places = np.abs(np.arange(top - _THICKEST, bottom + _THICKEST))
        # Beyond an edge, the picture is mirrored in its last row.
        places = np.minimum(places, 2 * (height - 1) - places)
        grey = units.grey(plane[places])
        n = bottom - top
        rows = grey[_THICKEST : _THICKEST + n]
        for up, down in _BESIDE:
            above = grey[_THICKEST - up : _THICKEST - up + n]
            below = grey[_THICKEST + down : _THICKEST + down + n]
            found[top:bottom] |= _stands_out(rows, above, below)
    return found


def _stands_out(rows: Array, above: Array, below: Array) -> Array:
    """Compare rows with those above and below; what is missing does not stand out."""
    # More than the neighbours differ: along a dead line, they continue each other.
    least = SMALL + np.abs(above - below) / 2
    high = rows - np.maximum(above, below) > least
    low = np.minimum(above, below) - rows > least
    one_side = np.maximum(high.mean(axis=1), low.mean(axis=1)) >= _ONE_SIDE
    either = (high | low).mean(axis=1) >= _EITHER_SIDE
    first = np.sort(rows, axis=1)[:, rows.shape[1] // 2]
    alike = (np.abs(rows - first[:, None]) <= 1).mean(axis=1) >= _ALIKE
    return one_side | (either & alike)
