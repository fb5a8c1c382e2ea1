"""Races to a stated objective: where the paper's rule arrives, and where plain NMF stops."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np
from sklearn.decomposition import NMF

from robustnmf import RobustNMF
from robustnmf._core.loop import run
from robustnmf._core.noise import SquaredL1
from robustnmf._engines import engine_for, single_threaded_blas
from robustnmf._solvers import Hals, head_start
from robustnmf_studies.bench.plan import LARGE, RULE_ITERATIONS, SMALL, Plan
from robustnmf_studies.bench.problems import LAM, Problem, Steps, large_problem, small_problem
from robustnmf_studies.bench.results import FASTER, Row, compared
from robustnmf_studies.bench.timing import Tell, alternate, seconds, unconverged_is_fine

# λ at which noise costs more than any residual: plain NMF.
NO_NOISE = 1e12
# A race that takes longer than this is lost; enough for scikit-learn to stop by its tolerance.
_MAX_ITER = 20_000
# Rounds of noise-off at the small size, where they are cheap and local minima many.
_STARTS = 5
_TARGET_SIZES = {"small": SMALL, "large": LARGE}


def race(problem: Problem, lam: float, objectives: Sequence[float]) -> list[float]:
    """Return after how many seconds `hals` was at or below each objective; infinite if never.

    A pass measures the point it starts from, so an objective is known to be reached only by the
    pass after: that one is counted, too. So is the head start on a sample of the rows, with which
    every fit begins.
    """
    reached = [math.inf] * len(objectives)
    began = time.perf_counter()
    data, noise = engine_for(problem.X), SquaredL1(lam)
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


def exact_objective(problem: Problem, lam: float, W: Any, H: Any) -> float:
    """Return the objective of given factors with the best E."""
    return Steps("hals", replace(problem, W=W, H=H), lam).objective()


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

    return math.fsum(engine_for(X).map(error))


def paper_rule(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Race to the rule's last objective: with its own E, and with the best E for its factors."""
    large = case == "large"
    problem = large_problem(plan.large) if large else small_problem(plan)
    n = plan.rule_large if large else plan.rule_small
    rule, whole = Steps("mu", problem), 0.0
    # In pieces only so that the bar moves.
    for piece in range(10):
        tell(0.8 * piece / 10)
        whole += rule.seconds(n * (piece + 1) // 10 - n * piece // 10)
    W, H = rule.solver.W.copy(), rule.solver.H.copy()
    # The rule's E is not the best one for its factors: the second goal is the harder one.
    wanted = rule.objective(), exact_objective(problem, LAM, W, H)
    times: list[list[float]] = []

    def ours() -> float:
        times.append(race(problem, LAM, wanted))
        return times[-1][0]

    def theirs() -> float:
        # From start to end; at the large size, a slice of it stands for all.
        if large:
            return n * rule.seconds(plan.rule_slice) / plan.rule_slice
        return Steps("mu", problem).seconds(n)

    rounds = alternate(plan.repeat, ours, theirs, tell=lambda done: tell(0.8 + 0.2 * done))
    note = (
        f"the rule ran once for all {n:,} iterations ({whole:.0f} s); each round timed "
        f"{plan.rule_slice} of them again"
    )
    same = {
        "rival": "the paper's rule",
        "exact": (problem.size, n) == (_TARGET_SIZES[case], RULE_ITERATIONS),
    }
    return [
        compared(
            f"paper-rule.{case}",
            f"to the objective of the rule's iteration {n:,}; {problem.size}",
            FASTER,
            rounds,
            note=note if large else "",
            details={"objective": wanted[0], "objective_best_noise": wanted[1]},
            **same,
        ),
        compared(
            f"paper-rule.{case}-strict",
            f"the same, had its factors the best E; {problem.size}",
            FASTER,
            [(reached[1], rule) for reached, (_, rule) in zip(times, rounds, strict=True)],
            **same,
        ),
    ]


def rule_fits(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Fit from start to end: by the rule, and by ours with as many iterations as end no higher.

    Both have checks, start, and the exact W and E at the end in their time and in their objective.
    """
    problem, n = small_problem(plan), plan.rule_small

    def fit(**options: Any) -> RobustNMF:
        model = RobustNMF(problem.size.k, init=problem.start(), tol=0.0, **options)
        with unconverged_is_fine():
            return model.fit(problem.X)

    wanted = fit(solver="mu", max_iter=n).objective_
    tell(0.3)
    needed = next(i for i in range(1, _MAX_ITER) if fit(max_iter=i).objective_ <= wanted)
    rounds = alternate(
        plan.repeat,
        lambda: seconds(lambda: fit(max_iter=needed)),
        lambda: seconds(lambda: fit(solver="mu", max_iter=n)),
        tell=lambda done: tell(0.5 + 0.5 * done),
    )
    return [
        compared(
            f"rule-fits.{case}",
            f"whole fits, to where {n:,} iterations of the rule end; {problem.size}",
            FASTER,
            rounds,
            rival="the paper's rule",
            exact=plan.data is not None and (problem.size, n) == (SMALL, RULE_ITERATIONS),
            note=f"{needed} iterations of ours",
            details={"objective": wanted, "iterations": needed},
        )
    ]


def noise_off(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Race to the objective at which scikit-learn stops, on data without errors.

    Each round has its own start, the same for both sides: from a single one, which of two local
    minima a method falls into would decide everything.
    """
    if case == "small":
        problem, repeat = small_problem(plan).without_noise(), max(plan.repeat, _STARTS)
    else:
        problem, repeat = large_problem(plan.converge, wrong=False), plan.repeat
    starts = (problem.restarted(seed) for seed in itertools.count())
    here: Problem
    wanted: list[float] = []
    n_iter: list[int] = []

    def theirs() -> float:
        nonlocal here
        here = next(starts)
        W, H = here.start()
        model = NMF(here.size.k, init="custom", solver="cd", max_iter=_MAX_ITER)
        began = time.perf_counter()
        W = model.fit_transform(here.X, W=W, H=H)
        gone = time.perf_counter() - began
        wanted.append(squared_error(here.X, W, model.components_))
        n_iter.append(model.n_iter_)
        return gone

    def ours() -> float:
        return race(here, NO_NOISE, wanted[-1:])[0]

    # They go first, for only then is it known where they stop.
    with unconverged_is_fine():
        rounds = alternate(repeat, theirs, ours, tell=tell)
    lost = sum(math.isinf(time) for _, time in rounds)
    note = f"it stops after {median(n_iter):.0f} iterations"
    if lost:
        note += f"; from {lost} of {repeat} starts we end in a worse local minimum than it does"
    row = compared(
        f"noise-off.{case}",
        f"noise off, to the objective it stops at; {problem.size}",
        FASTER,
        [(ours, theirs) for theirs, ours in rounds],
        rival="scikit-learn cd",
        exact=problem.size == _TARGET_SIZES[case],
        note=note,
        details={"objectives": wanted, "their_iterations": n_iter, "lost": lost},
    )
    return [row]
