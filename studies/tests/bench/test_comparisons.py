"""Every comparison once, on data of a handful of rows."""

import math
import os
from dataclasses import replace

import numpy as np
import pytest

from robustnmf._core.noise import SquaredL1
from robustnmf._engines.threads import thread_count
from robustnmf._solvers import hals
from robustnmf._solvers.settings import HalsSettings, HeadStartSettings
from robustnmf_studies.bench import (
    child,
    defaults,
    gemm,
    growth,
    machine,
    memory,
    noise_off,
    others,
    paper_rule,
    startup,
    threads,
    tuning,
)
from robustnmf_studies.bench.comparisons import COMPARISONS, run_benchmarks
from robustnmf_studies.bench.names import NAMES
from robustnmf_studies.bench.plan import FULL, LARGE, QUICK, RULE_ITERATIONS, SMALL, Size
from robustnmf_studies.bench.problems import clean_problem, fill, large_problem, small_problem
from robustnmf_studies.bench.race import LAM, Rule, exact_objective, race, squared_error
from robustnmf_studies.bench.targets import TARGETS
from robustnmf_studies.bench.timing import alternate
from robustnmf_studies.bench.work import count_work


def by_key(rows):
    keys = [row.key for row in rows]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, rows, strict=True))


# --- data and races --------------------------------------------------------------------------


def test_problem_is_the_same_each_time_and_known(tiny):
    one, two = small_problem(tiny), small_problem(tiny)
    assert np.array_equal(one.X, two.X)
    assert np.array_equal(one.W, two.W)
    assert np.array_equal(one.X[~one.mask], one.clean[~one.mask])
    assert 0.03 < one.mask.mean() < 0.07
    assert one.X.min() >= 0
    assert (one.W > 0).all()
    assert clean_problem(one).X is one.clean


def test_other_seeds_are_other_problems(tiny):
    assert not np.array_equal(small_problem(tiny).X, small_problem(tiny, seed=1).X)


def test_real_faces_can_take_the_place(tiny):
    from dataclasses import replace

    problem = small_problem(replace(tiny, data="builtin"))
    assert problem.size.n == tiny.small.n
    assert problem.X.shape == problem.size[:2]


def test_large_problem_can_be_of_integers(tiny):
    X = np.zeros(tiny.large[:2], np.uint8)
    fill(X, tiny.large)
    floats = large_problem(tiny.large).X
    assert np.abs(X - floats).max() <= 0.5
    assert large_problem(tiny.large) is large_problem(tiny.large)


def test_other_starts_of_the_same_data(tiny):
    problem = small_problem(tiny)
    assert np.array_equal(problem.restarted(0).W, problem.W)
    assert not np.array_equal(problem.restarted(1).W, problem.W)
    assert problem.restarted(1).X is problem.X


def test_race_lost_to_a_local_minimum_is_told(tiny, share, monkeypatch):
    monkeypatch.setattr(noise_off, "race", lambda *_: [math.inf])
    small, _ = noise_off.compare(tiny, share)
    assert small.median == 0
    assert "from 5 of 5 starts" in small.note


def test_start_is_copied(tiny):
    problem = small_problem(tiny)
    problem.start()[0][:] = 0
    assert (problem.W > 0).all()


def test_race_ends_where_it_should(tiny):
    problem = small_problem(tiny)
    noise = SquaredL1(LAM)
    at_start = exact_objective(problem, noise, problem.W, problem.H)
    first, later, never = race(problem, noise, [at_start, 0.5 * at_start, -1.0])
    assert 0 < first <= later < math.inf
    assert never == math.inf


def test_best_noise_is_at_most_the_rules_own(tiny):
    problem = small_problem(tiny)
    rule = Rule(problem, SquaredL1(LAM))
    rule.seconds(5)
    W, H = rule.solver.W.copy(), rule.solver.H.copy()
    exact = exact_objective(problem, SquaredL1(LAM), W, H)
    assert exact <= rule.objective()
    # Noise that is free of charge explains everything; noise that is dear, nothing.
    plain = squared_error(problem.X, W, H)
    assert exact < plain
    assert exact_objective(problem, SquaredL1(1e12), W, H) == pytest.approx(plain)
    assert plain == pytest.approx(np.linalg.norm(problem.X - W @ H) ** 2)


# --- timing ----------------------------------------------------------------------------------


def test_sides_take_turns(share):
    log = []
    rounds = alternate(
        3, lambda: log.append("a") or 1.0, lambda: log.append("b") or 2.0, share=share
    )
    assert "".join(log) == "ababab"
    assert rounds == [(1.0, 2.0)] * 3


# --- each comparison -------------------------------------------------------------------------


def test_paper_rule(tiny, share):
    rows = by_key(paper_rule.compare(tiny, share))
    assert set(rows) == {f"paper-rule.{s}{t}" for s in ("small", "large") for t in ("", "-strict")}
    for row in rows.values():
        assert len(row.values) == tiny.repeat
        assert not row.exact  # not the size that the target is set for
    details = rows["paper-rule.small"].details
    assert details["objective_best_noise"] <= details["objective"]
    assert min(rows["paper-rule.small"].values) > 0  # it was reached


def test_noise_off(tiny, share):
    rows = by_key(noise_off.compare(tiny, share))
    assert set(rows) == {"noise-off.small", "noise-off.large"}
    for row in rows.values():
        assert min(row.details["their_iterations"]) > 1
        assert row.details["lost"] == row.values.count(0.0)


def test_defaults(tiny, share):
    rows = by_key(defaults.compare(tiny, share))
    assert set(rows) == {f"defaults.float{b}{s}" for b in (64, 32) for s in ("", "-mu")}
    assert "iterations" in rows["defaults.float64"].note


def test_gemm(tiny, share):
    rows = by_key(gemm.compare(tiny, share))
    assert set(rows) == {"gemm.float64", "gemm.float32"}
    assert rows["gemm.float64"].details["bytes"] == 2 * rows["gemm.float32"].details["bytes"]


def test_work_counts_the_products():
    assert count_work(Size(10, 20, 3), 8)["gemm_flops"] == 3 * 2 * 10 * 20 * 3


def test_growth(tiny, share):
    rows = growth.compare(tiny, share)
    assert [row.key for row in rows] == ["growth.n", "growth.m", "growth.k"]
    assert rows[0].details["values"] == [20, 40]


def test_growth_exponent():
    assert growth.exponent([10, 20, 40], (1.0, 2.0, 4.0)) == pytest.approx(1)
    assert growth.exponent([10, 20, 40], (1.0, 1.0, 1.0)) == pytest.approx(0)


def test_threads_are_set_and_put_back(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    with threads.threads(1):
        assert thread_count() == 1
    assert os.environ["OMP_NUM_THREADS"] == "7"
    monkeypatch.delenv("OMP_NUM_THREADS")
    with threads.threads(1):
        pass
    assert "OMP_NUM_THREADS" not in os.environ


def test_threads(tiny, share, monkeypatch):
    monkeypatch.setattr(threads, "thread_count", lambda: 2)
    (row,) = threads.compare(tiny, share)
    assert len(row.values) == tiny.repeat
    monkeypatch.setattr(threads, "thread_count", lambda: 1)
    (row,) = threads.compare(tiny, share)
    assert row.values == ()
    assert "one core" in row.note


@pytest.mark.slow
def test_memory(tiny, share):
    rows = by_key(memory.compare(tiny, share))
    assert set(rows) == {f"memory.{d}{p}" for d in ("float64", "uint8") for p in ("", "-loop")}
    for row in rows.values():
        assert row.details["fit"] >= row.details["loop"] >= 0


@pytest.mark.slow
def test_startup(tiny, share):
    rows = by_key(startup.compare_import(tiny, share))
    assert rows["import.lazy"].median < rows["import.package"].median < 60


CACHES = "empty", "warm"


@pytest.mark.slow
def test_compile_is_faster_with_a_warm_cache(tiny):
    rows = by_key(startup.compare_compile(tiny, lambda _: None))
    assert set(rows) == {f"compile.{case}{cache}" for case in ("", "auto-") for cache in CACHES}
    for case in ("", "auto-"):
        empty, warm = (rows[f"compile.{case}{cache}"] for cache in CACHES)
        assert warm.median < empty.median < empty.details["process"]
        assert warm.details["second"] < warm.median


def test_failure_in_a_child_is_told():
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        child.ask(["-c", "1 / 0"])


# --- other methods ---------------------------------------------------------------------------


def test_others_report_quality(tiny, share, monkeypatch):
    monkeypatch.setattr(
        others, "METHODS", {name: others.METHODS[name] for name in ("plain", "pcp")}
    )
    rows = by_key(others.compare(tiny, share))
    for row in rows.values():
        for side in ("ours", "theirs"):
            assert 0 <= row.details[side]["f1"] <= row.details[side]["best_f1"] + 1e-12 <= 1 + 1e-9
            assert row.details[side]["msre"] >= 0


@pytest.mark.parametrize("name", ["hyperspy", "gensim"])
def test_missing_package_is_a_line_and_no_crash(tiny, share, monkeypatch, name):
    import sys

    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr(others, "METHODS", {name: others.METHODS[name]})
    (row,) = others.compare(tiny, share)
    assert row.values == ()
    assert row.note == "not installed: pip install 'robustnmf[bench]'"


def test_broken_package_is_a_line_and_no_crash(tiny, share, monkeypatch):
    def broken(problem):
        raise RuntimeError("no luck")

    monkeypatch.setattr(others, "METHODS", {"broken": ("Broken", broken)})
    (row,) = others.compare(tiny, share)
    assert row.note == "failed: RuntimeError: no luck"


@pytest.mark.parametrize("name", ["hyperspy", "gensim"])
def test_packages_where_installed(tiny, share, monkeypatch, name):
    pytest.importorskip(name)
    monkeypatch.setattr(others, "METHODS", {name: others.METHODS[name]})
    (row,) = others.compare(tiny, share)
    assert len(row.values) == tiny.repeat, row.note


# --- the convergence study -------------------------------------------------------------------


def test_tuning_ranks_and_leaves_the_solver_as_it_was(tiny, share, monkeypatch):
    before = tuning.present()
    none = tuning.Setting(
        HalsSettings(1, 1, 0.0, 1.0, 1.0, 1.0), HeadStartSettings(one_in=10**9, iterations=0)
    )
    monkeypatch.setattr(tuning, "settings", lambda: [before, none])
    rows = tuning.compare(tiny, share)
    assert tuning.present() == before
    assert {row.key for row in rows} == {"tuning.present", "tuning.setting"}
    means = [np.log(row.values).mean() for row in rows]
    assert means == sorted(means)
    for row in rows:
        assert [gap["gap"] for gap in row.details["gaps"]] == list(tuning.GAPS)
        assert len(row.values) == 4 * tiny.tuning_seeds
        assert min(row.values) >= 1


def test_tuning_tries_the_present_setting_first():
    tried = tuning.settings()
    assert tried[0] == tuning.present()
    assert len(set(tried)) == len(tried) > 10


def test_settings_are_put_back_after_an_error():
    before = tuning.present()
    other = replace(before, hals=before.hals._replace(sweeps_w=99))

    def fail():
        with tuning.used(other):
            assert hals.HALS.sweeps_w == 99
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert tuning.present() == before


# --- all together ----------------------------------------------------------------------------


def test_machine_is_described():
    found = machine.describe(side=50, entries=10_000)
    assert found["gemm_gflops"]["float64"] > 0
    assert found["triad_gbytes"] > 0
    assert found["processor"]
    assert found["versions"]["numpy"] == np.__version__


def test_named_comparisons_run_in_their_order(tiny, small_machine):
    heard, kept = [], []
    result = run_benchmarks(
        ["threads", "noise-off"],
        tiny,
        progress=lambda what, share: heard.append((what, share)),
        finished=lambda sofar: kept.append(len(sofar.rows)),
    )
    assert [row.key.partition(".")[0] for row in result.rows] == ["threads", *["noise-off"] * 2]
    assert kept == [1, 3]
    assert set(result.about["seconds"]) == {"threads", "noise-off", "all"}
    assert result.about["machine"] is small_machine
    assert heard[0][0] == "the machine"
    shares = [share for _, share in heard]
    assert shares == sorted(shares)


def test_unknown_name_is_refused(tiny):
    with pytest.raises(ValueError, match="no comparison 'speed': choose from paper-rule"):
        run_benchmarks(["speed"], tiny)


def test_names_and_comparisons_agree():
    assert list(NAMES) == list(COMPARISONS)
    assert [name for name, (_, default) in NAMES.items() if not default] == ["tuning"]


def test_every_target_belongs_to_a_comparison():
    assert {key.partition(".")[0] for key in TARGETS} <= set(NAMES)


def test_full_plan_is_what_the_targets_are_set_for():
    assert (FULL.small, FULL.large, FULL.converge) == (SMALL, LARGE, LARGE)
    assert FULL.rule_small == FULL.rule_large == RULE_ITERATIONS
    # What is quick about the quick plan shows in its verdicts.
    assert QUICK.converge != LARGE
    assert QUICK.rule_large < RULE_ITERATIONS
