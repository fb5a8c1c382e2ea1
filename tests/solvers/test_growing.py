"""A guess at missing entries that grows."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from robustnmf._core.growth import Stage, climb, growing_ranks
from robustnmf._core.noise import CONVEX_START, NoNoise
from robustnmf._engines import engine_for
from robustnmf._solvers import growing
from robustnmf._solvers.growing import Seen, grow_guess


def gappy(n=90, m=40, k=6, loud=(), seed=0):
    rng = np.random.default_rng(seed)
    X = rng.gamma(0.5, size=(n, k)) @ rng.gamma(0.5, size=(k, m))
    X /= X.mean(axis=1, keepdims=True)
    X[list(loud)] *= 200
    return X, np.where(rng.random(X.shape) < 0.3, np.nan, X)


@pytest.mark.parametrize("k", range(1, 41))
def test_ranks_grow_by_no_more_than_a_factor_of_two_up_to_half(k):
    ranks = growing_ranks(k)
    assert ranks[0] == 1
    assert ranks[-1] == max(1, (k + 1) // 2)
    assert all(low < high <= 2 * low for low, high in pairwise(ranks))


@pytest.mark.parametrize("noise", [NoNoise(), CONVEX_START])
def test_more_components_say_more_of_what_nobody_saw(noise):
    X, gaps = gappy()
    missing = np.isnan(gaps)
    guess = grow_guess(engine_for(gaps), noise, 12, float(np.nanmean(gaps)))
    assert [len(stage.components) for stage in guess.stages] == [1, 2, 3, 6]
    errors = [
        np.mean(
            (climb(gaps, guess.stages[: i + 1], noise, None) @ stage.components - X)[missing] ** 2
        )
        for i, stage in enumerate(guess.stages)
    ]
    assert errors[-1] < 0.2 * errors[0]


def test_loud_rows_get_as_many_components_as_are_wanted():
    X, gaps = gappy(loud=(3, 50))
    guess = grow_guess(engine_for(gaps), NoNoise(), 8, float(np.nanmean(gaps)))
    assert [len(stage.components) for stage in guess.stages] == [1, 2, 4, 8]
    error = (guess.levels @ guess.profiles - X)[np.isnan(gaps)]
    assert np.sqrt(np.mean(error**2)) < 0.2 * np.sqrt(np.mean(X[np.isnan(gaps)] ** 2))


def test_many_rows_are_guessed_by_what_a_sample_taught(monkeypatch):
    monkeypatch.setattr(growing, "GROWING", growing.GROWING._replace(most_rows=60))
    X, gaps = gappy(n=150)
    guess = grow_guess(engine_for(gaps), NoNoise(), 12, float(np.nanmean(gaps)))
    assert guess.levels.shape == (150, 6)
    assert_allclose(guess.levels[7:8], climb(gaps[7:8], guess.stages, NoNoise(), None), rtol=1e-9)
    error = (guess.levels @ guess.profiles - X)[np.isnan(gaps)]
    assert np.mean(error**2) < 0.2 * np.var(X)


def test_a_row_climbs_by_itself():
    _, gaps = gappy()
    rng = np.random.default_rng(1)
    stages = tuple(Stage(rng.gamma(1.0, size=(r, 40)), 0.1) for r in (1, 3, 6))
    together = climb(gaps, stages, CONVEX_START, None)
    alone = np.concatenate([climb(row[None], stages, CONVEX_START, None) for row in gaps])
    assert_allclose(together, alone, rtol=1e-9, atol=1e-12)


def test_a_guess_that_knows_by_heart_is_found_out():
    X, gaps = gappy()
    hidden = np.random.default_rng(2).random(X.shape) < 0.1
    seen = Seen(engine_for(gaps), np.ones((len(X), 1)), hidden)
    learned = np.where(hidden, 0.0, X)
    unseen, usual = seen.squares(learned, np.eye(40))
    assert usual == 0
    assert unseen > 0.1
    assert_allclose(seen.map(lambda rows, X, weights: np.isnan(X))[0], np.isnan(gaps) | hidden)
    assert_allclose(seen.sample(np.array([4, 2])).squares(learned[[4, 2]], np.eye(40))[1], 0)
