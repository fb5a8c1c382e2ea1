"""The search for the likeliest account of what is corrupt, and what speaks for and against it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from robustnmf._auto.ceiling import Ceiling
from robustnmf._auto.detection import Learner, unrelated
from robustnmf._auto.detection.ceiling import ceiling
from robustnmf._auto.detection.repair import Repair
from robustnmf._auto.detection.settings import OUTLIERS, UNRELATED, VALUES
from robustnmf._auto.diagnose import diagnose, rival_share
from robustnmf._auto.evidence import Evidence, shuffled_skill
from robustnmf._auto.guesses import (
    Guess,
    different,
    guesses,
    piled,
    trimmed,
    with_known_faults,
)
from robustnmf._auto.settings import SEARCH, VERDICT
from robustnmf._auto.trials import Hidden, Trial, choose, try_guess
from robustnmf._common.arrays import Array
from robustnmf._common.diagnosis import Diagnosis


class Found(NamedTuple):
    """The account that is taken."""

    chosen: Trial
    repair: Repair
    noise: Array
    """Which features have nothing in common with any other; m."""
    diagnosis: Diagnosis
    rival: float
    """How much is corrupt by another account that is as likely; 0 if there is none."""


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
    learner.bad_features = stuck = stuck_features(learner)
    learner.bad_samples = unrelated(learner.X, learner.order)
    learner.ceiling = ceiling(learner.X[learner.known & ~stuck])
    for fault in ("bad_features", "bad_samples", "ceiling"):
        setattr(seen, fault, getattr(learner, fault))
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
        others = (nothing, Guess("piles", piled(seen)))
        attempt(wide, different([with_known_faults(seen, guess) for guess in others]))
        trials = [trial for trial in trials if not only_zeros(trial)] or trials[-1:]
    chosen = choose(trials, hidden)
    evidence = Evidence.of(chosen, hidden)
    if evidence.skill < SEARCH.enough_skill and not stopped():
        tried = [trial.guess for trial in trials]
        view = copy.copy(chosen.learner)
        bold = with_known_faults(view, trimmed(view, n_components))
        attempt(view, different([*tried, bold])[len(tried) :])
        chosen = choose(trials, hidden)
        evidence = Evidence.of(chosen, hidden)
    learner.least_scale = chosen.learner.least_scale
    learner.heavy_tails = evidence.skill < SEARCH.good_skill
    shuffled = None
    if not stopped() and evidence.skill < VERDICT.clear_skill:
        shuffled = shuffled_skill(learner, hidden, n_components)
    top = Ceiling.of(chosen, evidence)
    diagnosis = diagnose(chosen, evidence, shuffled, top)
    order = None if learner.order is None else learner.order.T
    noise = unrelated(learner.X.T, order, least=UNRELATED.short)
    repair = replace(evidence.repair, useful=evidence.useful & ~noise, stuck=stuck)
    if top is not None and top.cut_off:
        # Whatever precision the value was found in, it must not pass for a lower one.
        repair = replace(repair, ceiling=top.value * (1 - VALUES.same))
    return Found(chosen, repair, noise, diagnosis, rival_share(trials, chosen, hidden))


def only_zeros(trial: Trial) -> bool:
    """Return whether nearly all that is left of the data is 0."""
    others = ordinary(trial.learner)
    return bool(others.any()) and trial.corrupt[others].mean() > SEARCH.most_of_nonzero


def mostly_zero(learner: Learner) -> bool:
    """Return whether the data are mostly 0, and not all of the rest was written over and over."""
    zeros = int((learner.X == 0).sum())
    return zeros > SEARCH.mostly * learner.known.sum() and bool(ordinary(learner).any())


def ordinary(learner: Learner) -> Array:
    """Return which entries are neither 0 nor of a value that was written over and over."""
    return learner.known & (learner.X > 0) & ~piled(learner)


def stuck_features(learner: Learner) -> Array:
    """Return which features have one value throughout, and should not."""
    X, known = learner.X, learner.known
    low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
    stuck = (low == high) & (known.sum(axis=0) >= OUTLIERS.least_samples)
    if stuck.all():
        return ~stuck
    # Where others are often 0, one that always is may well be right.
    zeros = (X == 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    if np.median(zeros[~stuck]) > SEARCH.rare_zeros:
        stuck &= low > 0
    return stuck
