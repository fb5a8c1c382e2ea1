import math

import pytest

from robustnmf_studies.common.table import Table

ROWS = [
    {"n": 10, "run": 0, "f1": 0.4},
    {"n": 10, "run": 1, "f1": 0.6},
    {"n": 20, "run": 0, "f1": None},
    {"n": 20, "run": 1, "f1": 0.8},
    {"n": 30, "run": 0},
]


def test_where_takes_a_value_or_any_of_several():
    table = Table(ROWS)
    assert len(table.where(n=10)) == 2
    assert len(table.where(n=(10, 20), run=1)) == 2
    assert len(table.where(absent=1)) == 0


def test_series_averages_over_runs_and_leaves_out_what_is_missing():
    series = Table(ROWS).series("n", "f1")
    assert series.x == [10, 20]
    assert series.mean == pytest.approx([0.5, 0.8])
    assert series.spread == pytest.approx([math.sqrt(0.02), 0.0])
    assert series.counts == [2, 1]


def test_error_of_one_run_is_not_known():
    assert Table(ROWS).series("n", "f1").error == pytest.approx([0.1, math.inf])


def test_mean_of_nothing_is_nan():
    assert math.isnan(Table().mean("f1"))
