"""The search for the likeliest account of what is corrupt, and what speaks for and against it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from robustnmf.detection import Learner, outlying, unexplained
from robustnmf.detection.outliers import LEAST_SAMPLES
from robustnmf.diagnosis import Diagnosis
from robustnmf.estimators._auto.diagnose import CLEAR_SKILL, diagnose
from robustnmf.estimators._auto.evidence import Evidence, shuffled_skill
from robustnmf.estimators._auto.guesses import Guess, different, guesses, piled, trimmed
from robustnmf.estimators._auto.trials import Hidden, Trial, choose, try_guess

Array = np.ndarray

# With less skill at hidden entries, much may be corrupt that no cheap guess has found.
ENOUGH_SKILL = 0.3
# An account in which more than this share of what is not 0 is corrupt explains nothing but zeros;
# what was written over and over does not count.
MOST_OF_NONZERO = 0.1
# Data are mostly 0 from this share on.
MOSTLY = 0.5


class Found(NamedTuple):
    """The account that is taken."""

    chosen: Trial
    evidence: Evidence
    diagnosis: Diagnosis
    noisy: Array
    """Which features are explained far worse than the others; m."""


def search(
    learner: Learner,
    hidden: Hidden,
    begin: Callable[[Learner, Guess], tuple[Array, Array]],
    n_components: int,
    stopped: Callable[[], bool],
) -> Found:
    """Try the guesses that cost little, and others where those do not do.

    `begin` fits all components to what a guess leaves of the data, and `stopped` says whether that
    was asked to end. The learner, of all entries, comes to know which features are stuck.
    """
    seen = Learner(np.where(hidden.mask, np.nan, learner.X), learner.classes)
    seen.bad_features = learner.bad_features = stuck_features(learner)
    trials: list[Trial] = []

    def attempt(view: Learner, found: list[Guess]) -> None:
        for guess in found:
            if not trials or not stopped():
                trials.append(try_guess(view, hidden, guess, lambda guess: begin(seen, guess)))

    attempt(seen, guesses(seen))
    if mostly_zero(seen):
        # The small spread of zeros makes all else stand out: see the data with a wider one, too.
        wide = copy.copy(seen)
        wide.guard(ordinary(seen))
        nothing = Guess("nothing", np.zeros(seen.X.shape, dtype=bool))
        attempt(wide, different([nothing, Guess("piles", piled(seen))]))
        trials = [trial for trial in trials if not only_zeros(trial)] or trials[-1:]
    chosen = choose(trials, hidden)
    evidence = Evidence.of(chosen, hidden)
    if evidence.skill < ENOUGH_SKILL and not stopped():
        tried = [trial.guess for trial in trials]
        view = copy.copy(chosen.learner)
        attempt(view, different([*tried, trimmed(view, n_components)])[len(tried) :])
        chosen = choose(trials, hidden)
        evidence = Evidence.of(chosen, hidden)
    learner.least_scale = chosen.learner.least_scale
    shuffled = None
    if not stopped() and evidence.skill < CLEAR_SKILL:
        shuffled = shuffled_skill(learner, hidden, n_components)
    diagnosis = diagnose(trials, chosen, hidden, evidence, shuffled)
    return Found(chosen, evidence, diagnosis, noisy_features(chosen))


def only_zeros(trial: Trial) -> bool:
    """Return whether nearly all that is left of the data is 0."""
    others = ordinary(trial.learner)
    return bool(others.any()) and trial.corrupt[others].mean() > MOST_OF_NONZERO


def mostly_zero(learner: Learner) -> bool:
    """Return whether the data are mostly 0, and not all of the rest was written over and over."""
    zeros = int((learner.X == 0).sum())
    return zeros > MOSTLY * learner.known.sum() and bool(ordinary(learner).any())


def ordinary(learner: Learner) -> Array:
    """Return which entries are neither 0 nor of a value that was written over and over."""
    return learner.known & (learner.X > 0) & ~piled(learner)


def stuck_features(learner: Learner) -> Array:
    """Return which features have one value throughout; one that is 0 throughout may well be so."""
    X, known = learner.X, learner.known
    low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    stuck = (low == high) & (low > 0) & (known.sum(axis=0) >= LEAST_SAMPLES)
    return stuck & ~stuck.all()


def noisy_features(trial: Trial) -> Array:
    """Return which features are explained far worse than the others."""
    X, P = trial.learner.X, trial.W @ trial.H
    return outlying(unexplained(X.T, P.T, trial.learner.thresholds_for(X).T))
