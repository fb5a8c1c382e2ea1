"""First guesses of what is corrupt, each of its own kind; hidden values decide between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robustnmf._auto.coarse import coarse, take_steps
from robustnmf._auto.detection import Learner, first_price
from robustnmf._auto.detection.reach import within_rows_and_columns
from robustnmf._auto.detection.settings import SCALES
from robustnmf._auto.settings import CANDIDATES, GUESSES
from robustnmf._common.arrays import Array
from robustnmf._core.init import random_start
from robustnmf._core.noise import TruncatedSquares
from robustnmf._engines import engine_for


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
        if all((guess.corrupt != other.corrupt).mean() > GUESSES.same for other in kept):
            kept.append(guess)
    return kept


def piled(learner: Learner) -> Array:
    """Return the entries whose value turns up in nearly all rows and columns alike."""
    known, class_of = learner.known, learner.class_of
    counts = np.bincount(class_of[known], minlength=len(learner.classes.points))
    corrupt = np.zeros(known.shape, dtype=bool)
    for index in np.flatnonzero(counts >= GUESSES.least_pile * known.sum()):
        here = known & (class_of == index)
        share = here.sum() / known.sum()
        if share > GUESSES.most_pile:
            continue
        floors = [
            np.quantile(
                here.sum(axis=axis) / np.maximum(known.sum(axis=axis), 1), GUESSES.elsewhere
            )
            for axis in (0, 1)
        ]
        if min(floors) >= GUESSES.even_share * share:
            corrupt |= here
    return corrupt


def trimmed(learner: Learner, n_components: int) -> Guess:
    """Return what stands out against a fit to the smallest residuals, with more and more parts."""
    X = np.where(piled(learner), np.nan, learner.X)
    data = engine_for(X)
    rng = np.random.RandomState(0)
    k = 1
    mean = float(np.nanmean(X))
    W, H = random_start(data, 1, mean, rng)
    W, H, _ = take_steps(
        within_rows_and_columns(X), first_price(X.shape[1]), W, H, GUESSES.trimmed_steps
    )
    while True:
        for _ in range(2):
            size = np.abs(X - W @ H)
            line = np.quantile(size[~np.isnan(size)], GUESSES.trimmed_share)
            held = TruncatedSquares(np.full_like(X, line))
            W, H, _ = take_steps(X, held, W, H, GUESSES.trimmed_steps // 2)
        if k >= n_components:
            break
        more = min(2 * k, n_components)
        new_W, new_H = random_start(data, more - k, mean, rng)
        W = np.hstack([W, CANDIDATES.new_size * new_W])
        H = np.vstack([H, CANDIDATES.new_size * new_H])
        k = more
    learner.forget_scales()
    P = W @ H
    return Guess(
        "trimmed", learner.beyond(P, learner.learn(P, None, SCALES.second_cutoff)), bold=True
    )
