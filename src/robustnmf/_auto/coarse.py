"""A first guess of what is corrupt, from a fit too poor to explain any of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from robustnmf._auto.detection import Learner, first_price
from robustnmf._auto.detection.reach import within_rows_and_columns
from robustnmf._auto.detection.settings import SCALES
from robustnmf._auto.settings import COARSE
from robustnmf._common.arrays import Array
from robustnmf._core.init import random_start
from robustnmf._core.loop import Trace, run
from robustnmf._core.noise import NoiseModel, TruncatedSquares
from robustnmf._engines import engine_for
from robustnmf._fitting.factorize import Report
from robustnmf._solvers import Hals


def coarse(learner: Learner) -> Array:
    """Return what stands out against a fit with one component.

    With more components, some would be spent on the corruption at once, and hide it. So much may be
    corrupt that it widens the spread of what seems clean, until nothing stands out; if so, a
    second try takes only the very middle of the residuals for clean.
    """
    X = learner.X
    data = engine_for(X)
    W, H = random_start(data, 1, float(np.nanmean(X)), np.random.RandomState(0))
    W, H, _ = take_steps(
        within_rows_and_columns(X), first_price(X.shape[1]), W, H, COARSE.iterations
    )
    corrupt = _outstanding(learner, W, H, SCALES.first_cutoff)
    if corrupt.mean() < COARSE.nothing:
        again = _outstanding(learner, W, H, SCALES.second_cutoff)
        if again.mean() > COARSE.much:
            return again
    return corrupt


def _outstanding(learner: Learner, W: Array, H: Array, cutoff: float) -> Array:
    learner.forget_scales()
    for _ in range(COARSE.rounds):
        thresholds = learner.learn(W @ H, None, cutoff)
        corrupt = learner.beyond(W @ H, thresholds)
        W, H, _ = take_steps(learner.X, TruncatedSquares(thresholds), W, H, COARSE.steps)
    return corrupt


def take_steps(
    X: Array,
    noise: NoiseModel,
    W: Array,
    H: Array,
    n: int,
    *,
    report: Callable[[Callable[[], Array]], Report] | None = None,
    tol: float = 0.0,
) -> tuple[Array, Array, Trace]:
    """Take some steps with a noise model.

    `report`, given a function that returns H, returns what the loop reports to.
    """
    solver = Hals(engine_for(X), noise, W, H)
    tell = None if report is None else report(lambda: solver.H)
    trace = run(solver, max_iter=n, tol=tol, report=tell)
    return solver.W, solver.H, trace
