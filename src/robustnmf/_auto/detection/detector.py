"""The odds that an entry is corrupt, from its residual, its scale and its value."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from robustnmf._auto.detection.repair import Repair
from robustnmf._auto.detection.scales import EntryScales, Scales, scales_of_rows
from robustnmf._auto.detection.settings import SCALES
from robustnmf._auto.detection.values import Classes
from robustnmf._common.arrays import Array
from robustnmf._kernels import kernels_for
from robustnmf._kernels.density import THIN, Tail, surprise, surprising


@dataclass(frozen=True)
class Detector:
    """What was learned of clean residuals and corrupt values; it judges any sample by itself."""

    scales: Scales
    classes: Classes
    prior: Array
    """Log odds of each class of values, before scale and residual are looked at."""
    tail: Tail = THIN
    """How clean residuals are spread far out."""
    bar: float = 0.0
    """Log odds above which an entry counts as corrupt."""
    written: Array | None = None
    """Which classes hold values that corruption wrote again and again."""
    bad_features: Array | None = None
    """Which features are corrupt as a whole, if any; m."""
    surest: float = 1.0
    """How likely corrupt an entry can be whose value is not written again and again."""
    repair: Repair | None = None
    """Which entries may be replaced, and within which bounds."""

    def rescaled(self, factor: float) -> Detector:
        """Return the detector for data multiplied by `factor`."""
        return replace(
            self,
            scales=self.scales.rescaled(factor),
            classes=self.classes.rescaled(factor),
            # The odds compare a share with a density, whose unit changes too.
            prior=self.prior - math.log(factor),
            repair=None if self.repair is None else self.repair.rescaled(factor),
        )

    def scale(self, X: Array, P: Array, corrupt: Array | None) -> EntryScales:
        """Return the scale of each entry, as the kernels take it; each row is looked at by itself.

        Without a guess of what is corrupt, only the middle of the residuals counts.
        """
        return scales_of_rows(self.scales, X, P, corrupt, SCALES.first_cutoff)

    def thresholds(self, scale: EntryScales, class_of: Array) -> Array:
        """Return how large the residual of each entry may be."""
        kernels = kernels_for(scale.samples)
        out: Array = kernels.thresholds(scale, class_of, self.prior, self.bar, self.tail)
        if self.bad_features is not None:
            out[:, self.bad_features] = 0
        return out

    def is_written(self, class_of: Array) -> Array:
        """Return which entries have a value that corruption wrote again and again."""
        return (
            np.zeros(class_of.shape, dtype=bool) if self.written is None else self.written[class_of]
        )

    def limits(self, scale: Array, class_of: Array) -> Array:
        """Return how large residuals may be, of any entries whose scales are given as numbers."""
        return scale * surprising(self.bar - self.prior[class_of] - np.log(scale), self.tail)

    def probability_at(self, size: Array, scale: Array, class_of: Array, columns: Array) -> Array:
        """Return that of some entries, which are known, from |residual| and scale as numbers."""
        log_odds = self.prior[class_of] + np.log(scale) + surprise(size / scale, self.tail)
        answer = as_probability(log_odds)
        if self.surest < 1:
            answer = np.where(self.is_written(class_of), answer, np.minimum(answer, self.surest))
        if self.bad_features is not None:
            answer[self.bad_features[columns]] = 1
        return answer

    def probability(self, X: Array, P: Array, scale: EntryScales, class_of: Array) -> Array:
        """Return the probability that each entry is corrupt; 0 for a missing one."""
        known = ~np.isnan(X)
        size = np.where(known, np.abs(X - P), 0)
        answer = as_probability(
            kernels_for(size).log_odds(size, scale, known, class_of, self.prior, self.tail)
        )
        if self.surest < 1:
            answer = np.where(self.is_written(class_of), answer, np.minimum(answer, self.surest))
        if self.bad_features is not None:
            answer[:, self.bad_features] = known[:, self.bad_features]
        return answer


def beyond(X: Array, P: Array, thresholds: Array) -> Array:
    """Return which entries lie beyond their thresholds; never a missing one."""
    answer: Array = kernels_for(X).beyond(X, P, thresholds)
    return answer


def as_probability(log_odds: Array) -> Array:
    """Turn log odds into probabilities: in place, for none of a block's arrays is larger."""
    np.negative(log_odds, out=log_odds)
    np.clip(log_odds, -700, 700, out=log_odds)
    np.exp(log_odds, out=log_odds)
    log_odds += 1
    return np.divide(1, log_odds, out=log_odds)
