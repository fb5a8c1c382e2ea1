"""One iteration of `hals`: beside the products it needs, as it grows, and on two threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
from threadpoolctl import threadpool_limits

from robustnmf._engines import engine_for
from robustnmf._engines.threads import thread_count
from robustnmf._solvers.settings import HALS
from robustnmf_studies.bench.plan import LARGE, Plan, Size
from robustnmf_studies.bench.problems import Problem, Steps, large_problem
from robustnmf_studies.bench.results import EXPONENT, FASTER, SHARE, Row, compared
from robustnmf_studies.bench.timing import Tell, alternate, seconds

# Operations on one entry in the noise step: its residual (1), passes over the row for the
# threshold (size, compare, sum: 4 each, three of them when warm), clipping, adding and its share
# of the loss (5).
_NOISE = 1 + 3 * 4 + 5


def passes(problem: Problem) -> Callable[[int], float]:
    """Return what times so many passes of `hals` and gives the seconds of one.

    The first ones, whose thresholds are cold, lie behind.
    """
    steps = Steps("hals", problem)
    steps.seconds(3)
    return lambda count: steps.seconds(count) / count


def gemm(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Time a pass, the products whole, the products block by block, and reading X."""
    problem = large_problem(plan.large).astype(case)
    one_pass, (whole, in_blocks, read) = passes(problem), _products(problem)

    def timed(function: Callable[[], Any]) -> float:
        return seconds(lambda: [function() for _ in range(plan.steps)]) / plan.steps

    with threadpool_limits(limits=thread_count(), user_api="blas"):
        whole()  # the first call touches the memory of the results
        rounds = alternate(
            plan.repeat,
            lambda: one_pass(plan.steps),
            *(partial(timed, function) for function in (whole, in_blocks, read)),
            tell=tell,
        )
    middle = dict(zip(("whole", "blocks", "reading"), np.median(rounds, axis=0)[1:], strict=True))
    row = compared(
        f"gemm.{case}",
        f"one robust iteration against three GEMMs, {case}; {problem.size}",
        SHARE,
        # Against whichever way of multiplying is the faster one: BLAS's threads on whole matrices
        # must write W H to main memory, and stand still when another program takes a core.
        [(one, min(whole, blocks)) for one, whole, blocks, _ in rounds],
        rival=f"BLAS, {thread_count()} threads",
        exact=problem.size == LARGE,
        details={
            **{name: float(value) for name, value in middle.items()},
            "dtype": case,
            **count_work(problem.size, problem.X.dtype.itemsize),
        },
    )
    return [row]


def _products(problem: Problem) -> tuple[Callable[[], Any], ...]:
    """Return what computes W H, X Hᵀ and Wᵀ X, whole and in blocks, and what reads X."""
    X, W, H = problem.X, problem.W, problem.H
    n, m, k = problem.size
    # Into memory that is there already.
    P, B, C = (np.empty(shape, X.dtype) for shape in ((n, m), (n, k), (k, m)))
    engine = engine_for(X)

    def whole() -> None:
        # All rows at once: BLAS shares them among its threads.
        np.matmul(W, H, out=P)
        np.matmul(X, H.T, out=B)
        np.matmul(W.T, X, out=C)

    def multiply(rows: slice, X: Any, weights: Any) -> Any:
        product = W[rows] @ H
        return product[0, 0] + (X @ H.T)[0, 0], W[rows].T @ X

    def in_blocks() -> None:
        # In the blocks of a pass, on its threads: what a pass would take without the rest.
        engine.fold(multiply, lambda a, b: (a[0] + b[0], a[1] + b[1]))

    def read() -> None:
        engine.map(lambda rows, X, weights: X.sum())

    return whole, in_blocks, read


def count_work(size: Size, itemsize: int) -> dict[str, float]:
    """Return the operations and the bytes from main memory of one pass, counted, not measured.

    Returns
    -------
    dict
        ``gemm_flops`` of W H, X̂ Hᵀ and Wᵀ X̂; ``noise_flops``; ``sweep_flops`` of both factors and
        their Gram matrices; ``bytes``, if blocks stay in cache: X once, W read twice (it is
        extrapolated from) and written twice.

    Examples
    --------
    >>> count_work(Size(100, 50, 2), 8)["gemm_flops"]
    60000.0
    """
    n, m, k = size
    return {
        "gemm_flops": 3 * 2.0 * n * m * k,
        "noise_flops": float(_NOISE) * n * m,
        "sweep_flops": 2.0 * k * k * (n * (2 + HALS.sweeps_w) + m * (2 + HALS.sweeps_h)),
        "bytes": float(itemsize) * (n * m + 4 * n * k),
    }


def growth(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Fit an exponent to the time of an iteration as n, m or k doubles."""
    first = getattr(plan.growth, case)
    values = [first * 2**i for i in range(plan.doublings + 1)]
    # Small problems would be over within the clock's and the scheduler's whims.
    sides = [
        partial(
            passes(large_problem(plan.growth_fixed._replace(**{case: value}))),
            plan.steps * values[-1] // value,
        )
        for value in values
    ]
    rounds = alternate(plan.repeat, *sides, tell=tell)
    others = ", ".join(
        f"{name} = {size:,}" for name, size in plan.growth_fixed._asdict().items() if name != case
    )
    row = Row(
        f"growth.{case}",
        f"time of an iteration as {case} doubles from {values[0]:,} to {values[-1]:,}; {others}",
        EXPONENT,
        [exponent(values, times) for times in rounds],
        details={"axis": case, "values": values, "seconds": np.median(rounds, axis=0).tolist()},
    )
    return [row]


def exponent(sizes: list[int], times: tuple[float, ...]) -> float:
    """Return p of the power law times ~ sizes**p that fits best.

    Examples
    --------
    >>> round(exponent([1, 2, 4], (3.0, 12.0, 48.0)), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def threads(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Time passes with two threads and with one, in turn."""
    problem = large_problem(plan.large)
    about = (f"threads.{case}", f"two threads against one; {problem.size}", FASTER)
    with at_most(2):
        if thread_count() < 2:
            return [Row(*about, [], note="this machine has only one core to use")]
    one_pass = passes(problem)

    def timed(count: int) -> float:
        with at_most(count):
            return one_pass(plan.steps)

    rounds = alternate(plan.repeat, partial(timed, 2), partial(timed, 1), tell=tell)
    return [compared(*about, rounds, rival="one thread", exact=problem.size == LARGE)]


def at_most(count: int) -> Any:
    """Let the engine use so many threads at most, for a while."""
    return patch.dict(os.environ, OMP_NUM_THREADS=str(count))
