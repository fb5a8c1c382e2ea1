"""First guesses of what is corrupt, each of its own kind; hidden values decide between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robustnmf._auto.coarse import SECOND_CUTOFF, coarse, take_steps, within_reach
from robustnmf._auto.detection import Learner, first_price
from robustnmf._core.init import random_start
from robustnmf._core.noise import TruncatedSquares
from robustnmf._engines import engine_for

Array = np.ndarray

# A value was written if it turns up in nearly all rows and columns (all but this share of them), at
# no less than half its usual rate, and in at least this share of all entries.
ELSEWHERE = 0.05
LEAST_PILE = 0.04
EVEN_SHARE = 0.5
# Least trimmed: so many of the smallest residuals are fitted, with so many iterations at each of
# the growing numbers of components.
TRIMMED_SHARE = 0.6
TRIMMED_STEPS = 12
MOST_GUESSES = 4
# Guesses that differ in fewer entries than this share are one.
SAME = 0.01


class Guess(NamedTuple):
    """Entries that may be corrupt, and how they were found."""

    name: str
    corrupt: Array
    bold: bool = False
    """Whether it is likely to take much for corrupt that is not."""


def guesses(learner: Learner) -> list[Guess]:
    """Return the guesses that cost little, as far as they differ."""
    first = coarse(learner)
    found = [
        Guess("coarse", first),
        Guess("nothing", np.zeros_like(first)),
        Guess("piles", piled(learner)),
    ]
    return different([with_known_faults(learner, guess) for guess in found])


def with_known_faults(learner: Learner, guess: Guess) -> Guess:
    """Return the guess with all that is corrupt in any case."""
    corrupt = guess.corrupt | learner.at_ceiling
    corrupt[learner.bad_samples] = True
    corrupt[:, learner.bad_features] = True
    return guess._replace(corrupt=corrupt)


def different(found: list[Guess]) -> list[Guess]:
    """Return the guesses without those that are nearly the same as an earlier one."""
    kept: list[Guess] = []
    for guess in found:
        if all((guess.corrupt != other.corrupt).mean() > SAME for other in kept):
            kept.append(guess)
    return kept


def piled(learner: Learner) -> Array:
    """Return the entries whose value turns up in nearly all rows and columns alike."""
    known, places = learner.known, learner.places
    counts = np.bincount(places[known], minlength=len(learner.classes.points))
    corrupt = np.zeros(known.shape, dtype=bool)
    for place in np.flatnonzero(counts >= LEAST_PILE * known.sum()):
        here = known & (places == place)
        share = here.sum() / known.sum()
        if share > 0.5:
            continue
        floors = [
            np.quantile(here.sum(axis=axis) / np.maximum(known.sum(axis=axis), 1), ELSEWHERE)
            for axis in (0, 1)
        ]
        if min(floors) >= EVEN_SHARE * share:
            corrupt |= here
    return corrupt


def trimmed(learner: Learner, n_components: int) -> Guess:
    """Return what stands out against a fit to the smallest residuals, with more and more parts."""
    X = np.where(piled(learner), np.nan, learner.X)
    data = engine_for(X, dtype=X.dtype)
    rng = np.random.RandomState(0)
    k = 1
    mean = float(np.nanmean(X))
    W, H = random_start(data, 1, mean, rng)
    W, H, _ = take_steps(within_reach(X), first_price(X.shape[1]), W, H, TRIMMED_STEPS)
    while True:
        for _ in range(2):
            size = np.abs(X - W @ H)
            line = np.quantile(size[~np.isnan(size)], TRIMMED_SHARE)
            held = TruncatedSquares(np.full_like(X, line))
            W, H, _ = take_steps(X, held, W, H, TRIMMED_STEPS // 2)
        if k >= n_components:
            break
        more = min(2 * k, n_components)
        new_W, new_H = random_start(data, more - k, mean, rng)
        W = np.hstack([W, 0.3 * new_W])
        H = np.vstack([H, 0.3 * new_H])
        k = more
    learner.forget_scales()
    P = W @ H
    return Guess("trimmed", learner.beyond(P, learner.look(P, None, SECOND_CUTOFF)), bold=True)
