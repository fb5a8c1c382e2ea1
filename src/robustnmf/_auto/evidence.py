"""What hidden entries say of a fit: whether anything can be predicted, and which features."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from robustnmf._auto.coarse import take_steps
from robustnmf._auto.detection import Learner, first_price
from robustnmf._auto.detection.repair import Repair
from robustnmf._auto.guesses import Guess, guesses
from robustnmf._auto.settings import EVIDENCE
from robustnmf._auto.trials import Hidden, Trial, try_guess
from robustnmf._common.arrays import Array
from robustnmf._common.robust import quantile, robust_deviation
from robustnmf._core.init import random_start
from robustnmf._engines import engine_for
from robustnmf._kernels.density import surprise


@dataclass(frozen=True)
class Evidence:
    """How well a trial predicts entries that it did not see."""

    skill: float
    """By how much errors are smaller than those of each feature's own middle; 1 is perfect."""
    errors: Array
    """The root mean square error of predictions of values that seem clean, by feature; m."""
    useful: Array
    """Whether predictions of a feature beat its own middle; m."""
    misfit: float
    """How much more of the residuals lies far out than should."""
    n_hidden: int

    @classmethod
    def of(cls, trial: Trial, hidden: Hidden) -> Evidence:
        """Look at all hidden entries."""
        seen = np.where(trial.corrupt, np.nan, trial.learner.X)
        m = seen.shape[1]
        rows, columns, x = hidden.rows, hidden.columns, hidden.values.astype(float)
        predicted = np.einsum("ij,ji->i", trial.W[rows], trial.H[:, columns]).astype(float)
        scale = trial.learner.scale.at(rows, columns)
        limits = trial.learner.detector.limits(scale, trial.learner.classes.index_of(x))
        size = np.abs(x - predicted)
        clean = size <= limits
        skills, ratios = [], []
        for centre, spread, power in (_median_and_deviation(seen), _mean_and_deviation(seen)):
            here = spread[columns]
            used = here > 0
            here = np.where(used, here, 1)
            near, far = size / here, np.abs(x - centre[columns]) / here
            # What is far from both is corrupt, and says nothing of either.
            used &= np.minimum(near, far) < EVIDENCE.cut
            own, plain = (
                np.where(used, np.minimum(e, EVIDENCE.cut) ** power, 0) for e in (near, far)
            )
            skills.append(1 - own.sum() / plain.sum() if plain.sum() > 0 else 0.0)
            ratios.append(_by_feature(own, plain, columns, clean, m))
        largest = float(np.nanmax(trial.learner.X))
        pooled = float(np.mean(size[clean] ** 2)) if clean.any() else largest**2
        count = np.bincount(columns[clean], minlength=m)
        squares = np.bincount(columns[clean], size[clean] ** 2, m) + EVIDENCE.prior_entries * pooled
        return cls(
            skill=float(max(skills)),
            errors=np.sqrt(squares / (count + EVIDENCE.prior_entries)),
            useful=np.minimum(*ratios) < 1,
            misfit=tail_excess(size[clean] / scale[clean]),
            n_hidden=len(x),
        )

    @property
    def repair(self) -> Repair:
        """What this says of replacing entries."""
        return Repair(self.errors, self.useful)


def _by_feature(own: Array, plain: Array, columns: Array, clean: Array, m: int) -> Array:
    """Return the losses of predictions over those of the middle, drawn towards that of all."""
    top, bottom = (np.bincount(columns[clean], loss[clean], m) for loss in (own, plain))
    total = max(float(bottom.sum()), np.finfo(float).tiny)
    prior = EVIDENCE.prior_entries * total / max(1, int(clean.sum()))
    return (top + prior * top.sum() / total) / (bottom + prior + np.finfo(float).tiny)


def _median_and_deviation(X: Array) -> tuple[Array, Array, int]:
    """Return the median of each feature and its spread about that; errors count as they are."""
    some = np.where(np.isnan(X).all(axis=0), 0, X)
    middle = quantile(some, 0.5, axis=0).astype(float)
    return middle, robust_deviation(some - middle, axis=0), 1


def _mean_and_deviation(X: Array) -> tuple[Array, Array, int]:
    """Return the mean and the standard deviation of each feature; errors count by their squares.

    Where most values are 0, so is the median, and no prediction of a mean can beat it.
    """
    some = np.where(np.isnan(X).all(axis=0), 0, X).astype(float)
    return np.nanmean(some, axis=0), np.nanstd(some, axis=0), 2


def tail_excess(u: Array) -> float:
    """Return how much more of the residuals u lies far out than their density allows, at most.

    Residuals that are smaller than they should be do no harm.
    """
    if not len(u):
        return 1.0
    grid = np.linspace(0, 40, 4001)
    density = np.exp(-surprise(grid))
    within = np.cumsum(density) / density.sum()
    seen = np.searchsorted(np.sort(u), grid, side="right") / len(u)
    return float((within - seen).max())


def shuffled_skill(learner: Learner, hidden: Hidden, n_components: int) -> float:
    """Return the skill of a short fit to the same data with each column shuffled by itself."""
    rng = np.random.default_rng([3, 5])
    X = learner.X.copy()
    for j in range(X.shape[1]):
        known = np.flatnonzero(~np.isnan(X[:, j]))
        X[known, j] = X[rng.permutation(known), j]
    hidden = replace(hidden, values=X[hidden.mask])
    seen = Learner(np.where(hidden.mask, np.nan, X), learner.classes)

    def begin(guess: Guess) -> tuple[Array, Array]:
        data = engine_for(seen.X)
        start = random_start(
            data, n_components, float(np.nanmean(seen.X)), np.random.RandomState(0)
        )
        clean, noise = np.where(guess.corrupt, np.nan, seen.X), first_price(X.shape[1])
        W, H, _ = take_steps(clean, noise, *start, EVIDENCE.shuffled_steps)
        return W, H

    tries = (try_guess(seen, hidden, guess, begin) for guess in guesses(seen))
    return max(Evidence.of(trial, hidden).skill for trial in tries)
