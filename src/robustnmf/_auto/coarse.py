"""A first guess of what is corrupt, from a fit too poor to explain any of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from robustnmf._auto.detection import Learner, first_price
from robustnmf._auto.detection.scales import FIRST_CUTOFF, quantile
from robustnmf._core.init import random_start
from robustnmf._core.loop import Trace, run
from robustnmf._core.noise import NoiseModel, TruncatedSquares
from robustnmf._engines import engine_for
from robustnmf._solvers import Hals

Array = np.ndarray

# Iterations of the fit with one component, rounds after it, and iterations of each.
ITERATIONS, ROUNDS, STEPS = 10, 2, 5
# The spread of clean residuals is first taken from those below 3 scales, which is good until about
# a fifth of the entries is corrupt, and in a second look from those below 2.
SECOND_CUTOFF = 2.0
# Shares of the entries: a first look that finds less has seen nothing, and a second one that finds
# more has seen something.
NOTHING, MUCH = 0.02, 0.1
# Values above so many times what is usual for their row and column are cut off at first.
REACH = 1.5
# A row is loud when its values are this many times the usual ones.
LOUD = 1.5


def coarse(learner: Learner) -> Array:
    """Return what stands out against a fit with one component.

    With more components, some would be spent on the corruption at once, and hide it. So much may be
    corrupt that it widens the spread of what seems clean, until nothing stands out; if so, a
    second look takes only the very middle of the residuals for clean.
    """
    X = learner.X
    data = engine_for(X, dtype=X.dtype)
    W, H = random_start(data, 1, float(np.nanmean(X)), np.random.RandomState(0))
    W, H, _ = take_steps(within_reach(X), first_price(X.shape[1]), W, H, ITERATIONS)
    corrupt = _outstanding(learner, W, H, FIRST_CUTOFF)
    if corrupt.mean() < NOTHING:
        again = _outstanding(learner, W, H, SECOND_CUTOFF)
        if again.mean() > MUCH:
            return again
    return corrupt


def _outstanding(learner: Learner, W: Array, H: Array, cutoff: float) -> Array:
    learner.forget_scales()
    for _ in range(ROUNDS):
        thresholds = learner.look(W @ H, None, cutoff)
        corrupt = learner.beyond(W @ H, thresholds)
        W, H, _ = take_steps(learner.X, TruncatedSquares(thresholds), W, H, STEPS)
    return corrupt


def within_reach(X: Array) -> Array:
    """Return X with values cut off that are far above what their row and column would suggest.

    The convex noise model bounds what one entry can do, but not what the size of many can.
    """
    rows, columns = (_usual(X, axis) for axis in (1, 0))
    common = max(float(np.mean(rows)), np.finfo(X.dtype).tiny)
    return np.minimum(X, REACH * rows[:, None] * (columns / common))


def loudness(X: Array) -> Array:
    """Return by what to divide each row so that none is far louder than the rest; n×1.

    A few loud rows would else have components of their own before anybody can tell that they are
    nothing like the rest.
    """
    rows = _usual(X, 1)[:, None]
    # Rows that hold nothing say nothing of what is usual, however many they are.
    usual = float(np.median(rows[rows > 0])) if (rows > 0).any() else 1.0
    return np.maximum(rows / (LOUD * usual), 1).astype(X.dtype)


def _usual(X: Array, axis: int) -> Array:
    """Return the usual value of a row or column, which is not 0 because most entries are."""
    return np.maximum(quantile(X, 0.5, axis=axis), 0.1 * np.nanmean(X, axis=axis))


def take_steps(
    X: Array,
    noise: NoiseModel,
    W: Array,
    H: Array,
    n: int,
    *,
    report: Any = None,
    tol: float = 0.0,
) -> tuple[Array, Array, Trace]:
    """Take some steps with a noise model.

    `report`, given a function that returns H, returns what the loop reports to.
    """
    solver = Hals(engine_for(X, dtype=X.dtype), noise, W, H)
    tell = None if report is None else report(lambda: solver.H)
    trace = run(solver, max_iter=n, tol=tol, report=tell)
    return solver.W, solver.H, trace
