"""All comparisons by name, and running some of them."""

from __future__ import annotations

import dataclasses
import datetime
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from robustnmf import RobustNMF
from robustnmf_studies.bench import (
    fits,
    iteration,
    machine,
    memory,
    races,
    startup,
    tuning,
)
from robustnmf_studies.bench.names import NAMES
from robustnmf_studies.bench.plan import FULL, Plan
from robustnmf_studies.bench.results import Result, Row
from robustnmf_studies.bench.timing import Share, unconverged_is_fine


class Comparison(NamedTuple):
    """How a comparison is run, and its usual share of the time."""

    run: Callable[[Plan, Share], list[Row]]
    weight: float


COMPARISONS: dict[str, Comparison] = {
    "paper-rule": Comparison(races.compare_paper_rule, 40),
    "noise-off": Comparison(races.compare_noise_off, 20),
    "defaults": Comparison(fits.compare_defaults, 25),
    "others": Comparison(fits.compare_others, 15),
    "gemm": Comparison(iteration.compare_gemm, 5),
    "memory": Comparison(memory.compare, 4),
    "growth": Comparison(iteration.compare_growth, 8),
    "threads": Comparison(iteration.compare_threads, 3),
    "import": Comparison(startup.compare_import, 5),
    "compile": Comparison(startup.compare_compile, 10),
    "tuning": Comparison(tuning.compare, 60),
}


def run_benchmarks(
    names: Iterable[str] = (),
    plan: Plan = FULL,
    *,
    progress: Callable[[str, float], None] = lambda what, share: None,
    finished: Callable[[Result], None] = lambda result: None,
) -> Result:
    """Run comparisons one after the other.

    Parameters
    ----------
    names : iterable of str
        Which; by default all but the convergence study, ``"tuning"``.
    plan : Plan
        How much of each.
    progress : callable, optional
        Told what begins now, and the share of the work that lies behind.
    finished : callable, optional
        Given all that is there after each comparison, so that a run that is stopped has not been
        in vain.

    Returns
    -------
    Result
        All rows.
    """
    chosen = list(names) or [name for name, (_, default) in NAMES.items() if default]
    unknown = [name for name in chosen if name not in COMPARISONS]
    if unknown:
        raise ValueError(f"no comparison {unknown[0]!r}: choose from {', '.join(COMPARISONS)}")
    began = time.perf_counter()
    total = sum(COMPARISONS[name].weight for name in chosen)
    progress("the machine", 0.0)
    about: dict[str, Any] = {
        "date": datetime.date.today().isoformat(),
        "machine": machine.describe(),
        "plan": dataclasses.asdict(plan),
        "seconds": {},
    }
    _warm_up()
    rows: list[Row] = []
    behind = 0.0
    for name in chosen:
        comparison = COMPARISONS[name]

        def share(done: float, name: str = name, behind: float = behind) -> None:
            progress(name, (behind + done * COMPARISONS[name].weight) / total)

        share(0.0)
        start = time.perf_counter()
        rows = [*rows, *comparison.run(plan, share)]
        behind += comparison.weight
        about["seconds"][name] = time.perf_counter() - start
        about["seconds"]["all"] = time.perf_counter() - began
        finished(Result(about, rows))
    return Result(about, rows)


def _warm_up() -> None:
    """Have the kernels ready in both precisions: compiling is measured by itself."""
    with unconverged_is_fine():
        for dtype in (np.float32, np.float64):
            RobustNMF(2, max_iter=2, random_state=0).fit(np.eye(20, dtype=dtype) + 1)
