"""Occlusions in a stack: areas of one value where the other pictures show something.

The pixels of such an area confirm each other, so neighbours do not flag them. The other pictures
do: with the area hidden, W H of the stack says what should be there. How far that can be trusted is
tried on control areas of the same shapes that cover nothing: they are hidden as well, and
predicted. An area is an occlusion if its value is further from its prediction than the controls are
from theirs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._image.areas import Area, constant_areas
from robustnmf._image.background import Background, BackgroundLearner
from robustnmf._image.pictures import Flags, Pictures


@dataclass(frozen=True)
class OcclusionSettings:
    """When an area is an occlusion.

    No study chose them. What they reach is measured on the stacks of
    ``tests/image/test_occlusions.py``; its F1 scores are in docs/images.md.

    Attributes
    ----------
    n_controls : int
        Control areas that are tried in a fit.
    enough_controls, max_fits : int
        Fits are repeated with other controls until there are so many in all, or so many fits.
    least_controls : int
        With fewer, nothing can be known.
    n_attempts : int
        To find room for a control, at full size and then at half.
    contrast : float
        The pixels around an occlusion differ from it by this share of its error, at the least: they
        show the picture. Around an area that is black or white by nature they are nearly so.
    error_ratio, control_quantile : float
        An area is surely an occlusion if its error exceeds this many times this quantile of the
        controls' errors.
    least_group : int
        Areas of one value from which on they are judged together, by a mixture and by their motion.
    n_em : int
        Iterations of EM for the mixture.
    width_floor : float
        Added to standard deviations of logarithms of errors.
    clear_quantile : float
        The mixture decides only if its occlusions lie above this quantile of the controls.
    motion : float
        Where areas of consecutive pictures are nearer to each other than this share of the distance
        between any two, a thing moves.
    """

    n_controls: int = 100
    enough_controls: int = 50
    max_fits: int = 4
    least_controls: int = 15
    n_attempts: int = 20
    contrast: float = 0.3
    error_ratio: float = 2.5
    control_quantile: float = 0.98
    least_group: int = 5
    n_em: int = 20
    width_floor: float = 0.1
    clear_quantile: float = 0.9
    motion: float = 0.5


OCCLUSIONS = OcclusionSettings()


def find_occlusions(pictures: Pictures, learner: BackgroundLearner) -> Array | None:
    """Tell which pixels are covered by something of one value.

    Parameters
    ----------
    pictures : Pictures
        The stack.
    learner : BackgroundLearner
        Learns from what lies outside of all areas of one value.

    Returns
    -------
    ndarray of bool, shape of the planes, or None
        None where nothing is covered, or the pictures do not tell what an area hides.
    """
    areas, contrasts = [], []
    for index in range(len(pictures.planes)):
        grey, known = pictures.grey(index)
        for area in constant_areas(grey, known, index):
            areas.append(area)
            contrasts.append(area.contrast(grey, known))
    if not areas:
        return None
    errors, control_errors = _prediction_errors(pictures, areas, learner)
    if len(control_errors) < OCCLUSIONS.least_controls:
        return None
    # What is not seen in any other picture, or fades into its surroundings, is no occlusion.
    errors[~(np.array(contrasts) >= OCCLUSIONS.contrast * errors)] = 0
    values = np.array([area.value for area in areas])
    covered = np.zeros(pictures.planes.shape, dtype=bool)
    for value in np.unique(values):
        group = np.flatnonzero(values == value)
        found = [areas[i] for i in group[_are_occlusions(errors[group], control_errors)]]
        if not _is_motion(found):
            for area in found:
                area.mark(covered)
    return covered if covered.any() else None


def _prediction_errors(
    pictures: Pictures, areas: list[Area], learner: BackgroundLearner
) -> tuple[Array, Array]:
    """Return the median error of each area when hidden and predicted, and those of controls."""
    suspect = np.zeros(pictures.planes.shape, dtype=bool)
    if pictures.planes.dtype.kind == "f":
        np.isnan(pictures.planes, out=suspect)
    for area in areas:
        area.mark(suspect)
    # Always the same, so that the verdict on a stack does not depend on the caller's seed.
    rng = np.random.default_rng(0)
    found, tried = [], []
    for _ in range(OCCLUSIONS.max_fits):
        hidden = suspect.copy()
        controls = _control_areas(hidden, areas, rng)
        background = learner.learn(pictures, Flags.of(pictures, hidden))
        tried += [*_errors(pictures, background, controls)]
        found.append(_errors(pictures, background, areas))
        if len(tried) >= OCCLUSIONS.enough_controls:
            break
    return np.mean(found, axis=0), np.array(tried)[np.isfinite(tried)]


def _errors(pictures: Pictures, background: Background, areas: list[Area]) -> Array:
    """Return by how much the background misses each area, in the median."""
    found = np.full(len(areas), math.nan)
    order = sorted(range(len(areas)), key=lambda i: areas[i].plane)
    for index, group in groupby(order, lambda i: areas[i].plane):
        picture, channel = divmod(index, pictures.n_channels)
        error = np.abs(pictures.grey(index)[0] - background.of([picture])[channel])
        for i in group:
            found[i] = areas[i].median(error)
    return found


def _control_areas(taken: Array, areas: list[Area], rng: np.random.Generator) -> list[Area]:
    """Mark areas of the same shapes that overlap neither what is marked nor each other.

    Where there is no room for one of the same size, it is one of half that size.
    """
    controls = []
    each = -(-OCCLUSIONS.n_controls // len(taken))
    for plane in np.repeat(np.arange(len(taken)), each):
        shape = areas[rng.integers(len(areas))].inside
        for attempt in range(2 * OCCLUSIONS.n_attempts):
            if attempt == OCCLUSIONS.n_attempts:
                shape = shape[: -(-shape.shape[0] // 2), : -(-shape.shape[1] // 2)]
            top, left = (
                int(rng.integers(whole - part + 1))
                for whole, part in zip(taken.shape[1:], shape.shape, strict=True)
            )
            box = (slice(top, top + shape.shape[0]), slice(left, left + shape.shape[1]))
            if not (taken[plane][box] & shape).any():
                controls.append(Area(int(plane), box, shape, math.nan))
                controls[-1].mark(taken)
                break
    return controls


def _are_occlusions(errors: Array, control_errors: Array) -> Array:
    """Tell which areas of one value miss their prediction as no control does.

    If most do, a mixture decides the doubtful cases: controls and occlusions each have a lognormal
    distribution of errors, and the share of occlusions is learned (EM).
    """
    limit = OCCLUSIONS.error_ratio * np.quantile(control_errors, OCCLUSIONS.control_quantile)
    found = errors > limit
    floor = OCCLUSIONS.width_floor
    logs, controls = np.log(errors + 1), np.log(control_errors + 1)
    share, centre, width = 0.5, float(np.quantile(logs, 0.75)), float(controls.std()) + floor
    for _ in range(OCCLUSIONS.n_em):
        clean = (1 - share) * _normal(logs, controls.mean(), controls.std() + floor)
        occluded = share * _normal(logs, centre, width)
        posterior = np.where(logs > controls.mean(), occluded / (occluded + clean + 1e-300), 0)
        share = float(np.clip(posterior.mean(), 0.01, 0.99))
        total = max(float(posterior.sum()), 1e-9)
        centre = float(posterior @ logs) / total
        width = math.sqrt(float(posterior @ (logs - centre) ** 2) / total) + floor
    clear = centre > np.quantile(controls, OCCLUSIONS.clear_quantile) and share > 0.5
    if clear and posterior.sum() >= OCCLUSIONS.least_group:
        found |= posterior > 0.5
    return found


def _normal(x: Array, centre: float, width: float) -> Array:
    """Return a normal density, up to a constant."""
    return np.exp(-0.5 * ((x - centre) / width) ** 2) / width


def _is_motion(areas: list[Area]) -> bool:
    """Whether areas are a thing that moves: from picture to picture it does not go far."""
    if len(areas) < OCCLUSIONS.least_group:
        return False
    areas = sorted(areas, key=lambda area: area.plane)
    centres = np.array([area.centre for area in areas])
    steps = np.hypot(*np.diff(centres, axis=0).T)
    pairs = np.hypot(*(centres[:, None] - centres[None]).T)[np.triu_indices(len(areas), 1)]
    return bool(np.median(steps) < OCCLUSIONS.motion * np.median(pairs))
