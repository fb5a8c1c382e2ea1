"""Benchmarks of whole fits, and of other robust methods."""

import sys

import pytest

from robustnmf_studies.bench import fits
from robustnmf_studies.bench.plan import FITS
from robustnmf_studies.bench.registry import BENCHMARKS


def test_defaults(tiny, run_all):
    rows = run_all("defaults", tiny)
    assert set(rows) == {f"float{b}{s}" for b in (64, 32) for s in ("", "-mu")}
    assert "iterations" in rows["float64"].note


def test_fits_of_all_sizes(tiny, run_all):
    rows = run_all("fits", tiny)
    assert list(rows) == list(FITS)
    for row in rows.values():
        assert len(row.details["objectives"]) == len(row.values) == 2
        assert "no worse from" in row.note


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
