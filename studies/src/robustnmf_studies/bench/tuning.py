"""The study behind the constants of `hals`: sweeps, extrapolation and head start.

Every setting runs from the same starts for the same number of iterations. The best objective that
any of them reaches on a problem is the yardstick there; what counts is when each comes within 1 %,
0.1 % and 0.01 % of it. Local minima differ by about as much, so some never do.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import pandas as pd

from robustnmf._core.loop import run
from robustnmf._core.noise import SquaredL1
from robustnmf._engines import engine_for
from robustnmf._solvers import hals, sample
from robustnmf._solvers.settings import HalsSettings, HeadStartSettings
from robustnmf_studies.bench.plan import Plan, Size
from robustnmf_studies.bench.problems import LAM, Problem, small_problem
from robustnmf_studies.bench.results import SHARE, Row
from robustnmf_studies.bench.timing import Tell
from robustnmf_studies.common.frames import Record, records

GAPS = (1e-2, 1e-3, 1e-4)
# Settings are ranked by the time to this gap: the largest at which local minima hardly matter.
_RANKED = 1e-3
_SWEEPS = tuple(itertools.product((2, 3, 5, 8, 12), (4, 8, 16, 24)))
# (first_reach, growth, cap_growth, shrink): the present ones, those of Ang and Gillis, bolder and
# more careful ones, and none at all.
_REACHES = (
    (0.5, 1.05, 1.01, 1.5),
    (0.5, 1.01, 1.005, 1.5),
    (0.5, 1.1, 1.05, 1.5),
    (0.7, 1.05, 1.01, 2.0),
    (0.9, 1.02, 1.01, 1.2),
    (0.0, 1.0, 1.0, 1.0),
)
# (least_rows, growth, iterations) of the head start: the present ones, others, and none at all.
_HEADS = (
    (64, 4, 40),
    (32, 4, 40),
    (16, 4, 40),
    (128, 4, 40),
    (64, 8, 40),
    (64, 4, 20),
    (10**9, 4, 0),
)


class Setting(NamedTuple):
    """Settings of the solver and of its head start."""

    hals: HalsSettings
    head: HeadStartSettings

    def __str__(self) -> str:
        sweeps_w, sweeps_h, *reaches = self.hals
        reach = "/".join(f"{value:g}" for value in reaches) if self.hals.first_reach else "none"
        rows, growth, *_ = self.head
        times = self.head.iterations
        head = f"{times} passes from {rows} rows a component, × {growth}" if times else "none"
        return f"sweeps {sweeps_w} on W, {sweeps_h} on H; extrapolation {reach}; head start {head}"


NOW = Setting(hals.HALS, sample.HEAD_START)


def settings() -> list[Setting]:
    """Return what is tried: each kind of constant varied, with the others as they are."""
    sweeps = [NOW.hals._replace(sweeps_w=w, sweeps_h=h) for w, h in _SWEEPS]
    reaches = [HalsSettings(*NOW.hals[:2], *reach) for reach in _REACHES]
    heads = [
        NOW.head._replace(least_rows=rows, growth=growth, iterations=times)
        for rows, growth, times in _HEADS
    ]
    found = [NOW, *(NOW._replace(hals=one) for one in [*sweeps, *reaches])]
    return list(dict.fromkeys([*found, *(NOW._replace(head=one) for one in heads)]))


def ranking(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Run every setting on every problem, and rank them."""
    problems, tried = list(_problems(plan)), settings()
    traces = []
    # Problem by problem, so that what slows the machine for a while meets all settings alike.
    for i, (problem, setting) in enumerate(itertools.product(problems, tried)):
        tell(i / (len(problems) * len(tried)))
        trace = _trace(problem, setting, plan.tuning_iterations)
        traces.append(trace.assign(problem=i // len(tried), setting=i % len(tried)))
    return rank(pd.concat(traces), tried)


def _problems(plan: Plan) -> Iterator[Problem]:
    n, m, k = plan.small
    for seed in range(plan.tuning_seeds):
        faces = small_problem(plan, seed=seed)
        yield faces
        yield faces.without_noise()
        # Many rows, few columns, more components.
        yield small_problem(Plan(), Size(4 * n, max(m // 4, 4 * k), 2 * k), seed=seed)
        # So many rows that a head start is given.
        yield small_problem(Plan(), Size(16 * n, max(m // 4, 4 * k), k), seed=seed)


def _trace(problem: Problem, setting: Setting, iterations: int) -> pd.DataFrame:
    data, noise = engine_for(problem.X), SquaredL1(LAM)
    with patch.object(hals, "HALS", setting.hals), patch.object(sample, "HEAD_START", setting.head):
        began = time.perf_counter()
        start = sample.head_start(data, noise, *problem.start())
        ahead = time.perf_counter() - began
        trace = run(hals.Hals(data, noise, *start), max_iter=iterations, tol=0.0)
    found = pd.DataFrame(trace.history)
    return found.assign(iteration=found["iteration"] + 1, seconds=found["seconds"] + ahead)


def rank(traces: pd.DataFrame, tried: list[Setting]) -> list[Row]:
    """Order settings by the time they take; a problem counts by the ratio to the best one there.

    Parameters
    ----------
    traces : DataFrame
        ``iteration``, ``seconds`` and ``objective`` of every pass of every ``setting`` (its number
        among those tried) on every ``problem``.
    tried : list of Setting
        The settings.
    """
    lowest = traces.groupby("problem")["objective"].transform("min")
    # By gap, the first pass within it of each setting on each problem.
    reached = {
        gap: traces[traces["objective"] <= lowest * (1 + gap)]
        .groupby(["setting", "problem"])[["iteration", "seconds"]]
        .first()
        for gap in GAPS
    }
    times = reached[_RANKED]["seconds"].unstack("problem").reindex(range(len(tried)))
    fastest = times.min()
    # One that never arrives counts as twice as slow as the longest run there.
    times = times.fillna(2 * traces.groupby("problem")["seconds"].max())
    gaps = {gap: _summaries(gap, found, times) for gap, found in reached.items()}
    rows = [
        Row(
            "tuning.present" if setting == NOW else "tuning.setting",
            str(setting),
            SHARE,
            (own / fastest).tolist(),
            ours=float(own.median()),
            rival="the fastest setting of each problem",
            note="the present one" if setting == NOW else "",
            details={
                "constants": {**setting.hals._asdict(), **setting.head._asdict()},
                "gaps": [gaps[gap][i] for gap in GAPS],
            },
        )
        for (i, own), setting in zip(times.iterrows(), tried, strict=True)
    ]
    return sorted(rows, key=lambda row: float(np.mean(np.log(row.values))))


def _summaries(gap: float, found: pd.DataFrame, times: pd.DataFrame) -> list[Record]:
    """For each setting, how often a gap was reached, and the medians where it was."""
    by_setting = found.groupby("setting")
    medians = by_setting.median().reindex(times.index)
    counts = by_setting.size().reindex(times.index, fill_value=0)
    table = pd.DataFrame({"gap": gap, "reached": counts, "of": times.shape[1]}).join(medians)
    return records(table.rename(columns={"iteration": "iterations"}))
