"""Races to a stated objective: where the paper's rule arrives, and where plain NMF stops."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from sklearn.decomposition import NMF

from robustnmf._core.loop import run
from robustnmf._core.noise import NoiseModel, SquaredL1
from robustnmf._engines import engine_for, single_threaded_blas
from robustnmf._solvers import Hals, head_start
from robustnmf_studies.bench.plan import LARGE, RULE_ITERATIONS, SMALL, Plan, Size
from robustnmf_studies.bench.problems import (
    LAM,
    Problem,
    clean_problem,
    large_problem,
    make_solver,
    small_problem,
)
from robustnmf_studies.bench.results import FASTER, Row, compared
from robustnmf_studies.bench.timing import Share, alternate, part, unconverged_is_fine

# λ at which noise costs more than any residual: plain NMF.
NO_NOISE = 1e12
# A race that takes longer than this is lost; enough for scikit-learn to stop by its tolerance.
_MAX_ITER = 20_000
# Rounds of noise-off at the small size, where they are cheap and local minima many.
_STARTS = 5
_RULE = "the paper's rule"


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

    return math.fsum(engine_for(X).map(error))


def compare_paper_rule(plan: Plan, share: Share) -> list[Row]:
    """Race to the objective of the rule's last iteration, at both sizes."""
    noise = SquaredL1(LAM)
    small, large = small_problem(plan), large_problem(plan.large)
    # At the small size every round runs the rule from its start to its end.
    rule = Rule(small, noise)
    rule.seconds(plan.rule_small)
    same = (small.size, plan.rule_small) == (SMALL, RULE_ITERATIONS)
    rows = _against_rule(
        "small",
        small,
        rule,
        plan.rule_small,
        lambda: Rule(small, noise).seconds(plan.rule_small),
        plan.repeat,
        part(share, 0.0, 0.2),
        exact=same,
    )
    # At the large one it runs once; every round times a slice of it again beside us.
    rule, n, whole = Rule(large, noise), plan.rule_large, 0.0
    # In pieces only so that the bar moves.
    for piece in range(10):
        share(0.2 + 0.8 * 0.8 * piece / 10)
        whole += rule.seconds(n * (piece + 1) // 10 - n * piece // 10)
    return rows + _against_rule(
        "large",
        large,
        rule,
        n,
        lambda: n * rule.seconds(plan.rule_slice) / plan.rule_slice,
        plan.repeat,
        part(share, 0.84, 1.0),
        exact=(large.size, n) == (LARGE, RULE_ITERATIONS),
        note=f"the rule ran once for all {n:,} iterations ({whole:.0f} s); each round timed "
        f"{plan.rule_slice} of them again",
    )


def _against_rule(
    case: str,
    problem: Problem,
    rule: Rule,
    iterations: int,
    theirs: Callable[[], float],
    repeat: int,
    share: Share,
    *,
    exact: bool,
    note: str = "",
) -> list[Row]:
    """Race to where the rule is now: with its own E, and with the best E for its factors."""
    W, H = rule.solver.W.copy(), rule.solver.H.copy()
    wanted = rule.objective(), exact_objective(problem, SquaredL1(LAM), W, H)
    times: list[list[float]] = []

    def ours() -> float:
        times.append(race(problem, SquaredL1(LAM), wanted))
        return times[-1][0]

    rounds = alternate(repeat, ours, theirs, share=share)
    # The rule's E is not the best one for its factors. This is the harder goal.
    strict = [(reached[1], other) for reached, (_, other) in zip(times, rounds, strict=True)]
    what = f"to the objective of the rule's iteration {iterations:,}; {problem.size}"
    harder = f"the same, had its factors the best E; {problem.size}"
    row = partial(compared, rival=_RULE, exact=exact)
    details = {"objective": wanted[0], "objective_best_noise": wanted[1]}
    return [
        row(f"paper-rule.{case}", what, FASTER, rounds, note=note, details=details),
        row(f"paper-rule.{case}-strict", harder, FASTER, strict),
    ]


def compare_noise_off(plan: Plan, share: Share) -> list[Row]:
    """Race to the objective at which scikit-learn stops, at both sizes, on data without errors.

    Each round has its own start, the same for both sides: from a single one, which of two local
    minima a method falls into would decide everything.
    """
    small = clean_problem(small_problem(plan))
    rounds = max(plan.repeat, _STARTS)
    rows = [_noise_off("small", small, SMALL, rounds, part(share, 0.0, 0.2))]
    large = large_problem(plan.converge, wrong=False)
    return [*rows, _noise_off("large", large, LARGE, plan.repeat, part(share, 0.2, 1.0))]


def _noise_off(case: str, problem: Problem, target: Size, repeat: int, share: Share) -> Row:
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
        return race(here, SquaredL1(NO_NOISE), wanted[-1:])[0]

    # They go first, for only then is it known where they stop.
    with unconverged_is_fine():
        rounds = alternate(repeat, theirs, ours, share=share)
    lost = sum(math.isinf(time) for _, time in rounds)
    note = f"it stops after {median(n_iter):.0f} iterations"
    if lost:
        note += f"; from {lost} of {repeat} starts we end in a worse local minimum than it does"
    return compared(
        f"noise-off.{case}",
        f"noise off, to the objective it stops at; {problem.size}",
        FASTER,
        [(ours, theirs) for theirs, ours in rounds],
        rival="scikit-learn cd",
        exact=problem.size == target,
        note=note,
        details={"objectives": wanted, "their_iterations": n_iter, "lost": lost},
    )
