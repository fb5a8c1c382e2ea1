"""Things that cover part of a picture in a stack: areas of one value where others show something.

A pixel in such an area is in the best of company, so neighbours acquit it. The other pictures do
not: with the area hidden, the parts say what should be there. Whether that is to be believed is
tried on areas of the same shape that cover nothing: they are hidden as well, and predicted. An area
is a cover if its value is further from its prediction than these are from theirs.
"""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from sklearn.exceptions import ConvergenceWarning

from robustnmf._estimators import RobustNMF
from robustnmf._image.belief import WHITE

Array = NDArray[Any]

# An area holds a solid square of this side: scattered noise of one value hardly ever makes one.
_SIDE = 4
# It is no larger than this share of its picture, and fills this share of its bounding box: what is
# larger or ragged is background.
_LARGEST, _COMPACT = 0.5, 0.7
# How many areas that cover nothing are tried in a fit, how many are enough, how many fits are made
# to have them, and how many there must be to know anything.
_TRIALS, _ENOUGH, _FITS, _FEWEST = 100, 50, 4, 15
_ATTEMPTS = 20
# The pixels around a cover are this much of its miss away from it, at the least: they show the
# picture. Around an area that is black or white by nature they are nearly so.
_SHARP = 0.3
# An area is beyond doubt if it misses by this many times what one in fifty of the trials does.
_BEYOND_DOUBT, _HIGH = 2.5, 0.98
# Of a value of which so many areas are covers, and most, the others are believed more easily.
_MANY = 5
_ROUNDS = 20
# Where areas of consecutive pictures are so much nearer to each other than others, a thing moves.
_TRAVELS = 0.5


class Area(NamedTuple):
    """A connected area of one value in one picture."""

    plane: int
    box: tuple[slice, slice]
    inside: Array
    """Which pixels of the box belong to it."""
    value: float

    def write(self, mask: Array) -> None:
        """Mark its pixels."""
        mask[self.plane][self.box] |= self.inside

    def median(self, planes: Array) -> float:
        """Return the median of some quantity over it."""
        values = planes[self.plane][self.box][self.inside]
        values = values[np.isfinite(values)]
        return float(np.median(values)) if len(values) else math.nan

    @property
    def centre(self) -> tuple[float, float]:
        """Of its box."""
        rows, columns = self.box
        return (rows.start + rows.stop) / 2, (columns.start + columns.stop) / 2


def find_covers(grey: Array, known: Array, n: int, model: RobustNMF, seed: int = 0) -> Array:
    """Tell which pixels are covered by something of one value.

    Parameters
    ----------
    grey, known : ndarray of shape (n_pictures * n_channels, height, width)
        The pictures, from 0 to 255, and which of their pixels are known.
    n : int
        How many pictures.
    model : RobustNMF
        Fitted here, to what lies outside of all suspect areas.
    seed : int, default=0
        Places the trials.

    Returns
    -------
    ndarray of bool, same shape
        Nothing where the pictures do not tell what an area hides.
    """
    covered = np.zeros(grey.shape, dtype=bool)
    areas = [area for place in range(len(grey)) for area in one_valued(grey, known, place)]
    if not areas:
        return covered
    suspect = ~known
    for area in areas:
        area.write(suspect)
    rng = np.random.default_rng(seed)
    found, tried = [], []
    for _ in range(_FITS):
        hidden = suspect.copy()
        trials = _trials(suspect, areas, rng)
        for trial in trials:
            trial.write(hidden)
        miss = np.abs(grey - _predict(grey, hidden, n, model))
        tried += [trial.median(miss) for trial in trials]
        found.append([area.median(miss) for area in areas])
        if len(tried) >= _ENOUGH:
            break
    usual = np.array(tried)[np.isfinite(tried)]
    if len(usual) < _FEWEST:
        return covered
    misses = np.mean(found, axis=0)
    jumps = np.array([_jump(area, grey, known) for area in areas])
    # What is not seen in any other picture, or fades into its surroundings, is no cover.
    misses[~(jumps >= _SHARP * misses)] = 0
    values = np.array([area.value for area in areas])
    for value in np.unique(values):
        group = np.flatnonzero(values == value)
        guilty = group[_guilty(misses[group], usual)]
        if not _travel([areas[place] for place in guilty]):
            for place in guilty:
                areas[place].write(covered)
    return covered


def one_valued(grey: Array, known: Array, place: int) -> list[Area]:
    """Return the compact areas of one value in a picture, each with a solid square in it.

    Examples
    --------
    >>> import numpy as np
    >>> picture = np.arange(100.0).reshape(1, 10, 10); picture[0, 2:7, 3:8] = 255
    >>> [(area.box, area.value) for area in one_valued(picture, picture >= 0, 0)]
    [((slice(2, 7, None), slice(3, 8, None)), 255.0)]
    """
    plane = np.where(known[place], grey[place], np.nan)
    if min(plane.shape) < _SIDE:
        return []
    windows = np.lib.stride_tricks.sliding_window_view(plane, (_SIDE, _SIDE))
    corners = (windows == windows[..., :1, :1]).all(axis=(2, 3))
    if not corners.any():
        return []
    solid = np.zeros(plane.shape, dtype=bool)
    height, width = corners.shape
    for i in range(_SIDE):
        for j in range(_SIDE):
            solid[i : i + height, j : j + width] |= corners
    found = []
    for value in np.unique(plane[solid]):
        labels, _ = ndimage.label(solid & (plane == value))
        for label, box in enumerate(ndimage.find_objects(labels), 1):
            inside = labels[box] == label
            if inside.mean() >= _COMPACT and inside.sum() <= _LARGEST * plane.size:
                found.append(Area(place, box, inside, float(value)))
    return found


def _jump(area: Area, grey: Array, known: Array) -> float:
    """Return how far the pixels around an area are from its value; NaN if there are none."""
    inside = np.zeros(grey.shape[1:], dtype=bool)
    inside[area.box] = area.inside
    around = ndimage.binary_dilation(inside, np.ones((3, 3))) & ~inside & known[area.plane]
    around = np.abs(grey[area.plane][around] - area.value)
    return float(np.median(around)) if len(around) else math.nan


def _trials(hidden: Array, areas: list[Area], rng: np.random.Generator) -> list[Area]:
    """Return areas of the same shapes that overlap neither suspects nor gaps nor each other.

    Where there is no room for one of the same size, it is one of half that size.
    """
    taken = hidden.copy()
    trials = []
    each = -(-_TRIALS // len(hidden))
    for plane in np.repeat(np.arange(len(hidden)), each):
        shape = areas[rng.integers(len(areas))].inside
        for attempt in range(2 * _ATTEMPTS):
            if attempt == _ATTEMPTS:
                shape = shape[: -(-shape.shape[0] // 2), : -(-shape.shape[1] // 2)]
            top, left = (
                int(rng.integers(whole - part + 1))
                for whole, part in zip(hidden.shape[1:], shape.shape, strict=True)
            )
            box = (slice(top, top + shape.shape[0]), slice(left, left + shape.shape[1]))
            if not (taken[plane][box] & shape).any():
                trials.append(Area(int(plane), box, shape, math.nan))
                trials[-1].write(taken)
                break
    return trials


def _predict(grey: Array, hidden: Array, n: int, model: RobustNMF) -> Array:
    """Return what the parts say; NaN where no picture knows."""
    rows = np.where(hidden, np.nan, grey).reshape(n, -1).astype(np.float32) / np.float32(WHITE)
    unknown = np.isnan(rows)
    places, pictures = ~unknown.all(axis=0), ~unknown.all(axis=1)
    found = np.full(rows.shape, np.nan, dtype=np.float32)
    if not (places.any() and pictures.any()):
        return found.reshape(grey.shape)
    inner = np.ix_(pictures, places)
    with warnings.catch_warnings():
        # A prediction need not be right to the last digit.
        warnings.simplefilter("ignore", ConvergenceWarning)
        W = model.fit_transform(rows[inner])
    found[inner] = W @ model.components_ * WHITE
    return found.reshape(grey.shape)


def _guilty(misses: Array, usual: Array) -> Array:
    """Tell which areas of one value miss their prediction as no trial does.

    If most do, the odds of a mixture decide the doubtful cases: trials and covers each have a
    lognormal distribution of misses, and the share of covers is learned (EM).
    """
    misses = np.nan_to_num(misses)
    guilty = misses > _BEYOND_DOUBT * np.quantile(usual, _HIGH)
    logs, innocent = np.log(misses + 1), np.log(usual + 1)
    share, centre, width = 0.5, float(np.quantile(logs, 0.75)), float(innocent.std()) + 0.1
    for _ in range(_ROUNDS):
        against = _normal(logs, innocent.mean(), innocent.std() + 0.1)
        odds = share * _normal(logs, centre, width)
        cover = np.where(logs > innocent.mean(), odds / (odds + (1 - share) * against + 1e-300), 0)
        share = float(np.clip(cover.mean(), 0.01, 0.99))
        total = max(float(cover.sum()), 1e-9)
        centre = float(cover @ logs) / total
        width = math.sqrt(float(cover @ (logs - centre) ** 2) / total) + 0.1
    clear = centre > np.quantile(innocent, 0.9) and share > 0.5
    if clear and cover.sum() >= _MANY:
        guilty |= cover > 0.5
    return guilty


def _normal(x: Array, centre: float, width: float) -> Array:
    return np.exp(-0.5 * ((x - centre) / width) ** 2) / width


def _travel(areas: list[Area]) -> bool:
    """Whether areas are a thing that moves: from picture to picture it does not go far."""
    if len(areas) < _MANY:
        return False
    areas = sorted(areas, key=lambda area: area.plane)
    centres = np.array([area.centre for area in areas])
    steps = np.hypot(*np.diff(centres, axis=0).T)
    every = np.hypot(*(centres[:, None] - centres[None]).T)[np.triu_indices(len(areas), 1)]
    return bool(np.median(steps) < _TRAVELS * np.median(every))
