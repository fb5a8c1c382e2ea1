"""Every benchmark once, on data of a handful of rows."""

import math
import os
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from robustnmf import RobustNMF
from robustnmf._engines.threads import thread_count
from robustnmf._solvers import hals, sample
from robustnmf._solvers.settings import HalsSettings, HeadStartSettings
from robustnmf_studies.bench import auto, fits, iteration, machine, races, service, tuning
from robustnmf_studies.bench.plan import FITS, FULL, LARGE, QUICK, RULE_ITERATIONS, SMALL, Size
from robustnmf_studies.bench.problems import LAM, Steps, fill, large_problem, small_problem
from robustnmf_studies.bench.races import exact_objective, race, squared_error
from robustnmf_studies.bench.registry import BENCHMARKS
from robustnmf_studies.bench.run import run_benchmarks
from robustnmf_studies.bench.timing import alternate, in_new_process, unconverged_is_fine


def run_all(name, plan):
    """Run all cases of a benchmark and return the rows by what follows the name in their keys."""
    benchmark = BENCHMARKS[name]
    rows = []
    for case in benchmark.cases:
        heard = []
        rows += benchmark.load()(plan, case.name, heard.append) if case.weight else []
        assert heard == sorted(heard)
        assert all(0 <= done <= 1 for done in heard)
    keys = [row.key.removeprefix(f"{name}.") for row in rows]
    assert len(set(keys)) == len(keys)
    # A target that no row has would never be judged.
    assert {case.name for case in benchmark.cases if case.target} <= set(keys)
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
    assert one.without_noise().X is one.clean


def test_other_seeds_are_other_problems(tiny):
    assert not np.array_equal(small_problem(tiny).X, small_problem(tiny, seed=1).X)


def test_real_faces_can_take_the_place(tiny):
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


def test_race_lost_to_a_local_minimum_is_told(tiny, tell, monkeypatch):
    monkeypatch.setattr(races, "race", lambda *_: [math.inf])
    (small,) = races.noise_off(tiny, "small", tell)
    assert small.median == 0
    assert "from 5 of 5 starts" in small.note


def test_start_is_copied(tiny):
    problem = small_problem(tiny)
    problem.start()[0][:] = 0
    assert (problem.W > 0).all()


def test_race_ends_where_it_should(tiny):
    problem = small_problem(tiny)
    at_start = exact_objective(problem, LAM, problem.W, problem.H)
    first, later, never = race(problem, LAM, [at_start, 0.5 * at_start, -1.0])
    assert 0 < first <= later < math.inf
    assert never == math.inf


def test_best_noise_is_at_most_the_rules_own(tiny):
    problem = small_problem(tiny)
    rule = Steps("mu", problem)
    rule.seconds(5)
    W, H = rule.solver.W.copy(), rule.solver.H.copy()
    exact = exact_objective(problem, LAM, W, H)
    assert exact <= rule.objective()
    # Noise that is free of charge explains everything; noise that is dear, nothing.
    plain = squared_error(problem.X, W, H)
    assert exact < plain
    assert exact_objective(problem, 1e12, W, H) == pytest.approx(plain)
    assert plain == pytest.approx(np.linalg.norm(problem.X - W @ H) ** 2)


# --- timing ----------------------------------------------------------------------------------


def test_sides_take_turns(tell):
    log = []
    rounds = alternate(3, lambda: log.append("a") or 1.0, lambda: log.append("b") or 2.0, tell=tell)
    assert "".join(log) == "ababab"
    assert rounds == [(1.0, 2.0)] * 3


# --- each benchmark --------------------------------------------------------------------------


def test_paper_rule(tiny):
    rows = run_all("paper-rule", tiny)
    assert set(rows) == {f"{s}{t}" for s in ("small", "large") for t in ("", "-strict")}
    for row in rows.values():
        assert len(row.values) == tiny.repeat
        assert not row.exact  # not the size that the target is set for
    details = rows["small"].details
    assert details["objective_best_noise"] <= details["objective"]
    assert min(rows["small"].values) > 0  # it was reached


def test_noise_off(tiny):
    rows = run_all("noise-off", tiny)
    assert set(rows) == {"small", "large"}
    for row in rows.values():
        assert min(row.details["their_iterations"]) > 1
        assert row.details["lost"] == row.values.count(0.0)


def test_defaults(tiny):
    rows = run_all("defaults", tiny)
    assert set(rows) == {f"float{b}{s}" for b in (64, 32) for s in ("", "-mu")}
    assert "iterations" in rows["float64"].note


def test_rule_fits(tiny):
    row = run_all("rule-fits", tiny)["small"]
    assert len(row.values) == tiny.repeat
    assert not row.exact
    problem = small_problem(tiny)
    with unconverged_is_fine():
        ours = RobustNMF(
            problem.size.k, init=problem.start(), tol=0.0, max_iter=row.details["iterations"]
        ).fit(problem.X)
    assert ours.objective_ <= row.details["objective"]


def test_fits_of_all_sizes(tiny):
    rows = run_all("fits", tiny)
    assert list(rows) == list(FITS)
    for row in rows.values():
        assert len(row.details["objectives"]) == len(row.values) == 2
        assert "no worse from" in row.note


def test_one_sample_and_batches(tiny):
    one, many = run_all("one-sample", tiny), run_all("batches", tiny)
    for row in (*one.values(), *many.values()):
        assert set(row.details["seconds"]) == {*service.QUESTIONS, "theirs"}
        assert len(row.values) == tiny.repeat
    # The slowest question decides: seconds at least as many as for each, rows at most.
    seconds = one["number"].details["seconds"]
    assert one["number"].median >= max(seconds[name] for name in service.QUESTIONS) * (1 - 1e-9)
    assert many["number"].unit == "rows/s"


def test_gemm(tiny):
    rows = run_all("gemm", tiny)
    assert set(rows) == {"float64", "float32"}
    assert rows["float64"].details["bytes"] == 2 * rows["float32"].details["bytes"]


def test_work_counts_the_products():
    assert iteration.count_work(Size(10, 20, 3), 8)["gemm_flops"] == 3 * 2 * 10 * 20 * 3


def test_growth(tiny):
    rows = run_all("growth", tiny)
    assert list(rows) == ["n", "m", "k"]
    assert rows["n"].details["values"] == [20, 40]


def test_growth_exponent():
    assert iteration.exponent([10, 20, 40], (1.0, 2.0, 4.0)) == pytest.approx(1)
    assert iteration.exponent([10, 20, 40], (1.0, 1.0, 1.0)) == pytest.approx(0)


def test_threads_are_set_and_put_back(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    with iteration.at_most(1):
        assert thread_count() == 1
    assert os.environ["OMP_NUM_THREADS"] == "7"
    monkeypatch.delenv("OMP_NUM_THREADS")
    with iteration.at_most(1):
        pass
    assert "OMP_NUM_THREADS" not in os.environ


def test_threads(tiny, monkeypatch):
    monkeypatch.setattr(iteration, "thread_count", lambda: 2)
    assert len(run_all("threads", tiny)["two"].values) == tiny.repeat
    monkeypatch.setattr(iteration, "thread_count", lambda: 1)
    row = run_all("threads", tiny)["two"]
    assert row.values == []
    assert "one core" in row.note


@pytest.mark.slow
def test_memory(tiny):
    rows = run_all("memory", tiny)
    assert set(rows) == {f"{d}{p}" for d in ("float64", "uint8") for p in ("", "-loop")}
    for row in rows.values():
        assert row.details["fit"] >= row.details["loop"] >= 0


@pytest.mark.slow
def test_import(tiny):
    rows = run_all("import", tiny)
    assert rows["lazy"].median < rows["package"].median < 60


@pytest.mark.slow
def test_compile_is_faster_with_a_warm_cache(tiny):
    rows = run_all("compile", tiny)
    assert set(rows) == {"empty", "warm", "auto-empty", "auto-warm"}
    for case in ("", "auto-"):
        empty, warm = rows[f"{case}empty"], rows[f"{case}warm"]
        assert warm.median < empty.median < empty.details["process"]
        assert warm.details["second"] < warm.median


def test_auto(tiny):
    rows = run_all("auto", tiny)
    assert set(rows) == {"penalty", "penalty-worst"}
    middle, worst = rows.values()
    assert middle.details == worst.details
    assert all(0 < a <= b for a, b in zip(middle.values, worst.values, strict=True))
    assert not worst.exact  # not the faces that the target is set for
    assert "25 faces, salt & pepper 30%" in worst.details


def test_auto_rank(tiny):
    row = run_all("auto-rank", tiny)["rank"]
    assert len(row.values) == tiny.repeat
    assert min(row.values) > 0


def test_no_more_faces_than_there_are(tiny):
    sets = auto._face_sets(replace(tiny, auto_faces=(25, 400, 500)), (("clean", 0.0),))
    assert [faces.n for faces in sets] == [25, 100]


def test_failure_in_a_child_is_told():
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        in_new_process("1 / 0")


# --- other methods ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["plain", "pcp"])
def test_others_report_quality(tiny, tell, name):
    (row,) = fits.others(tiny, name, tell)
    for side in ("ours", "theirs"):
        assert 0 <= row.details[side]["f1"] <= row.details[side]["best_f1"] + 1e-12 <= 1 + 1e-9
        assert row.details[side]["msre"] >= 0


def test_every_method_is_a_case():
    assert [case.name for case in BENCHMARKS["others"].cases] == list(fits.METHODS)


@pytest.mark.parametrize("name", ["hyperspy", "gensim"])
def test_missing_package_is_a_line_and_no_crash(tiny, tell, monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    (row,) = fits.others(tiny, name, tell)
    assert row.values == []
    assert row.note == "not installed: pip install 'robustnmf-studies[bench]'"


def test_broken_package_is_a_line_and_no_crash(tiny, tell, monkeypatch):
    def broken(problem):
        raise RuntimeError("no luck")

    monkeypatch.setitem(fits.METHODS, "broken", ("Broken", broken))
    (row,) = fits.others(tiny, "broken", tell)
    assert row.note == "failed: RuntimeError: no luck"


@pytest.mark.parametrize("name", ["hyperspy", "gensim"])
def test_packages_where_installed(tiny, tell, name):
    pytest.importorskip(name)
    (row,) = fits.others(tiny, name, tell)
    assert len(row.values) == tiny.repeat, row.note


# --- the convergence study -------------------------------------------------------------------


def test_tuning_ranks_and_leaves_the_solver_as_it_was(tiny, tell, monkeypatch):
    none = tuning.Setting(
        HalsSettings(1, 1, 0.0, 1.0, 1.0, 1.0), HeadStartSettings(least_rows=10**9, iterations=0)
    )
    monkeypatch.setattr(tuning, "settings", lambda: [tuning.NOW, none])
    rows = tuning.ranking(tiny, "all", tell)
    assert (hals.HALS, sample.HEAD_START) == tuning.NOW
    assert {row.key for row in rows} == {"tuning.present", "tuning.setting"}
    means = [np.log(row.values).mean() for row in rows]
    assert means == sorted(means)
    for row in rows:
        assert [gap["gap"] for gap in row.details["gaps"]] == list(tuning.GAPS)
        assert len(row.values) == 4 * tiny.tuning_seeds
        assert min(row.values) >= 1


def test_tuning_runs_the_setting_it_names(tiny, tell, monkeypatch):
    used = []
    other = tuning.NOW._replace(hals=tuning.NOW.hals._replace(sweeps_w=99))
    monkeypatch.setattr(tuning, "settings", lambda: [other])
    run = tuning.run
    monkeypatch.setattr(
        tuning, "run", lambda *args, **more: used.append(hals.HALS.sweeps_w) or run(*args, **more)
    )
    tuning.ranking(tiny, "all", tell)
    assert set(used) == {99}


def test_ranking_counts_what_never_arrives_as_twice_the_longest_run():
    other = tuning.NOW._replace(hals=tuning.NOW.hals._replace(sweeps_w=99))
    traces = pd.DataFrame(
        [
            # On problem 0 both arrive, the other setting first; on problem 1 it never does.
            (0, 0, 1, 1.0, 9.0), (0, 0, 2, 2.0, 1.0), (1, 0, 1, 0.5, 1.0),
            (0, 1, 1, 1.0, 5.0), (0, 1, 2, 3.0, 5.0), (1, 1, 1, 4.0, 6.0),
        ],
        columns=["setting", "problem", "iteration", "seconds", "objective"],
    )  # fmt: skip
    first, second = tuning.rank(traces, [tuning.NOW, other])
    assert (first.key, first.values) == ("tuning.present", [4.0, 1.0])
    assert (second.key, second.values) == ("tuning.setting", [1.0, 8.0])
    assert first.details["gaps"][0] == {
        "gap": 1e-2, "reached": 2, "of": 2, "iterations": 1.5, "seconds": 1.5
    }  # fmt: skip
    assert second.details["gaps"][0]["reached"] == 1


def test_tuning_tries_the_present_setting_first():
    tried = tuning.settings()
    assert tried[0] == tuning.NOW
    assert len(set(tried)) == len(tried) > 10


# --- all together ----------------------------------------------------------------------------


def test_machine_is_described():
    found = machine.describe(side=50, entries=10_000)
    assert found["gemm_gflops"]["float64"] > 0
    assert found["triad_gbytes"] > 0
    assert found["processor"]
    assert found["versions"]["numpy"] == np.__version__


def test_named_benchmarks_run_in_their_order(tiny, small_machine):
    heard, kept = [], []
    result = run_benchmarks(
        ["threads", "noise-off"],
        tiny,
        progress=lambda what, share: heard.append((what, share)),
        finished=lambda sofar: kept.append(len(sofar.rows)),
    )
    assert [row.key.partition(".")[0] for row in result.rows] == ["threads", *["noise-off"] * 2]
    assert kept == [1, 2, 3]
    assert set(result.about["seconds"]) == {"threads", "noise-off", "all"}
    assert result.about["machine"] is small_machine
    assert heard[0][0] == "the machine"
    shares = [share for _, share in heard]
    assert shares == sorted(shares)


def test_unknown_name_is_refused(tiny):
    with pytest.raises(ValueError, match="no benchmark 'speed': choose from paper-rule"):
        run_benchmarks(["speed"], tiny)


def test_every_benchmark_can_be_loaded():
    assert all(callable(benchmark.load()) for benchmark in BENCHMARKS.values())
    assert [name for name, one in BENCHMARKS.items() if not one.default] == ["tuning"]


def test_full_plan_is_what_the_targets_are_set_for():
    assert (FULL.small, FULL.large, FULL.converge) == (SMALL, LARGE, LARGE)
    assert FULL.rule_small == FULL.rule_large == RULE_ITERATIONS
    # What is quick about the quick plan shows in its verdicts.
    assert QUICK.converge != LARGE
    assert QUICK.rule_large < RULE_ITERATIONS
