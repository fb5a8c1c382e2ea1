"""One iteration of `hals`: beside the products it needs, as it grows, and on two threads."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from robustnmf._core.noise import SquaredL1
from robustnmf._engines import single_threaded_blas
from robustnmf._engines.threads import thread_count
from robustnmf._solvers.settings import HALS
from robustnmf_studies.bench.plan import LARGE, Plan, Size
from robustnmf_studies.bench.problems import LAM, Problem, large_problem, make_solver
from robustnmf_studies.bench.results import EXPONENT, FASTER, SHARE, Row, compared
from robustnmf_studies.bench.timing import Share, alternate, part, seconds

_VARIABLE = "OMP_NUM_THREADS"
# Operations on one entry in the noise step: its residual (1), passes over the row for the
# threshold (size, compare, sum: 4 each, three of them when warm), clipping, adding and its share
# of the loss (5).
_NOISE = 1 + 3 * 4 + 5


class Iterations:
    """Passes of `hals` under way: the first ones, whose thresholds are cold, lie behind."""

    def __init__(self, problem: Problem, warm: int = 3) -> None:
        self._solver = make_solver("hals", problem, SquaredL1(LAM))
        self.seconds(warm)

    def seconds(self, steps: int) -> float:
        """Return the seconds that one pass takes, over so many of them."""
        began = time.perf_counter()
        with single_threaded_blas:
            for _ in range(steps):
                self._solver.step()
        return (time.perf_counter() - began) / steps


def compare_gemm(plan: Plan, share: Share) -> list[Row]:
    """Time a pass, the products whole, the products block by block, and reading X."""
    problem = large_problem(plan.large)
    rows = [_gemm(problem, plan, part(share, 0.0, 0.6))]
    return [*rows, _gemm(problem.astype(np.float32), plan, part(share, 0.6, 1.0))]


def _gemm(problem: Problem, plan: Plan, share: Share) -> Row:
    passes, products = Iterations(problem), _Products(problem)

    def timed(function: Callable[[], Any]) -> float:
        return seconds(lambda: [function() for _ in range(plan.steps)]) / plan.steps

    with threadpool_limits(limits=thread_count(), user_api="blas"):
        products.whole()  # the first call touches the memory of the results
        rounds = alternate(
            plan.repeat,
            lambda: passes.seconds(plan.steps),
            *(partial(timed, one) for one in (products.whole, products.in_blocks, products.read)),
            share=share,
        )
    dtype = problem.X.dtype.name
    middle = dict(zip(("whole", "blocks", "reading"), np.median(rounds, axis=0)[1:], strict=True))
    return compared(
        f"gemm.{dtype}",
        f"one robust iteration against three GEMMs, {dtype}; {problem.size}",
        SHARE,
        # Against whichever way of multiplying is the faster one: BLAS's threads on whole matrices
        # must write W H to main memory, and stand still when another program takes a core.
        [(one, min(whole, blocks)) for one, whole, blocks, _ in rounds],
        rival=f"BLAS, {thread_count()} threads",
        exact=problem.size == LARGE,
        details={
            **{name: float(value) for name, value in middle.items()},
            "dtype": dtype,
            **count_work(problem.size, problem.X.dtype.itemsize),
        },
    )


class _Products:
    """W H, X Hᵀ and Wᵀ X, into memory that is there already."""

    def __init__(self, problem: Problem) -> None:
        self._X, self._W, self._H = problem.X, problem.W, problem.H
        n, m, k = problem.size
        self._P, self._B, self._C = (
            np.empty(shape, self._X.dtype) for shape in ((n, m), (n, k), (k, m))
        )
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


def compare_growth(plan: Plan, share: Share) -> list[Row]:
    """Fit an exponent to the time of an iteration as n, m and k double."""
    return [
        _growth(axis, plan, part(share, i / 3, (i + 1) / 3)) for i, axis in enumerate(Size._fields)
    ]


def _growth(axis: str, plan: Plan, share: Share) -> Row:
    first = getattr(plan.growth, axis)
    values = [first * 2**i for i in range(plan.doublings + 1)]
    sizes = [plan.growth_fixed._replace(**{axis: value}) for value in values]
    passes = [Iterations(large_problem(size)) for size in sizes]
    # Small problems would be over within the clock's and the scheduler's whims.
    steps = [plan.steps * values[-1] // value for value in values]
    rounds = alternate(
        plan.repeat,
        *(partial(one.seconds, n) for one, n in zip(passes, steps, strict=True)),
        share=share,
    )
    others = ", ".join(
        f"{name} = {size:,}" for name, size in plan.growth_fixed._asdict().items() if name != axis
    )
    return Row(
        f"growth.{axis}",
        f"time of an iteration as {axis} doubles from {values[0]:,} to {values[-1]:,}; {others}",
        EXPONENT,
        tuple(exponent(values, one) for one in rounds),
        details={"axis": axis, "values": values, "seconds": np.median(rounds, axis=0).tolist()},
    )


def exponent(sizes: list[int], times: tuple[float, ...]) -> float:
    """Return p of the power law times ~ sizes**p that fits best.

    Examples
    --------
    >>> round(exponent([1, 2, 4], (3.0, 12.0, 48.0)), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def compare_threads(plan: Plan, share: Share) -> list[Row]:
    """Time passes with two threads and with one, in turn."""
    problem = large_problem(plan.large)
    what = f"two threads against one; {problem.size}"
    with threads(2):
        available = thread_count()
    if available < 2:
        return [Row("threads.two", what, FASTER, (), note="this machine has only one core to use")]
    passes = Iterations(problem)

    def timed(count: int) -> float:
        with threads(count):
            return passes.seconds(plan.steps)

    rounds = alternate(plan.repeat, lambda: timed(2), lambda: timed(1), share=share)
    exact = problem.size == LARGE
    return [compared("threads.two", what, FASTER, rounds, rival="one thread", exact=exact)]


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Let the engine use so many threads at most."""
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = str(count)
    try:
        yield
    finally:
        if before is None:
            del os.environ[_VARIABLE]
        else:
            os.environ[_VARIABLE] = before
