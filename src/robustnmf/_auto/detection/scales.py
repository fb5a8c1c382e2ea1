"""How large clean residuals are: by sample, by feature and by level of the prediction.

The scale of an entry is the product of three factors, each found from the residuals that seem
clean. Nothing is known of pictures or of any other layout.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from robustnmf._auto.detection.settings import SCALES
from robustnmf._common.arrays import Array
from robustnmf._kernels import kernels_for
from robustnmf._kernels.density import mean_spread


class EntryScales(NamedTuple):
    """The scale of each entry, in the factors of which the kernels make it: their product."""

    samples: Array
    """A factor for each sample; n."""
    features: Array
    """A factor for each feature; m."""
    levels: Array
    """A factor for each level of the prediction."""
    level: Array
    """The level of each entry; n×m."""
    least: float
    """No scale is below this."""

    def at(self, rows: Array, columns: Array) -> Array:
        """Return the scale of some entries."""
        levels = self.levels[self.level[rows, columns]]
        return np.maximum(self.samples[rows] * self.features[columns] * levels, self.least)


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

    def with_samples(self, samples: Array, level: Array) -> EntryScales:
        """Return the scale of each entry of some samples."""
        return EntryScales(samples, self.features, self.levels, level, self.least)


def sample_factors(
    scales: Scales, size: Array, level: Array, clean: Array, known: Array, cutoff: float = math.inf
) -> Array:
    """Return the factor of each sample, from its residuals; each depends on that sample alone."""
    samples = np.full(len(size), scales.typical)
    scales = replace(scales, least=0.0)  # which says nothing of this sample
    for _ in range(3):
        now = scales.with_samples(samples, level)
        samples = samples * _step(size, now, clean, cutoff, 1, samples / scales.typical)
        samples = np.maximum(samples, SCALES.least_factor * scales.typical)
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
) -> tuple[Array, Scales, EntryScales]:
    """Return the samples' factors, the shared ones, and both as the kernels take them.

    Only clean residuals below `cutoff` scales count. No scale below `rounding` makes sense.
    """
    samples, scales = _start(size, known, rounding) if before is None else before
    scales = replace(scales, bounds=level_bounds(P), least=0.0)
    level = scales.level_of(P)
    for step in range(steps):
        for axis in (1, 0, 2):
            now = scales.with_samples(samples, level)
            factor = (scales.features, samples / _middle(samples), scales.levels)[axis]
            new = _step(size, now, clean, cutoff, axis, factor)
            if step == steps - 1:
                new = np.maximum(new, _growth(size, now, known, axis))
            new = factor * new
            new = np.maximum(new, SCALES.least_factor * _middle(new))
            if axis == 0:
                new = np.minimum(
                    new, SCALES.largest_factor * np.quantile(new, SCALES.most_features)
                )
            if axis == 1:
                samples = _middle(samples) * new
                continue
            samples = samples * _middle(new)
            relative = new / _middle(new)
            if axis == 0:
                scales = replace(scales, features=relative)
            else:
                scales = replace(scales, levels=relative)
    mean_square = kernels_for(P).mean_square_scale(samples, scales.features, scales.levels, level)
    least = max(SCALES.least_scale * math.sqrt(mean_square), rounding)
    scales = replace(scales, typical=_middle(samples), least=least)
    return samples, scales, scales.with_samples(samples, level)


def level_bounds(P: Array) -> Array:
    """Return where one level ends and the next begins: each holds equally many of the numbers."""
    some = P.ravel()[:: max(1, P.size // SCALES.level_sample)]
    return np.quantile(some, np.arange(1, SCALES.levels) / SCALES.levels).astype(float)


def _start(size: Array, known: Array, rounding: float) -> tuple[Array, Scales]:
    n, m = size.shape
    first = max(float(np.quantile(size[known], SCALES.clean_share)) / SCALES.clean_reach, rounding)
    return np.full(n, first), Scales(
        first, np.ones(m), np.empty(0), np.ones(SCALES.levels), rounding
    )


def _step(
    size: Array, scale: EntryScales, clean: Array, cutoff: float, axis: int, factor: Array
) -> Array:
    """Return what to multiply the factors by: the maximum likelihood step, drawn towards 1."""
    total, count = kernels_for(size).spread_sums(size, scale, clean, cutoff, axis)
    step = (total / _mean_spread(cutoff) + SCALES.prior_entries / factor) / (
        count + SCALES.prior_entries
    )
    return np.clip(np.sqrt(step), 1 / SCALES.largest_step, SCALES.largest_step)


def _growth(size: Array, scale: EntryScales, known: Array, axis: int) -> Array:
    """Return by how much the factors must grow for their clean share to lie within reach."""
    far, count = kernels_for(size).count_beyond(size, scale, known, SCALES.clean_reach, axis)
    growth = np.ones(len(far))
    too_many = np.flatnonzero(far > (1 - SCALES.clean_share) * count)
    if len(too_many):
        u = size / kernels_for(size).scale_of(*scale)
        if axis == 1:
            # In batches of new samples there are thousands of them.
            quantiles = row_quantiles(u[too_many], known[too_many], SCALES.clean_share)
            growth[too_many] = quantiles / SCALES.clean_reach
            return np.maximum(growth, 1)
        for i in too_many:
            group: Any = (slice(None), i) if axis == 0 else scale.level == i
            growth[i] = np.quantile(u[group][known[group]], SCALES.clean_share) / SCALES.clean_reach
    return np.maximum(growth, 1)


def row_quantiles(values: Array, counted: Array, share: float) -> Array:
    """Return `np.quantile` of the counted values of each row, of which there is at least one.

    Examples
    --------
    >>> import numpy as np
    >>> row_quantiles(np.array([[9.0, 1.0, 2.0]]), np.array([[False, True, True]]), 0.5)
    array([1.5])
    """
    ordered = np.sort(np.where(counted, values, np.inf), axis=1)
    last = np.count_nonzero(counted, axis=1) - 1
    place = share * last
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, last)
    low, high = (np.take_along_axis(ordered, at[:, None], axis=1)[:, 0] for at in (below, above))
    part = place - below
    # From the nearer end, as NumPy does: otherwise the last digit would differ.
    return np.where(part < 0.5, low + (high - low) * part, high - (high - low) * (1 - part))


_mean_spread = functools.cache(mean_spread)


def _middle(factors: Array) -> float:
    """The geometric mean."""
    return float(np.exp(np.log(factors).mean()))
