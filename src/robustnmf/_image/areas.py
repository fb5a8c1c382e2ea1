"""Areas of one value in a picture: what may cover something, or be so by nature."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import ndimage

from robustnmf._common.arrays import Array
from robustnmf._engines.kept import Shelf


@dataclass(frozen=True)
class AreaSettings:
    """Which areas count.

    No study chose them. What they reach is measured on the stacks of
    ``tests/image/test_occlusions.py``; its F1 scores are in docs/images.md.

    Attributes
    ----------
    side : int
        An area is made of solid squares of this side: scattered noise of one value hardly ever
        makes one.
    largest : float
        Share of its picture that it may take,
    compactness : float
        and share of its bounding box that it must fill: what is larger or ragged is background.
    """

    side: int = 4
    largest: float = 0.5
    compactness: float = 0.7


AREAS = AreaSettings()

# Numbers that say where an area lies.
_N_PLACES = 6


class Area(NamedTuple):
    """A connected area of one value in one picture."""

    plane: int
    """Index of the picture."""
    box: tuple[slice, slice]
    inside: Array
    """Which pixels of the box belong to it."""
    value: float

    def mark(self, mask: Array) -> None:
        """Mark its pixels in a mask of its picture."""
        mask[self.box] |= self.inside

    def median(self, plane: Array) -> float:
        """Return the median of something in its picture over it; NaN where no pixel is known."""
        values = plane[self.box][self.inside]
        values = values[np.isfinite(values)]
        return float(np.median(values)) if len(values) else math.nan

    def contrast(self, grey: Array, known: Array) -> float:
        """Return how far the pixels around it are from its value; NaN if there are none.

        The arguments are those of its picture alone.
        """
        near = tuple(slice(max(0, span.start - 1), span.stop + 1) for span in self.box)
        inside = np.zeros(grey.shape, dtype=bool)[near]
        corner = tuple(span.start - wide.start for span, wide in zip(self.box, near, strict=True))
        rows, columns = self.inside.shape
        inside[corner[0] : corner[0] + rows, corner[1] : corner[1] + columns] = self.inside
        around = ndimage.binary_dilation(inside, np.ones((3, 3))) & ~inside & known[near]
        differences = np.abs(grey[near][around] - self.value)
        return float(np.median(differences)) if len(differences) else math.nan


class Areas:
    """Areas of a stack, picture by picture, in little memory.

    Which pixels belong to them is packed, and lies in a file if that is much.

    Examples
    --------
    >>> areas = Areas()
    >>> areas.append(Area(3, (slice(1, 3), slice(4, 6)), np.eye(2, dtype=bool), 255.0))
    >>> areas.planes.tolist(), areas.values.tolist(), areas[0].inside.tolist()
    ([3], [255.0], [[True, False], [False, True]])
    """

    def __init__(self) -> None:
        # Plane, top, bottom, left, right, and where the mask lies; then the values.
        self._places, self._values, self._masks = array("q"), array("d"), Shelf()

    def append(self, area: Area) -> None:
        """Add an area; those of earlier pictures come first."""
        rows, columns = area.box
        packed = np.packbits(area.inside).tobytes()
        ends = (area.plane, rows.start, rows.stop, columns.start, columns.stop)
        self._places.extend((*ends, self._masks.put(packed)))
        self._values.append(area.value)

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, i: int | np.integer) -> Area:
        at = int(i) * _N_PLACES
        plane, top, bottom, left, right, mask = self._places[at : at + _N_PLACES]
        height, width = bottom - top, right - left
        packed = np.frombuffer(self._masks.get(mask, -(-height * width // 8)), np.uint8)
        inside = np.unpackbits(packed, count=height * width).view(bool).reshape(height, width)
        return Area(plane, (slice(top, bottom), slice(left, right)), inside, self._values[i])

    @property
    def planes(self) -> Array:
        """Of each, which picture it is in; ascending."""
        return self._table[:, 0]

    @property
    def centres(self) -> Array:
        """Of their boxes, (n, 2)."""
        return (self._table[:, [1, 3]] + self._table[:, [2, 4]]) / 2

    @property
    def values(self) -> Array:
        """Of each."""
        return np.array(self._values)

    @property
    def _table(self) -> Array:
        return np.array(self._places).reshape(-1, _N_PLACES)


def constant_areas(grey: Array, known: Array, index: int) -> list[Area]:
    """Return the compact areas of one value in one picture of a stack.

    Parameters
    ----------
    grey, known : ndarray of shape (height, width)
        The picture, and which of its pixels are known.
    index : int
        Which picture of the stack it is.

    Returns
    -------
    list of Area

    Examples
    --------
    >>> import numpy as np
    >>> picture = np.arange(100.0).reshape(10, 10); picture[2:7, 3:8] = 255
    >>> [(area.box, area.value) for area in constant_areas(picture, picture >= 0, 0)]
    [((slice(2, 7, None), slice(3, 8, None)), 255.0)]
    """
    plane = np.where(known, grey, np.nan)
    solid = solid_squares(plane, AREAS.side)
    found = []
    for value in np.unique(plane[solid]):
        labels, _ = ndimage.label(solid & (plane == value))
        for label, box in enumerate(ndimage.find_objects(labels), 1):
            inside = labels[box] == label
            if inside.mean() >= AREAS.compactness and inside.sum() <= AREAS.largest * plane.size:
                found.append(Area(index, box, inside, float(value)))
    return found


def solid_squares(plane: Array, side: int) -> Array:
    """Mark all squares of this side, in which all pixels have the same value; NaN is none.

    Examples
    --------
    >>> import numpy as np
    >>> solid_squares(np.array([[1, 1, 2], [1, 1, 3]]), 2).astype(int)
    array([[1, 1, 0],
           [1, 1, 0]])
    """
    solid = np.zeros(plane.shape, dtype=bool)
    if min(plane.shape) < side:
        return solid
    # No two pixels beside or below each other differ in them.
    along = _runs(plane[:, 1:] == plane[:, :-1], side - 1, 1)
    down = _runs(plane[1:] == plane[:-1], side - 1, 0)
    corners = _runs(along, side, 0) & down[:, : along.shape[1]]
    if corners.any():
        height, width = corners.shape
        for i in range(side):
            for j in range(side):
                solid[i : i + height, j : j + width] |= corners
    return solid


def _runs(true: Array, length: int, axis: int) -> Array:
    """Return where so many in a row are true, from each place on."""
    n = true.shape[axis] - length + 1
    ends = (range(shift, shift + n) for shift in range(length))
    return np.logical_and.reduce([true.take(each, axis) for each in ends])
