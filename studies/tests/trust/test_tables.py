"""The tables of the study: enough of them, of many families, written as people write."""

import csv
import zlib
from collections import Counter

import numpy as np
import pytest

from robustnmf_studies.trust import tables
from robustnmf_studies.trust.errors import plantable
from robustnmf_studies.trust.made import BARREN, MADE_SECOND
from robustnmf_studies.trust.sources import TEST, TUNING
from robustnmf_studies.trust.tables import (
    EDITIONS,
    LISTING,
    MADE_UP,
    MOST_ROWS,
    TABLES,
    available_tables,
    decimals_of,
    load_table,
)

NAMES = available_tables()[0]
SECOND = [row for row in csv.DictReader(LISTING.splitlines()) if row["edition"] == TEST]
FAMILIES = {row["family"] for row in SECOND}


@pytest.mark.parametrize("edition", [TUNING, TEST])
def test_there_are_enough_tables_of_every_family(edition):
    found = Counter(source.family for source in EDITIONS[edition])
    assert len(FAMILIES) == 9
    assert set(found) == {*FAMILIES, MADE_UP}
    assert sum(found[family] for family in FAMILIES) >= 40
    assert min(found.values()) >= 3


def test_no_name_is_given_twice():
    assert len(TABLES) == sum(len(edition) for edition in EDITIONS.values())


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


def test_what_has_been_looked_at_is_for_tuning():
    tuned = {source.name for source in EDITIONS[TUNING]}
    # Some of either half of the first edition, both of which have been looked at.
    assert {"wine", "mtcars", "made-parts", "glass", "iris", "swiss", "made-sensors"} < tuned
    assert not tuned & {source.name for source in EDITIONS[TEST]}
    assert set(available_tables(TUNING)[0]) == tuned


def test_the_second_edition_is_what_was_drawn():
    """Five of each family, in the order of the lots, which nobody chose."""
    for family in FAMILIES:
        own = [row for row in SECOND if row["family"] == family]
        lots = [zlib.crc32(f"{row['package']}/{row['item']}".encode()) for row in own]
        assert len(lots) == 5
        assert lots == sorted(lots)


@pytest.mark.parametrize("name", [row["name"] for row in SECOND])
def test_what_was_drawn_keeps_the_rule(name):
    columns, values = TABLES[name].read()
    assert len(values) >= 30
    assert 4 <= len(columns) <= 40
    assert (np.isnan(values).mean(axis=0) <= 0.5).all()
    rich = sum(len(np.unique(column[np.isfinite(column)])) >= 8 for column in values.T)
    assert rich >= max(3, len(columns) / 2)
    # What is left of it after thinning can be spoiled.
    assert len(plantable(load_table(name))) >= 3


def fingerprints(name):
    """Return what the columns of a table hold, whatever their names and the order of rows."""
    values = TABLES[name].read().values
    held = (np.unique(np.round(column[np.isfinite(column)], 6)) for column in values.T)
    return {found.tobytes() for found in held if len(found) >= 20}


def test_no_table_is_in_both_editions():
    first = {s.name: fingerprints(s.name) for s in EDITIONS[TUNING]}
    # The check sees a table of the first edition under another name.
    assert len(fingerprints("iris") & first["iris"]) >= 3
    for source in EDITIONS[TEST]:
        own = fingerprints(source.name)
        # One column may agree by chance: all whole numbers from 18 to 65, say.
        assert [name for name, other in first.items() if len(own & other) > 1] == []


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


def test_what_is_made_up_is_the_same_each_time():
    for read in (*BARREN.values(), *MADE_SECOND.values()):
        assert np.array_equal(read().values, read().values)


def test_shares_make_a_hundred():
    shares = load_table("made-shares").values
    assert np.allclose(shares.sum(axis=1), 100, atol=0.05)


def test_rows_of_one_kind_go_together_more_than_rows_of_all():
    """What the table of several kinds is for: one relation for all rows is far from each."""
    values = load_table("made-kinds").values
    near = np.argsort(np.abs(values[:, None] - values).sum(axis=2), axis=1)[:, 1:6]
    within = np.abs(values - values[near].mean(axis=1)).mean(axis=0)
    assert (within < 0.5 * np.abs(values - np.median(values, axis=0)).mean(axis=0)).all()


def test_small_farms_are_less_certain():
    acres, amounts = np.split(load_table("made-uneven").values, [1], axis=1)
    rates = np.log(amounts / acres)
    far = np.abs(rates - np.median(rates, axis=0)).mean(axis=1)
    small = acres[:, 0] < np.median(acres)
    assert far[small].mean() > 1.2 * far[~small].mean()


def test_weather_moves_on_to_the_next_station():
    values = load_table("made-seasons").values
    drift = np.diff(values, axis=0)
    today = np.corrcoef(drift[:, 0], drift[:, 4])[0, 1]
    later = np.corrcoef(drift[:-4, 0], drift[4:, 4])[0, 1]
    assert later > 0.4 > today
