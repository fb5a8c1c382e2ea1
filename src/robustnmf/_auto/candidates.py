"""The fits that `n_components="auto"` compares: short, robust, and begun from one another."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from robustnmf._auto.coarse import coarse, take_steps
from robustnmf._auto.detection import Learner, first_price
from robustnmf._auto.rank import RankPath, Start, choose_rank
from robustnmf._auto.sample import Sample
from robustnmf._auto.search import mostly_zero, ordinary
from robustnmf._auto.settings import CANDIDATES
from robustnmf._common.arrays import Array
from robustnmf._common.checks import AUTO, Auto
from robustnmf._core.init import random_start
from robustnmf._core.noise import NoiseModel, TruncatedSquares
from robustnmf._engines import engine_for, single_threaded_blas
from robustnmf._fitting.data import Summary
from robustnmf._fitting.factorize import Options


def find_rank(
    X: Any,
    summary: Summary,
    noise: NoiseModel | Auto,
    options: Options,
    report: Callable[[int, int], None],
) -> RankPath:
    """Return how well different numbers of components predict hidden entries.

    With "auto" for the noise model, what is corrupt is learned from the data.
    """
    if not isinstance(options.init, str):
        raise ValueError(
            "init=(W, H) has a number of components of its own; use init='random' with "
            "n_components='auto'"
        )
    rng = check_random_state(options.random_state)
    seed = rng.randint(2**31)
    with single_threaded_blas:
        sample, _, units, _ = Sample.of(X, summary, CANDIDATES.entries, CANDIDATES.rows)
        fit = _Learning() if noise is AUTO else _Given(units.noise(noise))
        return choose_rank(
            sample, fit, lambda train, k, near: _begin(train, k, near, seed), rng, report
        )


def _begin(train: Array, k: int, near: Start | None, seed: int) -> Start:
    """Return a start: the strongest components of another fit, and new ones if those are few."""
    rng = np.random.RandomState(seed)
    W, H = random_start(engine_for(train), k, float(np.nanmean(train)), rng)
    if near is None:
        return Start(W, H)
    strength = np.linalg.norm(near.W, axis=0) * np.linalg.norm(near.H, axis=1)
    kept = np.argsort(-strength, kind="stable")[:k]
    W, H = W * CANDIDATES.new_size, H * CANDIDATES.new_size
    W[:, : len(kept)], H[: len(kept)] = near.W[:, kept], near.H[kept]
    return Start(W, H, near.corrupt)


class _Learning:
    """Fits that learn what is corrupt as they go, all from the same coarse fit."""

    def __init__(self) -> None:
        self._learner: Learner | None = None

    def prepare(self, train: Array) -> None:
        self._learner = Learner(train)
        if mostly_zero(self._learner):
            # The small spread of zeros would make all else stand out.
            self._learner.guard(ordinary(self._learner))
        self._corrupt = coarse(self._learner)
        self._learner.forget_scales()

    def __call__(self, train: Array, start: Start) -> Start:
        assert self._learner is not None
        learner, (W, H, corrupt) = copy.copy(self._learner), start
        # What is corrupt is known better from a fit that is near than from the coarse one.
        begun = corrupt is not None
        corrupt = self._corrupt if corrupt is None else corrupt
        # A huge error that squares take in makes its whole row fit badly, and stands out no more.
        convex = first_price(train.shape[1])
        first = CANDIDATES.next_steps if begun else CANDIDATES.first_steps
        W, H = _settle(np.where(corrupt, np.nan, train), convex, W, H, first)
        for turn, steps in enumerate(CANDIDATES.steps):
            if begun and turn < len(CANDIDATES.steps) - 1:
                continue
            thresholds = learner.learn(W @ H, corrupt, even=turn > 0)
            W, H = _settle(train, TruncatedSquares(thresholds), W, H, steps)
            corrupt = learner.beyond(W @ H, thresholds)
        return Start(W, H, corrupt)


class _Given:
    """Fits with a noise model that needs no learning."""

    def __init__(self, noise: NoiseModel) -> None:
        self._noise = noise

    def prepare(self, train: Array) -> None:
        """Do nothing."""

    def __call__(self, train: Array, start: Start) -> Start:
        steps = CANDIDATES.first_steps + sum(CANDIDATES.steps)
        return Start(*_settle(train, self._noise, start.W, start.H, steps))


def _settle(X: Array, noise: NoiseModel, W: Array, H: Array, n: int) -> tuple[Array, Array]:
    """Take as many steps, or fewer where they change nothing."""
    W, H, _ = take_steps(X, noise, W, H, n, tol=CANDIDATES.tolerance)
    return W, H
