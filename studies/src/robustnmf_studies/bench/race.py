"""Solvers timed on their way to a stated objective."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from robustnmf._core.loop import run
from robustnmf._core.noise import NoiseModel
from robustnmf._engines import engine_for, single_threaded_blas
from robustnmf._solvers import SOLVERS, Hals, head_start
from robustnmf_studies.bench.problems import Problem

# The paper's λ, which is also the default.
LAM = 0.04
# λ at which noise costs more than any residual: plain NMF.
NO_NOISE = 1e12
# A race that takes longer than this is lost.
_MAX_ITER = 20_000


def make_solver(name: str, problem: Problem, noise: NoiseModel) -> Any:
    """Return a solver by name at the start of a problem."""
    W, H = problem.start()
    return SOLVERS[name](problem.blocks(), noise, W, H, mean=problem.mean)


def race(problem: Problem, noise: NoiseModel, objectives: Sequence[float]) -> list[float]:
    """Return after how many seconds `hals` was at or below each objective; infinite if never.

    A pass measures the point it starts from, so an objective is known to be reached only by the
    pass after: that one is counted, too. So is the head start on a sample of the rows, with which
    every fit begins.
    """
    reached = [math.inf] * len(objectives)
    began = time.perf_counter()
    data = problem.blocks()
    solver = Hals(data, noise, *head_start(data, noise, *problem.start()))

    def report(iteration: int, objective: float) -> bool:
        now = time.perf_counter() - began
        for i, wanted in enumerate(objectives):
            if objective <= wanted and reached[i] == math.inf:
                reached[i] = now
        return math.inf not in reached

    # As the estimators do.
    with single_threaded_blas:
        run(solver, max_iter=_MAX_ITER, tol=0.0, report=report)
    return reached


class Rule:
    """The paper's rule from the start of a problem."""

    def __init__(self, problem: Problem, noise: NoiseModel) -> None:
        self.solver = make_solver("mu", problem, noise)

    def seconds(self, iterations: int) -> float:
        """Go on for some iterations and return how long they took."""
        began = time.perf_counter()
        with single_threaded_blas:
            for _ in range(iterations):
                self.solver.step()
        return time.perf_counter() - began

    def objective(self) -> float:
        """Return the objective with the rule's own E; takes one more step to find out."""
        return float(self.solver.step().objective)


def exact_objective(problem: Problem, noise: NoiseModel, W: Any, H: Any) -> float:
    """Return the objective of given factors with the best E."""
    return float(make_solver("hals", replace(problem, W=W, H=H), noise).step().objective)


def squared_error(X: Any, W: Any, H: Any) -> float:
    """‖X − WH‖² in float64, a block at a time.

    Examples
    --------
    >>> import numpy as np
    >>> squared_error(np.ones((3, 2)), np.ones((3, 1)), np.zeros((1, 2)))
    6.0
    """

    def error(rows: slice, X: Any, weights: Any) -> float:
        R = X - W[rows] @ H
        return float(np.einsum("ij,ij->", R, R, dtype=np.float64))

    return math.fsum(engine_for(X, dtype=X.dtype).map(error))


class Iterations:
    """Passes of `hals` under way: the first ones, whose thresholds are cold, lie behind."""

    def __init__(self, problem: Problem, noise: NoiseModel, warm: int = 3) -> None:
        self._solver = make_solver("hals", problem, noise)
        self.seconds(warm)

    def seconds(self, steps: int) -> float:
        """Return the seconds that one pass takes, over so many of them."""
        began = time.perf_counter()
        with single_threaded_blas:
            for _ in range(steps):
                self._solver.step()
        return (time.perf_counter() - began) / steps
