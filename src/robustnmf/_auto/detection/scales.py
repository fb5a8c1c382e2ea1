"""How large clean residuals are: by sample, by feature and by level of the prediction.

The scale of an entry is the product of three factors, each found from the residuals that seem
clean. Nothing is known of pictures or of any other layout.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robustnmf._kernels import kernels_for
from robustnmf._kernels.density import mean_spread

Array = Any

# How many levels of the prediction have a factor of their own.
LEVELS = 12
# So many predictions are enough to see where the levels begin.
LEVEL_SAMPLE = 10_000
# Each factor is drawn towards the common one as if by this many more entries.
PRIOR_ENTRIES = 40.0
# A factor is not below this share of the typical one, nor the product below this share of the
# root mean square: where everything is predicted exactly (a black border), nothing is surprising
# by a tiny amount.
LEAST_FACTOR = 0.3
LEAST_SCALE = 0.75
# Nor may a feature's factor be above so many times that of this share of the features: an error
# that bends its column would else make its own size seem usual there.
LARGEST_FACTOR, MOST_FEATURES = 3.0, 0.9
# At least this share of any row, feature or level is taken to be clean. If 30 % are corrupt, these
# are 6 of 7 clean ones, which lie within 1.6 scales.
CLEAN_SHARE = 0.6
CLEAN_REACH = 1.6
# Before anything is known to be corrupt, residuals above this many scales are left out.
FIRST_CUTOFF = 3.0
# A factor changes by no more than this in one step.
LARGEST_STEP = 2.0


@dataclass(frozen=True)
class Scales:
    """The factors that all samples share."""

    typical: float
    """The middle of the samples' factors, in the unit of the data."""
    features: Array
    """A factor for each feature; m."""
    bounds: Array
    """Predictions at which one level ends and the next begins."""
    levels: Array
    """A factor for each level of the prediction."""
    least: float
    """The least scale of an entry, in the unit of the data."""

    def rescaled(self, factor: float) -> Scales:
        """Return the scales for data multiplied by `factor`."""
        return replace(
            self,
            typical=self.typical * factor,
            bounds=self.bounds * factor,
            least=self.least * factor,
        )

    def level_of(self, P: Array) -> Array:
        """Return the level of each prediction."""
        return kernels_for(P).level_of(P, self.bounds)

    def with_samples(self, samples: Array, level: Array) -> tuple[Any, ...]:
        """Return what the kernels take to know the scale of each entry."""
        return samples, self.features, self.levels, level, self.least


def sample_factors(
    scales: Scales, size: Array, level: Array, clean: Array, known: Array, cutoff: float = math.inf
) -> Array:
    """Return the factor of each sample, from its residuals; each depends on that sample alone."""
    samples = np.full(len(size), scales.typical)
    scales = replace(scales, least=0.0)  # which says nothing of this sample
    for _ in range(3):
        now = scales.with_samples(samples, level)
        samples = samples * _step(size, now, clean, cutoff, 1, samples / scales.typical)
        samples = np.maximum(samples, LEAST_FACTOR * scales.typical)
    return samples * _growth(size, scales.with_samples(samples, level), known, 1)


def learn_scales(
    size: Array,
    P: Array,
    clean: Array,
    known: Array,
    before: tuple[Array, Scales] | None,
    *,
    cutoff: float,
    steps: int,
    rounding: float,
) -> tuple[Array, Scales, tuple[Any, ...]]:
    """Return the samples' factors, the shared ones, and both as the kernels take them.

    Only clean residuals below `cutoff` scales count. No scale below `rounding` makes sense.
    """
    samples, scales = _start(size, known, rounding) if before is None else before
    # Levels hold equally many predictions each.
    some = P.ravel()[:: max(1, P.size // LEVEL_SAMPLE)]
    bounds = np.quantile(some, np.arange(1, LEVELS) / LEVELS).astype(float)
    scales = replace(scales, bounds=bounds, least=0.0)
    level = scales.level_of(P)
    for step in range(steps):
        for axis in (1, 0, 2):
            now = scales.with_samples(samples, level)
            factor = (scales.features, samples / _middle(samples), scales.levels)[axis]
            new = _step(size, now, clean, cutoff, axis, factor)
            if step == steps - 1:
                new = np.maximum(new, _growth(size, now, known, axis))
            new = factor * new
            new = np.maximum(new, LEAST_FACTOR * _middle(new))
            if axis == 0:
                new = np.minimum(new, LARGEST_FACTOR * np.quantile(new, MOST_FEATURES))
            if axis == 1:
                samples = _middle(samples) * new
                continue
            samples = samples * _middle(new)
            name = ("features", "samples", "levels")[axis]
            scales = replace(scales, **{name: new / _middle(new)})
    mean_square = kernels_for(P).mean_square_scale(samples, scales.features, scales.levels, level)
    least = max(LEAST_SCALE * math.sqrt(mean_square), rounding)
    scales = replace(scales, typical=_middle(samples), least=least)
    return samples, scales, scales.with_samples(samples, level)


def _start(size: Array, known: Array, rounding: float) -> tuple[Array, Scales]:
    n, m = size.shape
    first = max(float(np.quantile(size[known], CLEAN_SHARE)) / CLEAN_REACH, rounding)
    return np.full(n, first), Scales(first, np.ones(m), np.empty(0), np.ones(LEVELS), rounding)


def _step(
    size: Array, scale: tuple[Any, ...], clean: Array, cutoff: float, axis: int, factor: Array
) -> Array:
    """Return what to multiply the factors by: the maximum likelihood step, drawn towards 1."""
    total, count = kernels_for(size).spread_sums(size, scale, clean, cutoff, axis)
    step = (total / _mean_spread(cutoff) + PRIOR_ENTRIES / factor) / (count + PRIOR_ENTRIES)
    return np.clip(np.sqrt(step), 1 / LARGEST_STEP, LARGEST_STEP)


def _growth(size: Array, scale: tuple[Any, ...], known: Array, axis: int) -> Array:
    """Return by how much the factors must grow for their clean share to lie within reach."""
    far, count = kernels_for(size).count_beyond(size, scale, known, CLEAN_REACH, axis)
    growth = np.ones(len(far))
    too_many = np.flatnonzero(far > (1 - CLEAN_SHARE) * count)
    if len(too_many):
        u = size / kernels_for(size).scale_of(*scale)
        for i in too_many:
            group: Any = (slice(None), i) if axis == 0 else i if axis == 1 else scale[3] == i
            growth[i] = np.quantile(u[group][known[group]], CLEAN_SHARE) / CLEAN_REACH
    return np.maximum(growth, 1)


def quantile(A: Array, share: float, axis: int) -> Array:
    """Return a quantile of the numbers that are not NaN; NumPy's own way is slow without need."""
    if not np.isnan(A).any():
        return np.quantile(A, share, axis=axis)
    ordered = np.sort(A, axis=axis)  # NaN comes last
    position = share * np.maximum((~np.isnan(A)).sum(axis=axis, keepdims=True) - 1, 0)
    below = np.floor(position).astype(int)
    above = np.ceil(position).astype(int)
    low, high = (np.take_along_axis(ordered, i, axis=axis) for i in (below, above))
    return np.squeeze(low + (position - below) * (high - low), axis=axis).astype(A.dtype)


_mean_spread = functools.cache(mean_spread)


def _middle(factors: Array) -> float:
    """The geometric mean."""
    return float(np.exp(np.log(factors).mean()))
