"""The tables of the study: enough of them, of many families, written as people write."""

import numpy as np
import pytest

from robustnmf.experiments.trust import tables
from robustnmf.experiments.trust.made import BARREN, MADE_UP
from robustnmf.experiments.trust.tables import (
    MOST_ROWS,
    TABLES,
    TEST,
    TUNING,
    available_tables,
    decimals_of,
    load_table,
    split_of,
)

NAMES = available_tables()[0]


def test_there_are_enough_tables_in_both_halves():
    for half in (TUNING, TEST):
        real = [n for n in TABLES if split_of(n) == half and TABLES[n].family != MADE_UP]
        assert len(real) >= 25
        assert len({TABLES[name].family for name in real}) == 9


@pytest.mark.parametrize("name", NAMES)
def test_a_table_is_usable(name):
    table = load_table(name)
    n, m = table.values.shape
    assert 30 <= n <= MOST_ROWS
    assert m >= 4
    assert len(table.columns) == len(table.decimals) == m
    assert len(set(table.columns)) == m
    assert not np.isinf(table.values).any()
    assert np.isfinite(table.values).any(axis=1).all()
    # Rounding kept what the columns say.
    assert all(len(np.unique(table.values[:, j])) > 1 for j in range(m))
    for j, decimals in enumerate(table.decimals):
        assert np.array_equal(
            np.round(table.values[:, j], decimals), table.values[:, j], equal_nan=True
        )


def test_values_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        load_table("made-parts").values[0, 0] = 1


def test_the_name_alone_decides_the_half():
    # Written down, so that no later change moves a table to the other half.
    assert [split_of(n) for n in ("wine", "glass", "iris", "mtcars", "swiss", "digits")] == [
        TUNING, TEST, TEST, TUNING, TEST, TUNING,
    ]  # fmt: skip
    # The library's constants were chosen on these.
    assert split_of("faces-orl") == TUNING


def test_a_package_that_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(tables, "installed", lambda package: package != "vega_datasets")
    names, notes = available_tables()
    assert "stocks" not in names
    assert "iris" in names
    assert len(notes) == 1
    assert "vega_datasets is not installed" in notes[0]
    assert notes[0].startswith("3 tables")


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="'no such table'"):
        load_table("no such table")


@pytest.mark.parametrize(
    ("values", "decimals"),
    [([1.0, 2.0], 0), ([0.1, 0.25], 2), ([1234.5678901234, 2000.1], 2), ([np.nan], 0), ([0.0], 0)],
)
def test_decimals(values, decimals):
    assert decimals_of(np.array(values)) == decimals


def test_barren_tables_are_the_same_each_time():
    for read in BARREN.values():
        assert np.array_equal(read().values, read().values)
