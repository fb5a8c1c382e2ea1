"""Detection: counts, odds and thresholds of all entries, in plain NumPy.

Arrays are n×m unless said otherwise. `size` is |x − p|, and 0 for a missing entry, which is not
`known`. The scale of an entry is samples × features × levels[level], but at least `least`.
"""

from __future__ import annotations

from typing import TypeAlias

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
