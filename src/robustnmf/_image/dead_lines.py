"""Dead lines: whole rows or columns of a picture that tell nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._image.grey_levels import GreyScale
from robustnmf._image.mixture import MIXTURE
from robustnmf._image.tiles import TILING


@dataclass(frozen=True)
class DeadLineSettings:
    """When a row or column is dead.

    Checked by ``tests/image/test_denoise.py`` and ``tests/image/test_steps.py``: dead lines of
    several values are found, and an edge is none. No clean photograph of the study of pictures
    (``robustnmf reproduce images``, docs/images.md) loses more than 0.3 % of its pixels to this and
    all other steps.

    Attributes
    ----------
    one_sided : float
        Share of a line that must stand out on the same side of both lines beside it,
    two_sided, constant : float
        or share that must stand out on either side, if so much of it is of one value.
    thickness : int
        Lines up to this thick are found: one of the two lines compared with may lie beyond another
        dead one.
    shortest : int
        Shorter lines prove nothing.
    """

    one_sided: float = 0.8
    two_sided: float = 0.4
    constant: float = 0.95
    thickness: int = 2
    shortest: int = 8


DEAD_LINES = DeadLineSettings()
# How far up and down the lines lie that one is compared with: those next to a dead line of the
# largest thickness or less, wherever in it.
_BESIDE = [
    (up, total - up) for total in range(2, DEAD_LINES.thickness + 2) for up in range(1, total)
]


def dead_lines(plane: Array, greys: GreyScale) -> tuple[Array, Array]:
    """Tell the dead rows and columns of a picture.

    Neighbours along a dead line confirm each other, so no pixel of it looks wrong by itself.

    Parameters
    ----------
    plane : ndarray of shape (height, width)
        The picture.
    greys : GreyScale
        Its grey levels.

    Returns
    -------
    rows : ndarray of bool, shape (height,)
    columns : ndarray of bool, shape (width,)

    Examples
    --------
    >>> import numpy as np
    >>> plane = np.tile(np.linspace(50, 90, 32), (16, 1)).astype(np.uint8); plane[5] = 0
    >>> rows, columns = dead_lines(plane, GreyScale.estimate(plane[None]))
    >>> np.flatnonzero(rows), np.flatnonzero(columns)
    (array([5]), array([], dtype=int64))
    """
    return _dead_rows(plane, greys), _dead_rows(plane.T, greys)


def _dead_rows(plane: Array, greys: GreyScale) -> Array:
    height, width = plane.shape
    found = np.zeros(height, dtype=bool)
    thick = DEAD_LINES.thickness
    if width < DEAD_LINES.shortest or height <= 2 * thick:
        return found
    # A strip at a time, so that a large picture is never there as floats.
    strip = max(1, TILING.largest_whole // width)
    for top in range(0, height, strip):
        bottom = min(top + strip, height)
        indices = np.abs(np.arange(top - thick, bottom + thick))
        # Beyond an edge, the picture is mirrored in its last row.
        indices = np.minimum(indices, 2 * (height - 1) - indices)
        grey = greys.to_grey(plane[indices])
        n = bottom - top
        rows = grey[thick : thick + n]
        for up, down in _BESIDE:
            above = grey[thick - up : thick - up + n]
            below = grey[thick + down : thick + down + n]
            found[top:bottom] |= _stands_out(rows, above, below)
    return found


def _stands_out(rows: Array, above: Array, below: Array) -> Array:
    """Compare rows with those above and below; what is missing does not stand out."""
    # More than the neighbours differ: along a dead line, they continue each other.
    least = MIXTURE.smallest_impulse + np.abs(above - below) / 2
    high = rows - np.maximum(above, below) > least
    low = np.minimum(above, below) - rows > least
    one_sided = np.maximum(high.mean(axis=1), low.mean(axis=1)) >= DEAD_LINES.one_sided
    two_sided = (high | low).mean(axis=1) >= DEAD_LINES.two_sided
    median = np.sort(rows, axis=1)[:, rows.shape[1] // 2]
    constant = (np.abs(rows - median[:, None]) <= 1).mean(axis=1) >= DEAD_LINES.constant
    return one_sided | (two_sided & constant)
