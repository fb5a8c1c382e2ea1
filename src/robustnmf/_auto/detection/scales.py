"""How large clean residuals are: by sample, by feature and by level of the prediction.

The scale of an entry is the product of three factors, each found from the residuals that seem
clean. Nothing is known of pictures or of any other layout.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from robustnmf._auto.detection.settings import SCALES
from robustnmf._common.arrays import Array
from robustnmf._common.robust import quantile
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

    def some(self, n: int) -> Array:
        """Return the scales of at most so many entries of each row, in the same columns."""
        m = len(self.features)
        columns = np.arange(m) if m <= n else some_columns(m, n)
        levels = self.levels[self.level[:, columns]]
        return np.maximum(self.samples[:, None] * self.features[columns] * levels, self.least)


@functools.lru_cache(maxsize=8)
def some_columns(m: int, n: int) -> Array:
    """Return n of m positions: always the same ones, but without any pattern."""
    return np.random.default_rng(0).choice(m, n, replace=False)


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


def scales_of_rows(
    scales: Scales, X: Array, P: Array, corrupt: Array | None, cutoff: float
) -> EntryScales:
    """Return the scale of each entry; the factor of a sample comes from that sample alone.

    Without a guess of what is corrupt, only residuals below `cutoff` scales count.
    """
    cutoff = cutoff if corrupt is None else math.inf
    settings = (
        scales.typical,
        cutoff,
        _mean_spread(cutoff),
        SCALES.prior_entries,
        SCALES.least_factor * scales.typical,
        SCALES.largest_step,
        SCALES.clean_reach,
        SCALES.sample_steps,
    )
    factors = scales.with_samples(np.empty(0), np.empty((0, 0), np.int8))
    samples, level, far, count = kernels_for(X).sample_spreads(
        X, P, corrupt, factors, scales.bounds, settings
    )
    too_many = np.flatnonzero(far > (1 - SCALES.clean_share) * count)
    if len(too_many):
        known = ~np.isnan(X[too_many])
        size = np.where(known, np.abs(X[too_many] - P[too_many]), 0)
        own = replace(scales, least=0.0).with_samples(samples[too_many], level[too_many])
        samples[too_many] *= _growth(size, own, known, 1)
    return scales.with_samples(samples, level)


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
    some = np.sort(P.ravel()[:: max(1, P.size // SCALES.level_sample)]).astype(float)
    places = np.arange(1, SCALES.levels) / SCALES.levels * (len(some) - 1)
    return np.interp(places, np.arange(len(some)), some)


def _start(size: Array, known: Array, rounding: float) -> tuple[Array, Scales]:
    n, m = size.shape
    some = size[known]
    some = some[:: max(1, len(some) // SCALES.level_sample)]
    first = max(float(np.quantile(some, SCALES.clean_share)) / SCALES.clean_reach, rounding)
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
        growth[too_many] = _clean_share(size, scale, known, axis, too_many) / SCALES.clean_reach
    return np.maximum(growth, 1)


def _clean_share(size: Array, scale: EntryScales, known: Array, axis: int, groups: Array) -> Array:
    """Return below how many scales the clean share of some samples, features or levels is."""
    if axis == 2:
        u = size / kernels_for(size).scale_of(*scale)
        return np.array(
            [np.quantile(u[known & (scale.level == i)], SCALES.clean_share) for i in groups]
        )
    if axis == 0:
        size, known, level = (A[:, groups].T for A in (size, known, scale.level))
        scale = scale._replace(features=scale.samples, samples=scale.features[groups], level=level)
    else:
        size, known, level = (A[groups] for A in (size, known, scale.level))
        scale = scale._replace(samples=scale.samples[groups], level=level)
    u = np.where(known, size / kernels_for(size).scale_of(*scale), np.nan)
    return quantile(u, SCALES.clean_share, axis=1)


_mean_spread = functools.cache(mean_spread)


def _middle(factors: Array) -> float:
    """The geometric mean."""
    return float(np.exp(np.log(factors).mean()))
