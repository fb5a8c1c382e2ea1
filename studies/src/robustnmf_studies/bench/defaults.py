"""Whole fits as a user calls them: RobustNMF against scikit-learn's plain NMF."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.decomposition import NMF

from robustnmf import RobustNMF
from robustnmf_studies.bench.plan import LARGE, Plan
from robustnmf_studies.bench.problems import Problem, large_problem
from robustnmf_studies.bench.results import SHARE, Row, compared
from robustnmf_studies.bench.timing import Share, alternate, part, seconds, unconverged_is_fine

_SOLVERS = ("cd", "mu")


def compare(plan: Plan, share: Share) -> list[Row]:
    """Fit at default settings from the same start, in both precisions."""
    problem = large_problem(plan.converge)
    rows = _rows(problem, plan, part(share, 0.0, 0.6))
    single = problem.astype(np.float32)
    return rows + _rows(single, plan, part(share, 0.6, 1.0))


def _rows(problem: Problem, plan: Plan, share: Share) -> list[Row]:
    n_iter: dict[str, int] = {}

    def ours() -> float:
        model = RobustNMF(problem.size.k, init=problem.start())
        gone = seconds(lambda: model.fit_transform(problem.X))
        n_iter["ours"] = model.n_iter_
        return gone

    def theirs(solver: str) -> float:
        W, H = problem.start()
        model = NMF(problem.size.k, init="custom", solver=solver)
        gone = seconds(lambda: model.fit_transform(problem.X, W=W, H=H))
        n_iter[solver] = model.n_iter_
        return gone

    with unconverged_is_fine():
        rounds = alternate(
            plan.repeat, ours, *(partial(theirs, solver) for solver in _SOLVERS), share=share
        )
    dtype = problem.X.dtype.name
    limits = {"ours": RobustNMF().max_iter, **dict.fromkeys(_SOLVERS, NMF().max_iter)}
    return [
        compared(
            # The target speaks of cd, scikit-learn's default.
            f"defaults.{dtype}" if solver == "cd" else f"defaults.{dtype}-{solver}",
            f"robust fit at default settings, {dtype}; {problem.size}",
            SHARE,
            rounds,
            theirs=place,
            rival=f"scikit-learn {solver}",
            exact=problem.size == LARGE,
            note=f"{_ending('ours', n_iter, limits)}; theirs {_ending(solver, n_iter, limits)}",
            details={"iterations": n_iter["ours"], "their_iterations": n_iter[solver]},
        )
        for place, solver in enumerate(_SOLVERS, start=1)
    ]


def _ending(side: str, n_iter: dict[str, int], limits: dict[str, int]) -> str:
    count = n_iter[side]
    return f"{count} iterations" + (", its limit" if count >= limits[side] else "")
