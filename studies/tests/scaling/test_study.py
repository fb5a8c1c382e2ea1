import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from robustnmf._engines import kept, sources
from robustnmf_studies.common.study import Options, run_study, write_page
from robustnmf_studies.common.targets import MET, MISSED, UNKNOWN, as_records
from robustnmf_studies.scaling import compute as computing
from robustnmf_studies.scaling import study as module
from robustnmf_studies.scaling.calibrate import fitted, predictions
from robustnmf_studies.scaling.data import rows_of
from robustnmf_studies.scaling.document import number_tables
from robustnmf_studies.scaling.judge import judge
from robustnmf_studies.scaling.measure import measured
from robustnmf_studies.scaling.model import (
    Extra,
    Rates,
    Work,
    components_bytes,
    iteration_seconds,
    moved_bytes,
    sums_bytes,
)
from robustnmf_studies.scaling.numbers import answers_apart
from robustnmf_studies.scaling.projection import ROOMY, TIGHT, WORK, projected
from robustnmf_studies.scaling.settings import (
    CLUSTER_1,
    CLUSTER_2,
    DASK,
    ENGINES,
    FILE,
    FULL,
    MEMORY_1,
    MEMORY_2,
    STREAMS,
    THREADS,
    TIME,
    TRAFFIC,
    UNIT,
    ZARR,
    Case,
    cases_of,
)

RATES = Rates(2e-4, 1e-9, 1e-10, sharing=1.25)
EXTRA = {
    MEMORY_1: Extra(),
    MEMORY_2: Extra(),
    FILE: Extra(byte=1e-10),
    ZARR: Extra(byte=3e-10),
    THREADS: Extra(1e-3, 2e-4),
    CLUSTER_1: Extra(5e-3, 2e-3),
    CLUSTER_2: Extra(8e-3, 1.5e-3),
}
TINY = Case(MEMORY_1, TIME, 1, 4 * UNIT, 24, 3, 2 * UNIT)


def as_the_model_says(case):
    """What would be measured if the model were right."""
    work, cores = Work(case.n, case.m, case.k), ENGINES[case.engine].cores
    if case.measure == TRAFFIC:
        sent = float(moved_bytes(work, cores, case.parts)) if case.engine in DASK else 0.0
        counts = {"workers_sent": sent / 2, "messages": 9.0, "data_moved": 0.0}
        return {"client_sent": sent / 2, "read": float(work.bytes), **counts}
    cores = min(cores, case.parts) if case.engine in DASK else cores
    seconds = iteration_seconds(work, RATES, EXTRA[case.engine], cores, case.parts)
    return {
        "iteration": seconds,
        "mean": 1.1 * seconds,
        "slowest": 2 * seconds,
        "whole": 30 * seconds,
        "peak": 50_000_000 if case.engine in STREAMS else 50_000_000 + work.bytes,
        "answer": [1000.0 * case.factor, 1.0, 2.0],
    }


def times_of(cases):
    rows = [
        {**vars(case), "parts": case.parts, "bytes": 4 * case.n * case.m, **as_the_model_says(case)}
        for case in cases
        if case.measure == TIME
    ]
    return pd.DataFrame(rows).drop(columns="answer")


def verdicts(numbers, words):
    return {found.verdict for found in judge(numbers) if words in found.target}


def test_rows_are_the_same_whoever_draws_them():
    whole = rows_of(0, 4 * UNIT, 16, 3, 7)
    parts = [rows_of(first, 2 * UNIT, 16, 3, 7) for first in (0, 2 * UNIT)]
    np.testing.assert_array_equal(whole, np.concatenate(parts))
    assert whole.dtype == np.float32
    assert (whole >= 0).all()
    assert not (whole == rows_of(0, 4 * UNIT, 16, 3, 8)).all()


@pytest.mark.parametrize("quick", [True, False])
def test_the_plan_has_each_engine_at_each_size_and_leaves_some_out_of_the_fit(quick):
    cases = cases_of(quick=quick)
    assert len({case.key for case in cases}) == len(cases)
    sizes = [case for case in cases if case.measure == TIME and case.sweep == "n"]
    factors = {case.factor for case in sizes}
    assert factors == ({1, 2, 4} if quick else {1, 2, 4, 8, 16, 32})
    for engine in ENGINES:
        own = [case for case in sizes if case.engine == engine]
        assert {case.factor for case in own} == factors
        assert {case.use for case in own} == {"fit", "check"}
    assert all(case.n % UNIT == 0 and case.part % UNIT == 0 for case in cases)
    # The largest shows by how much the model is off where nothing larger holds it.
    assert quick or {case.use for case in sizes if case.factor == 32} == {"check"}


def test_the_model_is_found_again_in_times_that_follow_it():
    times = times_of(cases_of(quick=False))
    constants = fitted(times)
    np.testing.assert_allclose(constants.rates, RATES, rtol=1e-6)
    for engine, extra in EXTRA.items():
        np.testing.assert_allclose(constants.extra[engine], extra, rtol=1e-6, atol=1e-15)
    assert predictions(times, constants)["error"].abs().max() < 1e-6


def test_what_is_held_out_teaches_the_model_nothing():
    times = times_of(cases_of(quick=False))
    held = times["use"] == "check"
    other = times.assign(iteration=times["iteration"].where(~held, 3 * times["iteration"]))
    assert fitted(other) == fitted(times)
    assert verdicts({"times": times}, "the model tells") == {MET}
    assert verdicts({"times": other}, "the model tells") == {MISSED}


def test_too_few_times_give_no_model():
    times = times_of(cases_of(quick=False))
    assert fitted(times[times["engine"] != MEMORY_2]) is None
    assert verdicts({}, "the model tells") == {UNKNOWN}


@pytest.mark.parametrize(("share", "verdict"), [(1.1, MET), (1.11, MISSED)])
def test_memory_of_streams_must_not_grow(share, verdict):
    times = times_of(cases_of(quick=False))
    largest = (times["factor"] == 32) & (times["engine"] == ZARR)
    times["peak"] = times["peak"].where(~largest, share * 50_000_000)
    assert verdicts({"times": times}, "Zarr, 2 threads: memory at 32×") == {verdict}


@pytest.mark.parametrize(("times_as_long", "verdict"), [(4.79, MET), (4.81, MISSED), (3.1, MISSED)])
def test_time_must_grow_like_the_rows(times_as_long, verdict):
    times = times_of(cases_of(quick=False))
    of_file = times["engine"] == FILE
    there = times[of_file & (times["factor"] == 8)]["iteration"].iloc[0]
    largest = of_file & (times["factor"] == 32)
    times["iteration"] = times["iteration"].where(~largest, times_as_long * there)
    assert verdicts({"times": times}, "NumPy file, 2 threads: from 8× to 32×") == {verdict}


@pytest.mark.parametrize(("off", "verdict"), [(0.9e-4, MET), (1.1e-4, MISSED)])
def test_answers_are_compared_at_every_size(off, verdict):
    rows = [
        {"engine": engine, "factor": factor, "position": i, "value": value}
        for engine in (MEMORY_1, CLUSTER_2)
        for factor in (1, 2)
        for i, value in enumerate((5000.0, 1.0, 2.0))
    ]
    # Of a component, beside which the objective is large.
    rows[-2] |= {"value": 1.0 + 2.0 * off}
    numbers = {"answers": pd.DataFrame(rows)}
    assert answers_apart(numbers) == {CLUSTER_2: pytest.approx(off)}
    assert verdicts(numbers, "Dask, 2 workers: the answer") == {verdict}


@pytest.mark.parametrize(("part", "verdict"), [(2.4e-3, MET), (2.6e-3, MISSED)])
def test_the_price_of_a_partition(monkeypatch, part, verdict):
    monkeypatch.setitem(EXTRA, CLUSTER_2, Extra(8e-3, part))
    times = times_of(cases_of(quick=False))
    assert verdicts({"times": times}, "Dask, 2 workers: adds at most") == {verdict}
    assert verdicts({}, "Dask, 2 workers: adds at most") == {UNKNOWN}


@pytest.mark.parametrize(("times_as_much", "verdict"), [(1.9, MET), (2.1, MISSED)])
def test_what_is_sent_is_held_against_the_formula(times_as_much, verdict):
    case = replace(TINY, engine=CLUSTER_2, measure=TRAFFIC)
    least = moved_bytes(Work(case.n, case.m, case.k), 2, case.parts)
    row = {**vars(case), "parts": case.parts, "bytes": 10**6}
    sent = {"client_sent": least, "workers_sent": (times_as_much - 1) * least}
    assert verdicts({"traffic": pd.DataFrame([row | sent])}, "counted bytes") == {verdict}


def test_a_billion_samples():
    constants = fitted(times_of(cases_of(quick=False)))
    held, read = (projected(constants, cluster) for cluster in (ROOMY, TIGHT))
    for here, there in zip(held, read, strict=True):
        assert here.terms["reading"] == 0
        # 4 TB, 64 disks of 2 GB/s.
        assert there.terms["reading"] == pytest.approx(4.096e12 / 64 / 2e9)
        assert here.seconds < there.seconds
    small, *_, large = held
    assert small.dominant == "tasks"
    assert large.dominant == "computing"
    assert large.terms["computing"] == pytest.approx(1.024e12 * 2e-9 * 1.25 / 1024)
    assert WORK.bytes / len(held) > sums_bytes(WORK) > components_bytes(WORK)


@pytest.fixture
def restored(monkeypatch):
    """The sizes from which on files are used are set back after the test."""
    monkeypatch.setattr(sources, "MAPPED_BYTES", sources.MAPPED_BYTES)
    monkeypatch.setattr(kept, "IN_MEMORY", kept.IN_MEMORY)


@pytest.mark.parametrize("engine", [FILE, ZARR, THREADS])
def test_engines_of_one_process_give_one_answer(engine, restored):
    here, there = (measured(replace(TINY, engine=name)) for name in (MEMORY_1, engine))
    np.testing.assert_allclose(there["answer"], here["answer"], rtol=1e-4)
    assert there["whole"] > there["iteration"] > 0


def test_streams_read_all_once_in_an_iteration(restored):
    case = replace(TINY, engine=FILE, measure=TRAFFIC, n=64 * UNIT)
    size = 4 * case.n * case.m
    # X, and W and thresholds beside it: of three components and 24 features, a fair share.
    assert size * 0.99 < measured(case)["read"] < size * 1.6


@pytest.mark.slow
def test_what_workers_send_is_counted_where_they_run(monkeypatch):
    monkeypatch.setattr(computing, "_compile", lambda: None)
    case = replace(TINY, engine=CLUSTER_2, measure=TRAFFIC, m=200)
    (row,) = computing.compute(case, None)["traffic"]
    assert (row["engine"], row["parts"]) == (CLUSTER_2, 2)
    work = Work(case.n, case.m, case.k)
    # H goes out, sums come back, and a task needs some words more.
    assert row["client_sent"] > components_bytes(work)
    assert row["client_sent"] + row["workers_sent"] > moved_bytes(work, 1, 2)
    assert row["client_sent"] + row["workers_sent"] < moved_bytes(work, 2, 2) + 200_000
    assert row["messages"] > 4


def test_from_cases_to_report_and_page(tmp_path, monkeypatch, docs):
    # What is measured is for a machine with nothing else to do.
    monkeypatch.setattr(computing, "_measured", as_the_model_says)
    out = tmp_path / "out"
    outcome = run_study(module.STUDY, "scaling", out, Options(jobs=4))
    assert outcome.computed == len(cases_of(quick=False))
    assert {found.verdict for found in outcome.judged} <= {MET, MISSED}
    assert outcome.report.read_text(encoding="utf-8").count("<img") == 4
    assert json.loads((out / "numbers" / "claims.json").read_text()) == as_records(outcome.judged)
    assert (out / "figures" / "scaling.svg").exists()
    page = tmp_path / "scaling.md"
    page.write_text((docs / "scaling.md").read_text(encoding="utf-8"), encoding="utf-8")
    write_page(module.STUDY, out, page)
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"<!-- (\w+) -->", text)) == {
        "facts",
        "tally",
        "targets",
        *number_tables({}),
    }
    assert "not part of this run" not in text
    assert f"{FULL.n:,}" in text
    assert (tmp_path / "images" / "scaling" / "scaling.png").exists()


def test_a_quick_run_does_not_mix_with_a_full_one(tmp_path, monkeypatch):
    monkeypatch.setattr(computing, "_measured", as_the_model_says)
    run_study(module.STUDY, "scaling", tmp_path, Options(quick=True))
    with pytest.raises(ValueError, match="another quick"):
        run_study(module.STUDY, "scaling", tmp_path, Options())
