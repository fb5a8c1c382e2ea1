"""Learning a detector from the residuals of a fit, again and again as the fit improves."""

from __future__ import annotations

import math

import numpy as np

from robustnmf._auto.detection.detector import Detector, as_probability, beyond
from robustnmf._auto.detection.evenness import standing
from robustnmf._auto.detection.scales import Scales, learn_scales
from robustnmf._auto.detection.settings import LEARNER, SCALES
from robustnmf._auto.detection.tails import learn_tail
from robustnmf._auto.detection.values import Classes, learn_rates
from robustnmf._common.arrays import Array
from robustnmf._kernels import kernels_for
from robustnmf._kernels.density import THIN


class Learner:
    """Holds what stays the same while the fit changes: the data, and the classes of its values."""

    def __init__(self, X: Array, classes: Classes | None = None) -> None:
        self.X, self.known = X, ~np.isnan(X)
        values = X[self.known]
        self.classes = Classes.of(values) if classes is None else classes
        self.class_of = self.classes.index_of(X)
        self.least_scale = LEARNER.negligible_share * float(values.mean())
        self.least_scale = max(self.least_scale, float(np.finfo(X.dtype).tiny))
        self.standing = standing(X)
        self._scales: tuple[Array, Scales] | None = None
        self.ceiling: float | None = None
        # Whether clean residuals may have tails that are heavier than exponential.
        self.heavy_tails = False
        self.bad_samples, self.bad_features = (np.zeros(size, dtype=bool) for size in X.shape)
        self.detector: Detector

    @property
    def order(self) -> Array | None:
        """Which of all different values each entry has, where each of them is a class."""
        return None if self.classes.binned else self.class_of

    def forget_scales(self) -> None:
        """Begin anew with the scales: a fit of another kind follows."""
        self._scales = None

    def guard(self, ordinary: Array) -> None:
        """Take no residual for large that is below the typical value of some entries."""
        self.least_scale = max(self.least_scale, float(np.quantile(self.X[ordinary], LEARNER.low)))

    def learn(
        self,
        P: Array,
        corrupt: Array | None,
        cutoff: float = SCALES.first_cutoff,
        even: bool = False,
    ) -> Array:
        """Learn from the residuals of the prediction P, and return each entry's threshold.

        `corrupt` is what was flagged last; without it only residuals below `cutoff` scales
        count.
        """
        size = np.where(self.known, np.abs(self.X - P), 0)
        clean = self.known if corrupt is None else self.known & ~corrupt
        samples, scales, scale = learn_scales(
            size,
            P,
            clean,
            self.known,
            self._scales,
            cutoff=cutoff if corrupt is None else math.inf,
            steps=LEARNER.next_steps if self._scales is not None else LEARNER.first_steps,
            rounding=self.least_scale,
        )
        self._scales = samples, scales
        standing = self.standing if even else None
        self.rates = learn_rates(self.classes, self.class_of, size, P, scale, self.known, standing)
        self.scale = scale
        written = written_again(self.rates.corrupt, self.classes.widths) & self.classes.single
        if even:
            self.rates = self.rates._replace(corrupt=doubted(self.rates.corrupt, written))
        prior = self.rates.log_odds
        if self.ceiling is not None:
            at = self.classes.index_of(np.array([self.ceiling]))
            prior[at], written[at] = LEARNER.certain, True
        tail = THIN
        if even and self.heavy_tails:
            tail = learn_tail(size, scale, self.known, self.class_of, prior)
        bar = best_bar(
            kernels_for(size).log_odds(size, scale, self.known, self.class_of, prior, tail)
        )
        self.detector = Detector(
            scales, self.classes, prior, tail, math.log(bar / (1 - bar)), written, self.bad_features
        )
        thresholds = self.detector.thresholds(scale, self.class_of)
        # Without room for any residual, a row costs nothing and pulls at nothing.
        thresholds[self.bad_samples] = 0
        return thresholds

    @property
    def at_ceiling(self) -> Array:
        """Which entries have the largest value, where that was not measured."""
        if self.ceiling is None:
            return np.zeros(self.X.shape, dtype=bool)
        return np.equal(self.X, self.ceiling)

    def thresholds_for(self, X: Array) -> Array:
        """Return the thresholds of other values in the same entries, as learned last."""
        return self.detector.thresholds(self.scale, self.classes.index_of(X))

    def beyond(self, P: Array, thresholds: Array) -> Array:
        """Return which entries lie beyond their thresholds; never a missing one."""
        return beyond(self.X, P, thresholds)

    @property
    def samples(self) -> Array:
        """The samples' factors as learned last."""
        assert self._scales is not None
        return self._scales[0]


def written_again(corrupt: Array, widths: Array) -> Array:
    """Return which classes corruption writes again and again: often, and far oftener than others.

    Corruption that writes any value would write each as often as it is wide.
    """
    evenly = corrupt.sum() * widths / widths.sum()
    return (corrupt >= LEARNER.written) & (corrupt >= LEARNER.oftener * evenly)


def doubted(corrupt: Array, written: Array) -> Array:
    """Return the rates with those of values that are not written lowered if all are very small.

    So little corruption of no particular value cannot be told from clean tails. All the more so
    beside values that are written again and again: two kinds of corruption are rarer than one.
    """
    scattered = min(1.0, float(corrupt[~written].sum()) / LEARNER.rare)
    return np.where(
        written,
        corrupt,
        corrupt * scattered ** (LEARNER.beside if written.any() else LEARNER.alone),
    )


def best_bar(log_odds: Array) -> float:
    """Return the probability above which to flag such that the expected F1 is highest.

    It is half of that F1, hence never above a half.
    """
    ordered = np.sort(as_probability(log_odds[log_odds > LEARNER.negligible_odds]))[::-1]
    if not len(ordered):
        return LEARNER.highest_bar
    right = np.cumsum(ordered)
    f1 = 2 * right / (np.arange(1, len(ordered) + 1) + right[-1])
    return float(np.clip(f1.max() / 2, LEARNER.least_bar, LEARNER.highest_bar))
