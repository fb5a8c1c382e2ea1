"""Runs of benchmarks as a whole."""

import numpy as np
import pytest

from robustnmf_studies.bench import machine
from robustnmf_studies.bench.plan import FULL, LARGE, QUICK, RULE_ITERATIONS, SMALL
from robustnmf_studies.bench.registry import BENCHMARKS
from robustnmf_studies.bench.run import run_benchmarks
from robustnmf_studies.bench.timing import alternate


def test_sides_take_turns(tell):
    log = []
    rounds = alternate(3, lambda: log.append("a") or 1.0, lambda: log.append("b") or 2.0, tell=tell)
    assert "".join(log) == "ababab"
    assert rounds == [(1.0, 2.0)] * 3


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
