"""Missing entries held by a guess that counts less the more is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustnmf._core.held import HOLD, Held
from robustnmf._core.loop import run
from robustnmf._core.noise import NoNoise, SquaredL1, TruncatedSquares
from robustnmf._engines import engine_for
from robustnmf._solvers import Hals, Loosening

# Each with the weight of all entries.
MODELS = {
    "l1": (SquaredL1(0.1), None),
    "plain": (NoNoise(), None),
    "weighted": (NoNoise(), 0.5),
    "truncated": (TruncatedSquares(np.ones((40, 25))), None),
}


def problem(seed, n=40, m=25, k=3, missing=0.4, noise=0.01):
    rng = np.random.default_rng(seed)
    X = rng.gamma(1.0, size=(n, k)) @ rng.gamma(1.0, size=(k, m))
    X *= 1 + noise * rng.standard_normal(X.shape)
    X[rng.random(X.shape) < missing] = np.nan
    X[np.isnan(X).all(axis=1), 0] = 1
    start = [np.sqrt(np.nanmean(X) / k) * (rng.random(s) + 0.1) for s in ((n, k), (k, m))]
    guess = np.nanmean(X, axis=1, keepdims=True), np.ones((1, m))
    return X, start, guess


@pytest.mark.parametrize("name", MODELS)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=10)
def test_the_objective_never_rises_and_the_hold_only_loosens(name, seed):
    model, each = MODELS[name]
    X, start, guess = problem(seed)
    weights = None if each is None else np.full(X.shape, each)
    solver = Loosening(engine_for(X, weights, dtype=X.dtype), Held(model, *guess), *start)
    objectives, hints = [], []
    for _ in range(45):
        objectives.append(solver.step().objective)
        hints.append(solver.hint)
    assert (np.diff(objectives) <= 1e-12 * objectives[0]).all()
    assert (np.diff(hints) <= 0).all()
    assert hints[0] == HOLD.most_hint
    assert hints[-1] < 0.5 * HOLD.most_hint
    assert min(solver.W.min(), solver.H.min()) >= 0


def test_it_goes_further_in_as_many_passes_than_hals_would():
    """On smooth data, where steps are short; a hold too weak to loosen leaves the loss the same."""
    gains = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = np.linspace(0, 1, 60)
        bands = np.exp(-((x - np.linspace(0, 1, 6)[:, None]) ** 2) / 0.03)
        X = 1 + rng.uniform(0, 1, size=(60, 6)) @ bands
        X[rng.random(X.shape) < 0.4] = np.nan
        start = [np.sqrt(np.nanmean(X) / 7) * (rng.random(s) + 0.1) for s in ((60, 7), (7, 60))]
        guess = np.nanmean(X, axis=1, keepdims=True), np.ones((1, 60))
        held = Held(SquaredL1(0.04), *guess, hint=1e-12)
        data = engine_for(X, dtype=X.dtype)
        plain, loosening = (
            run(solver(data, held, *start), max_iter=200, tol=0.0).last
            for solver in (Hals, Loosening)
        )
        gains.append(plain / loosening)
    # Each may end in a bad minimum.
    assert np.median(gains) > 2
