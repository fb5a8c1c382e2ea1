"""Benchmarks of single iterations."""

import os

import pytest

from robustnmf._engines.threads import thread_count
from robustnmf_studies.bench import iteration
from robustnmf_studies.bench.plan import Size


def test_gemm(tiny, run_all):
    rows = run_all("gemm", tiny)
    assert set(rows) == {"float64", "float32"}
    assert rows["float64"].details["bytes"] == 2 * rows["float32"].details["bytes"]


def test_work_counts_the_products():
    assert iteration.count_work(Size(10, 20, 3), 8)["gemm_flops"] == 3 * 2 * 10 * 20 * 3


def test_growth(tiny, run_all):
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


def test_threads(tiny, monkeypatch, run_all):
    monkeypatch.setattr(iteration, "thread_count", lambda: 2)
    assert len(run_all("threads", tiny)["two"].values) == tiny.repeat
    monkeypatch.setattr(iteration, "thread_count", lambda: 1)
    row = run_all("threads", tiny)["two"]
    assert row.values == []
    assert "one core" in row.note
