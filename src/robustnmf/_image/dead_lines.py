"""Dead lines: whole rows or columns of a picture that tell nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._image.grey_levels import GreyScale
from robustnmf._image.mixture import MIXTURE
from robustnmf._image.tiles import TILING
from robustnmf._kernels.jit import jit


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
        grey = greys.to_grey(np.ascontiguousarray(plane[indices]))
        n = bottom - top
        rows = grey[thick : thick + n]
        for up, down in _BESIDE:
            counts = np.zeros((n, 2), dtype=np.int64)
            _count_outliers(grey, thick, up, down, np.float32(MIXTURE.smallest_impulse), counts)
            most, either = counts.max(axis=1) / width, counts.sum(axis=1) / width
            found[top:bottom] |= most >= DEAD_LINES.one_sided
            for i in np.flatnonzero(either >= DEAD_LINES.two_sided):
                # Rare, and worth more work.
                median = np.sort(rows[i])[width // 2]
                same = np.abs(rows[i] - median) <= 1
                found[top + i] |= same.mean() >= DEAD_LINES.constant
    return found


@jit
def _count_outliers(
    grey: Array, thick: int, up: int, down: int, least: np.float32, counts: Array
) -> None:
    """Count the pixels of rows that are above, or below, those of two others; no missing ones."""
    half = np.float32(0.5)
    for i in range(counts.shape[0]):
        row, above, below = grey[thick + i], grey[thick + i - up], grey[thick + i + down]
        high, low = 0, 0
        for j in range(grey.shape[1]):
            a, b, x = above[j], below[j], row[j]
            most, fewest = (a, b) if a > b else (b, a)
            # More than the neighbours differ: along a dead line, they continue each other.
            needed = least + half * (most - fewest)
            high += x - most > needed
            low += fewest - x > needed
        counts[i, 0] = high
        counts[i, 1] = low
