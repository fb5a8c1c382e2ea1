"""Two threads against one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from robustnmf._core.noise import SquaredL1
from robustnmf._engines.threads import thread_count
from robustnmf_studies.bench.plan import LARGE, Plan
from robustnmf_studies.bench.problems import large_problem
from robustnmf_studies.bench.race import LAM, Iterations
from robustnmf_studies.bench.results import FASTER, Row, compared
from robustnmf_studies.bench.timing import Share, alternate

_VARIABLE = "OMP_NUM_THREADS"


def compare(plan: Plan, share: Share) -> list[Row]:
    """Time passes with two threads and with one, in turn."""
    problem = large_problem(plan.large)
    what = f"two threads against one; {problem.size}"
    with threads(2):
        available = thread_count()
    if available < 2:
        return [Row("threads.two", what, FASTER, (), note="this machine has only one core to use")]
    passes = Iterations(problem, SquaredL1(LAM))

    def timed(count: int) -> float:
        with threads(count):
            return passes.seconds(plan.steps)

    rounds = alternate(plan.repeat, lambda: timed(2), lambda: timed(1), share=share)
    return [
        compared(
            "threads.two", what, FASTER, rounds, rival="one thread", exact=problem.size == LARGE
        )
    ]


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
