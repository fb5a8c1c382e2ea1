"""Detection: counts, odds and thresholds of all entries, in plain NumPy.

Arrays are n×m unless said otherwise. `size` is |x − p|, and 0 for a missing entry, which is not
`known`. The scale of an entry is samples × features × levels[level], but at least `least`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._kernels.density import LOG_PEAK, Tail, spread_term, surprise, surprising

Scale: TypeAlias = tuple[Array, Array, Array, Array, float]
"""What `scale_of` takes: samples, features, levels, level, least."""


def level_of(P: Array, bounds: Array) -> Array:
    """Return between which bounds each prediction lies, as small integers."""
    return np.searchsorted(bounds, P).astype(np.int8)


def scale_of(samples: Array, features: Array, levels: Array, level: Array, least: float) -> Array:
    """Return the scale of each entry."""
    return np.maximum(samples[:, None] * features * levels[level], least)


def mean_square_scale(samples: Array, features: Array, levels: Array, level: Array) -> float:
    """Return the mean square of the scales, before the least one is seen to."""
    return float(np.mean((samples[:, None] * features * levels[level]) ** 2))


def spread_sums(
    size: Array, scale: Scale, use: Array, cutoff: float, axis: int
) -> tuple[Array, Array]:
    """Return Σ uψ(u) over the used entries with u below the cutoff, and how many they are.

    `scale` holds what `scale_of` takes. Sums are over each column (axis 0), row (1) or level (2).
    """
    levels, level = scale[2:4]
    u = size / scale_of(*scale)
    use = use & (u < cutoff)
    terms = np.where(use, spread_term(u), 0)
    if axis < 2:
        return terms.sum(axis=axis), use.sum(axis=axis, dtype=float)
    groups, n = level.ravel(), len(levels)
    return np.bincount(groups, terms.ravel(), n), np.bincount(groups, use.ravel(), n)


def count_beyond(
    size: Array, scale: Scale, known: Array, reach: float, axis: int
) -> tuple[Array, Array]:
    """Return how many known entries lie beyond `reach` scales, and how many are known."""
    levels, level = scale[2:4]
    beyond = known & (size > reach * scale_of(*scale))
    if axis < 2:
        return beyond.sum(axis=axis), known.sum(axis=axis)
    groups, n = level.ravel(), len(levels)
    return np.bincount(groups, beyond.ravel(), n), np.bincount(groups, known.ravel(), n)


def class_counts(
    size: Array,
    scale: Scale,
    known: Array,
    class_of: Array,
    n: int,
    near: float,
    far: float,
) -> tuple[Array, Array, Array]:
    """Return how many known entries of each class are near, far and in all."""
    u = size / scale_of(*scale)
    return tuple(  # type: ignore[return-value]
        np.bincount(class_of[mask], minlength=n).astype(float)
        for mask in (known & (u < near), known & (u > far), known)
    )


def far_counts(
    size: Array,
    scale: Scale,
    known: Array,
    class_of: Array,
    group: Array,
    shape: tuple[int, int],
    far: float,
) -> Array:
    """Return how many known entries of each class and group lie beyond `far` scales."""
    beyond = known & (size > far * scale_of(*scale))
    index = class_of[beyond].astype(np.int64) * shape[1] + group[beyond]
    return np.bincount(index, minlength=shape[0] * shape[1]).reshape(shape).astype(float)


def far_shares(
    points: Array, prediction: Array, scale: Array, group: Array, n_groups: int, far: float
) -> Array:
    """Return for each point and group how often the point would be far; 0 for an empty group."""
    beyond = np.abs(points[:, None] - prediction) > far * scale
    shares = [
        beyond[:, group == g].sum(axis=1) / max(1, (group == g).sum()) for g in range(n_groups)
    ]
    return np.stack(shares, axis=1)


def compare_values(
    points: Array, prediction: Array, scale: Array, near: float, far: float
) -> tuple[Array, Array]:
    """Return for each point how often it would be far, and its mean density where it is near."""
    distance = np.abs(points[:, None] - prediction) / scale
    density = np.where(distance < near, np.exp(LOG_PEAK - surprise(distance)) / scale, 0)
    return (distance > far).mean(axis=1), density.mean(axis=1)


def log_odds(
    size: Array, scale: Scale, known: Array, class_of: Array, prior: Array, tail: Tail
) -> Array:
    """Return the log odds of each entry; minus infinity for a missing one."""
    s = scale_of(*scale)
    return np.where(known, prior[class_of] + np.log(s) + surprise(size / s, tail), -np.inf)


def thresholds(scale: Scale, class_of: Array, prior: Array, bar: float, tail: Tail) -> Array:
    """Return the residual at which each entry's log odds reach the bar, in single precision."""
    s = scale_of(*scale)
    with np.errstate(over="ignore"):
        return (s * surprising(bar - prior[class_of] - np.log(s), tail)).astype(np.float32)


def class_index(X: Array, edges: Array, grid: Any, atoms: Array, same: float) -> Array:
    """Return the class of each value: between which edges it lies, or which of the atoms it is.

    Atoms come after the bins, and are told from other values to within a share of these. Any class
    will do for a missing value. `grid` is for others that want to be faster: how many edges are in
    cells below each of some cells, how many of these there are for each unit of the values from the
    first edge on, and how many edges the fullest has.
    """
    index = np.searchsorted(edges, X)
    if len(atoms):
        nearest = np.searchsorted((atoms[1:] + atoms[:-1]) / 2, X)
        is_atom = np.abs(atoms[nearest] - X) <= same * np.abs(X)
        index = np.where(is_atom, len(edges) + 1 + nearest, index)
    return index.astype(np.int32)


def sample_spreads(
    X: Array,
    P: Array,
    corrupt: Array | None,
    scale: Scale,
    bounds: Array,
    settings: tuple[float, ...],
) -> tuple[Array, Array, Array, Array]:
    """Return the factor of each sample from its own residuals, in a few steps from a common one.

    Also the level of each entry, how many known ones lie beyond reach of that factor, and how many
    are known. `scale` holds the factors of features and levels; `settings` are the factor to begin
    with, residuals above how many scales do not count, the mean spread of clean ones, how many
    entries draw towards the common factor, the least factor, the largest step, the reach, and the
    number of steps.
    """
    first, cutoff, usual, prior, least, largest, reach, steps = settings
    _, features, levels, _, _ = scale
    known = ~np.isnan(X)
    use = known if corrupt is None else known & ~corrupt
    size = np.where(known, np.abs(X - P), 0)
    level = level_of(P, bounds)
    samples = np.full(len(X), first)
    for _ in range(int(steps)):
        now = (samples, features, levels, level, 0.0)
        total, count = spread_sums(size, now, use, cutoff, 1)
        step = np.sqrt((total / usual + prior * first / samples) / (count + prior))
        samples = np.maximum(samples * np.clip(step, 1 / largest, largest), least)
    now = (samples, features, levels, level, 0.0)
    return samples, level, *count_beyond(size, now, known, reach, 1)


def beyond(X: Array, P: Array, thresholds: Array) -> Array:
    """Return which residuals are larger than their thresholds; never that of a missing entry."""
    return np.abs(X - P) > thresholds  # NaN compares as False


def row_losses(X: Array, P: Array, thresholds: Array) -> tuple[Array, Array, Array]:
    """Return what is left of each row's squares, what large residuals cost, and how much it varies.

    Squares of the residuals within their thresholds; squares of the thresholds of all others; and
    squares of what is known, about its mean.
    """
    R = np.abs(X - P)
    with np.errstate(invalid="ignore", divide="ignore"):
        large, small = (thresholds < R), (thresholds >= R)  # neither is true of a missing entry
        count = np.count_nonzero(~np.isnan(X), axis=1)
        mean = np.nansum(X, axis=1, dtype=float) / count
        variation = np.nansum((X - mean[:, None]) ** 2, axis=1, dtype=float)
    parts = np.where(small, R, 0), np.where(large, thresholds, 0)
    misfit, penalty = (np.einsum("ij,ij->i", A, A, dtype=float) for A in parts)
    return misfit, penalty, variation
