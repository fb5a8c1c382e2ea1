"""Occlusions in a stack: areas of one value where the other pictures show something.

The pixels of such an area confirm each other, so neighbours do not flag them. The other pictures
do: with the area hidden, W H of the stack says what should be there. How far that can be trusted is
tried on control areas of the same shapes that cover nothing: they are hidden as well, and
predicted. An area is an occlusion if its value is further from its prediction than the controls are
from theirs.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.progress import Share, part, silent
from robustnmf._image.areas import Area, Areas, constant_areas
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
    most_paired : int
        Distances between any two are those of so many areas at the most.
    looking : float
        Share of the time that looking for areas takes, where there are any.
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
    most_paired: int = 2000
    looking: float = 0.3


OCCLUSIONS = OcclusionSettings()


def find_occlusions(
    pictures: Pictures, learner: BackgroundLearner, progress: Share = silent
) -> Flags | None:
    """Tell which pixels are covered by something of one value.

    Parameters
    ----------
    pictures : Pictures
        The stack.
    learner : BackgroundLearner
        Learns from what lies outside of all areas of one value.
    progress : callable, optional
        Told the share of the work that is done.

    Returns
    -------
    Flags or None
        None where nothing is covered, or the pictures do not tell what an area hides.
    """
    areas, contrasts, suspect = _areas(pictures, part(progress, 0, OCCLUSIONS.looking))
    if not len(areas):
        return None
    progress = part(progress, OCCLUSIONS.looking, 1)
    errors, control_errors = _prediction_errors(pictures, areas, suspect, learner, progress)
    if len(control_errors) < OCCLUSIONS.least_controls:
        return None
    # What is not seen in any other picture, or fades into its surroundings, is no occlusion.
    errors[~(contrasts >= OCCLUSIONS.contrast * errors)] = 0
    values, planes, centres = areas.values, areas.planes, areas.centres
    covering = np.zeros(len(areas), dtype=bool)
    for value in np.unique(values):
        group = np.flatnonzero(values == value)
        found = group[_are_occlusions(errors[group], control_errors)]
        covering[found] = not _is_motion(planes[found], centres[found])
    return _marked(pictures, areas, np.flatnonzero(covering)) if covering.any() else None


def _areas(pictures: Pictures, progress: Share) -> tuple[Areas, Array, Flags]:
    """Return all areas of one value, by how much their surroundings differ, and what not to trust.

    The last are the pixels of these areas and those that are missing.
    """
    areas, contrasts, suspect = Areas(), array("d"), Flags(pictures)
    for picture, given in enumerate(pictures.each()):
        levels, knowns = pictures.grey(given)
        mask = ~knowns
        for channel, (grey, known) in enumerate(zip(levels, knowns, strict=True)):
            index = picture * pictures.n_channels + channel
            for area in constant_areas(grey, known, index):
                areas.append(area)
                contrasts.append(area.contrast(grey, known))
                area.mark(mask[channel])
        suspect.put([picture], mask)
        progress((picture + 1) / len(pictures))
    return areas, np.array(contrasts), suspect


def _prediction_errors(
    pictures: Pictures, areas: Areas, suspect: Flags, learner: BackgroundLearner, progress: Share
) -> tuple[Array, Array]:
    """Return the median error of each area when hidden and predicted, and those of controls."""
    # Always the same, so that the verdict on a stack does not depend on the caller's seed.
    rng = np.random.default_rng(0)
    rows = pictures.by_pixels()
    found: list[Array] = []
    tried: list[float] = []
    for turn in range(OCCLUSIONS.max_fits):
        hidden, controls = _with_controls(pictures, suspect, areas, rng)
        background = learner.learn(pictures, rows, hidden)
        tried += [*_errors(pictures, rows, background, controls)]
        found.append(_errors(pictures, rows, background, areas))
        progress((turn + 1) / OCCLUSIONS.max_fits)
        if len(tried) >= OCCLUSIONS.enough_controls:
            break
    return np.mean(found, axis=0), np.array(tried)[np.isfinite(tried)]


def _errors(pictures: Pictures, rows: Any, background: Background, areas: Areas) -> Array:
    """Return by how much the background misses each area, in the median."""
    found = np.full(len(areas), math.nan)
    for picture, inside in _by_picture(pictures, areas.planes):
        grey, _ = pictures.grey(rows[picture : picture + 1].reshape(1, *pictures.shape[1:]))
        errors = np.abs(grey - background.of([picture]))
        for i in inside:
            area = areas[i]
            found[i] = area.median(errors[area.plane % pictures.n_channels])
    return found


def _with_controls(
    pictures: Pictures, suspect: Flags, areas: Areas, rng: np.random.Generator
) -> tuple[Flags, Areas]:
    """Choose control areas; return what is to be hidden for them, too, and the areas.

    They are of the same shapes, and overlap neither each other nor what is not to be trusted. Where
    there is no room for one of the same size, it is one of half that size.
    """
    hidden, controls = Flags(pictures), Areas()
    each = -(-OCCLUSIONS.n_controls // (len(pictures) * pictures.n_channels))
    for picture in range(len(pictures)):
        mask = suspect.of([picture])
        for channel, taken in enumerate(mask):
            index = picture * pictures.n_channels + channel
            for _ in range(each):
                shape = areas[rng.integers(len(areas))].inside
                control = _placed(shape, taken, index, rng)
                if control is not None:
                    control.mark(taken)
                    controls.append(control)
        hidden.put([picture], mask)
    return hidden, controls


def _placed(shape: Array, taken: Array, index: int, rng: np.random.Generator) -> Area | None:
    """Find room for an area of this shape, or of half its size, where nothing is taken yet."""
    for attempt in range(2 * OCCLUSIONS.n_attempts):
        if attempt == OCCLUSIONS.n_attempts:
            shape = shape[: -(-shape.shape[0] // 2), : -(-shape.shape[1] // 2)]
        top, left = (
            int(rng.integers(whole - part + 1))
            for whole, part in zip(taken.shape, shape.shape, strict=True)
        )
        box = (slice(top, top + shape.shape[0]), slice(left, left + shape.shape[1]))
        if not (taken[box] & shape).any():
            return Area(index, box, shape, math.nan)
    return None


def _marked(pictures: Pictures, areas: Areas, chosen: Array) -> Flags:
    """Return the pixels of some areas."""
    flags = Flags(pictures)
    for picture, inside in _by_picture(pictures, areas.planes[chosen]):
        mask = np.zeros(pictures.shape[1:], dtype=bool)
        for i in chosen[inside]:
            area = areas[i]
            area.mark(mask[area.plane % pictures.n_channels])
        flags.put([picture], mask)
    return flags


def _by_picture(pictures: Pictures, planes: Array) -> Iterator[tuple[int, Array]]:
    """Give pictures, and which of the planes, in ascending order, are theirs."""
    owners, firsts = np.unique(planes // pictures.n_channels, return_index=True)
    groups = np.split(np.arange(len(planes)), firsts[1:])
    return zip(owners.tolist(), groups, strict=True)


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


def _is_motion(planes: Array, centres: Array) -> bool:
    """Whether areas are a thing that moves: from picture to picture it does not go far."""
    if len(planes) < OCCLUSIONS.least_group:
        return False
    steps = np.hypot(*np.diff(centres, axis=0).T)
    # All pairs of very many would not fit into memory.
    some = centres[:: -(-len(centres) // OCCLUSIONS.most_paired)]
    pairs = np.hypot(*(some[:, None] - some[None]).T)[np.triu_indices(len(some), 1)]
    return bool(np.median(steps) < OCCLUSIONS.motion * np.median(pairs))
