"""Running benchmarks, one after the other."""

from __future__ import annotations

import dataclasses
import datetime
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from robustnmf import RobustNMF
from robustnmf_studies.bench import machine
from robustnmf_studies.bench.plan import FULL, Plan
from robustnmf_studies.bench.registry import BENCHMARKS, Case
from robustnmf_studies.bench.results import Result
from robustnmf_studies.bench.timing import unconverged_is_fine


def run_benchmarks(
    names: Iterable[str] = (),
    plan: Plan = FULL,
    *,
    progress: Callable[[str, float], None] = lambda what, share: None,
    finished: Callable[[Result], None] = lambda result: None,
) -> Result:
    """Run benchmarks, case by case.

    Parameters
    ----------
    names : iterable of str
        Which; by default all but the convergence study, ``"tuning"``.
    plan : Plan
        How much of each.
    progress : callable, optional
        Told what begins now, and the share of the work that lies behind.
    finished : callable, optional
        Given all that is there after each case, so that a run that is stopped has not been in
        vain.

    Returns
    -------
    Result
        All rows.
    """
    chosen = list(names) or [name for name, one in BENCHMARKS.items() if one.default]
    unknown = [name for name in chosen if name not in BENCHMARKS]
    if unknown:
        raise ValueError(f"no benchmark {unknown[0]!r}: choose from {', '.join(BENCHMARKS)}")
    began = time.perf_counter()
    progress("the machine", 0.0)
    about: dict[str, Any] = {
        "date": datetime.date.today().isoformat(),
        "machine": machine.describe(),
        "plan": dataclasses.asdict(plan),
        "seconds": {},
    }
    _warm_up()
    work = [(name, case) for name in chosen for case in BENCHMARKS[name].cases if case.weight]
    total = sum(case.weight for _, case in work)
    result = Result(about, [])
    behind = 0.0
    for name, case in work:

        def tell(done: float, name: str = name, case: Case = case, behind: float = behind) -> None:
            progress(name, (behind + done * case.weight) / total)

        tell(0.0)
        start = time.perf_counter()
        result.rows.extend(BENCHMARKS[name].load()(plan, case.name, tell))
        behind += case.weight
        now = time.perf_counter()
        about["seconds"][name] = about["seconds"].get(name, 0.0) + now - start
        about["seconds"]["all"] = now - began
        finished(result)
    return result


def _warm_up() -> None:
    """Have the kernels ready in both precisions: compiling is measured by itself."""
    with unconverged_is_fine():
        for dtype in (np.float32, np.float64):
            RobustNMF(2, max_iter=2, random_state=0).fit(np.eye(20, dtype=dtype) + 1)
