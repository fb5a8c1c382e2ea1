"""Which account of what is corrupt is right: a short fit from each guess, and hidden values decide.

A tenth of the entries is hidden from all fits. The account under which the hidden *values* are
likeliest is taken; squared errors of predictions could not tell, because whoever calls much corrupt
has little left to predict.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robustnmf._auto.coarse import take_steps
from robustnmf._auto.detection import Learner, log_likelihood, outlying, unexplained
from robustnmf._auto.detection.ceiling import ceiling
from robustnmf._auto.detection.settings import CEILING
from robustnmf._auto.guesses import Guess
from robustnmf._auto.settings import TRIALS
from robustnmf._common.arrays import Array
from robustnmf._core.noise import TruncatedSquares


@dataclass
class Trial:
    """A short fit to what is not hidden, and how likely it makes what is."""

    guess: Guess
    W: Array
    H: Array
    learner: Learner
    corrupt: Array
    """What it takes for corrupt in the end."""
    scores: Array
    """Log likelihoods of the hidden values."""

    @property
    def share(self) -> float:
        """The share of the known entries that it takes for corrupt."""
        return float(self.corrupt.sum() / self.learner.known.sum())

    @property
    def at_the_top(self) -> float:
        """The share of entries that have the largest value of all that are not flagged.

        0 where values are so few that each is frequent.
        """
        values = self._left
        if len(self.learner.classes.points) < CEILING.least_values or not len(values):
            return 0.0
        return float((values == values.max()).mean())

    @property
    def piled_at_the_top(self) -> bool:
        """Whether the largest value that is not flagged is frequent as none near it."""
        return ceiling(self._left, CEILING.small_pile) is not None

    @property
    def _left(self) -> Array:
        """The values that it does not take for corrupt."""
        fine = self.learner.known & ~self.corrupt & ~self.learner.bad_features
        return self.learner.X[fine]


@dataclass
class Hidden:
    """Entries that no trial sees."""

    mask: Array
    rows: Array
    columns: Array
    values: Array

    @classmethod
    def of(cls, X: Array) -> Hidden:
        """Hide a tenth of the known entries, always the same ones."""
        rng = np.random.default_rng([7, 11, 13])
        known = ~np.isnan(X)
        mask = known & (rng.random(X.shape) < TRIALS.hidden)
        # Enough must stay in each row and column to predict from.
        for axis in (0, 1):
            short = (known & ~mask).sum(axis=axis, keepdims=True) < 2
            mask &= ~short
        rows, columns = np.nonzero(mask)
        return cls(mask, rows, columns, X[mask])

    def some(self) -> slice:
        """Return which of them are scored."""
        return slice(None, None, max(1, len(self.values) // TRIALS.most_scored))


def try_guess(
    learner: Learner,
    hidden: Hidden,
    guess: Guess,
    start: Callable[[Guess], tuple[Array, Array]],
) -> Trial:
    """Fit from a guess, and score the hidden values.

    `start` fits all components to what the guess leaves.
    """
    learner = copy.copy(learner)
    learner.forget_scales()
    W, H = start(guess)
    corrupt = guess.corrupt
    for _ in range(TRIALS.rounds):
        thresholds = learner.learn(W @ H, corrupt)
        shares = unexplained(learner.X, W @ H, thresholds)
        thresholds[outlying(shares, ~learner.bad_samples)] = 0
        W, H, _ = take_steps(learner.X, TruncatedSquares(thresholds), W, H, TRIALS.steps)
        corrupt = learner.beyond(W @ H, thresholds)
    learner.learn(W @ H, corrupt, even=True)
    some = hidden.some()
    rows, columns = hidden.rows[some], hidden.columns[some]
    scale = learner.scale.at(rows, columns)
    predicted = np.einsum("ij,ji->i", W[rows], H[:, columns]).astype(float)
    scores = log_likelihood(learner.classes, learner.rates, hidden.values[some], predicted, scale)
    return Trial(guess, W, H, learner, corrupt, scores)


def difference(one: Trial, other: Trial, rows: Array) -> tuple[float, float]:
    """Return by how much one makes the hidden values likelier, in the mean, and its standard error.

    Values within a sample go together, so samples are what is counted.
    """
    gain = one.scores - other.scores
    if len(gain) < 2:
        return 0.0, np.inf
    deviation = np.bincount(rows, gain - gain.mean())
    return float(gain.mean()), float(np.sqrt((deviation**2).sum()) / len(gain))


def choose(trials: list[Trial], hidden: Hidden) -> Trial:
    """Return the likeliest account; of those that cannot be told from it the most cautious one.

    One that leaves many entries at the largest value, a good part of which another takes for
    corrupt, has learned what was written rather than what was there, and does not count.
    """
    tops = [trial.at_the_top for trial in trials]
    least = min(top for trial, top in zip(trials, tops, strict=True) if not trial.guess.bold)
    most = max(CEILING.least_share, TRIALS.unseen * least)
    trials = [trial for trial, top in zip(trials, tops, strict=True) if top <= most]
    rows = hidden.rows[hidden.some()]
    best = max(trials, key=lambda trial: float(trial.scores.mean()) if len(rows) else 0.0)
    margin = TRIALS.decisive if best.guess.bold else TRIALS.enough
    equal = [best]
    for trial in trials:
        gain, error = difference(best, trial, rows)
        if gain <= margin * error:
            equal.append(trial)
    return min(equal, key=lambda trial: trial.share)
