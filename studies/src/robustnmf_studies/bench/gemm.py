"""One robust iteration against the three matrix products it cannot do without."""

from __future__ import annotations

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from robustnmf._core.noise import SquaredL1
from robustnmf._engines.threads import thread_count
from robustnmf_studies.bench.plan import LARGE, Plan
from robustnmf_studies.bench.problems import Problem, large_problem
from robustnmf_studies.bench.race import LAM, Iterations
from robustnmf_studies.bench.results import SHARE, Row, compared
from robustnmf_studies.bench.timing import Share, alternate, part, seconds
from robustnmf_studies.bench.work import count_work


def compare(plan: Plan, share: Share) -> list[Row]:
    """Time a pass, the products whole, the products block by block, and reading X."""
    problem = large_problem(plan.large)
    rows = [_row(problem, plan, part(share, 0.0, 0.6))]
    single = problem.astype(np.float32)
    return [*rows, _row(single, plan, part(share, 0.6, 1.0))]


def _row(problem: Problem, plan: Plan, share: Share) -> Row:
    passes = Iterations(problem, SquaredL1(LAM))
    products = _Products(problem)
    with threadpool_limits(limits=thread_count(), user_api="blas"):
        products.whole()  # the first call touches the memory of the results
        rounds = alternate(
            plan.repeat,
            lambda: passes.seconds(plan.steps),
            lambda: _mean_seconds(products.whole, plan.steps),
            lambda: _mean_seconds(products.in_blocks, plan.steps),
            lambda: _mean_seconds(products.read, plan.steps),
            share=share,
        )
    dtype = problem.X.dtype.name
    _, whole, blocks, reading = (float(np.median(side)) for side in zip(*rounds, strict=True))
    work = count_work(problem.size, problem.X.dtype.itemsize)
    return compared(
        f"gemm.{dtype}",
        f"one robust iteration against three GEMMs, {dtype}; {problem.size}",
        SHARE,
        # Against whichever way of multiplying is the faster one: BLAS's threads on whole matrices
        # must write W H to main memory, and stand still when another program takes a core.
        [(one, min(products)) for one, *products, _ in rounds],
        rival=f"BLAS, {thread_count()} threads",
        exact=problem.size == LARGE,
        details={"whole": whole, "blocks": blocks, "reading": reading, "dtype": dtype, **work},
    )


def _mean_seconds(function: Any, count: int) -> float:
    return seconds(lambda: [function() for _ in range(count)]) / count


class _Products:
    """W H, X Hᵀ and Wᵀ X, into memory that is there already."""

    def __init__(self, problem: Problem) -> None:
        self._X, self._W, self._H = problem.X, problem.W, problem.H
        n, m, k = problem.size
        self._P = np.empty((n, m), self._X.dtype)
        self._B = np.empty((n, k), self._X.dtype)
        self._C = np.empty((k, m), self._X.dtype)
        self._blocks = problem.blocks()

    def whole(self) -> None:
        """All rows at once: BLAS shares them among its threads."""
        np.matmul(self._W, self._H, out=self._P)
        np.matmul(self._X, self._H.T, out=self._B)
        np.matmul(self._W.T, self._X, out=self._C)

    def in_blocks(self) -> None:
        """In the blocks of a pass, on its threads: what a pass would take without the rest."""

        def multiply(rows: slice, X: Any, weights: Any) -> Any:
            P = self._W[rows] @ self._H
            return P[0, 0] + (X @ self._H.T)[0, 0], self._W[rows].T @ X

        self._blocks.fold(multiply, lambda a, b: (a[0] + b[0], a[1] + b[1]))

    def read(self) -> None:
        """Each entry once."""
        self._blocks.map(lambda rows, X, weights: X.sum())
