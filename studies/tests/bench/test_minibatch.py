"""The benchmark of fits by batches, on few rows."""

import sys

import numpy as np
import pytest

from robustnmf_studies.bench import minibatch
from robustnmf_studies.bench.problems import clean_rows, large_problem


def test_all_sides_have_their_rows(tiny, run_all):
    rows = run_all("minibatch", tiny)
    assert set(rows) == {"objective", "time", "plain", "hyperspy"}
    assert rows["objective"].median < 1.02
    assert rows["time"].median > 0
    errors = rows["objective"].details["errors"]
    assert errors["ours"] < errors["plain"]
    assert "× the full fit's at most; error of W H" in rows["objective"].note


def test_missing_package_is_a_line_and_no_crash(tiny, tell, monkeypatch):
    monkeypatch.setitem(sys.modules, "hyperspy", None)
    monkeypatch.setitem(sys.modules, "hyperspy.learn._ornmf", None)
    *others, row = minibatch.measure(tiny, "objective", tell)
    assert row.values == []
    assert row.note == "not installed: pip install 'robustnmf-studies[bench]'"
    assert all(other.values for other in others)


def test_hyperspy_where_installed(tiny, tell):
    pytest.importorskip("hyperspy")
    row = minibatch.measure(tiny, "objective", tell)[-1]
    assert len(row.values) == tiny.repeat
    assert np.isfinite(row.details["errors"]["hyperspy ORNMF"])


def test_clean_rows_are_those_below_the_errors(tiny):
    X, clean = large_problem(tiny.many_rows).X, clean_rows(tiny.many_rows, 260)
    assert clean.shape == (260, 30)
    assert 0.9 < np.isclose(X[:260], clean).mean() < 1
