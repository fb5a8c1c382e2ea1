"""Benchmarks of cleaning, on tables of a handful of rows."""

import numpy as np
import pytest

from robustnmf.tables import read_table
from robustnmf_studies.bench import cleaning
from robustnmf_studies.bench.plan import FULL, QUICK, SMALL_TABLE, TABLE


def test_made_up_table_is_read_as_it_was_written(tmp_path):
    X, decimals = cleaning.made_up(300, 12)
    table = read_table(cleaning.write_made_up(tmp_path / "a.csv", 300, 12))
    assert np.array_equal(table.block(slice(0, 300)), X, equal_nan=True)
    assert [column.decimals for column in table.columns] == decimals
    assert len(set(decimals)) > 2
    assert 0 < np.isnan(X).mean() < 0.01
    array = read_table(cleaning.write_made_up(tmp_path / "a.npy", 300, 12))
    assert np.array_equal(array.block(slice(0, 300)), X, equal_nan=True)


def test_made_up_columns_go_together_and_a_few_cells_do_not():
    X, _ = cleaning.made_up(2000, 10)
    usual = np.nanmedian(X, axis=0)
    assert usual.max() > 100 * usual.min()
    far = np.abs(np.log(np.maximum(X, 1e-9) / usual)) > 2
    assert 0.005 < far.mean() < 0.05
    ranks = np.argsort(np.argsort(np.nan_to_num(X), axis=0), axis=0)
    assert np.corrcoef(ranks, rowvar=False)[~np.eye(10, dtype=bool)].max() > 0.5


@pytest.mark.parametrize("case", ["csv", "lam"])
def test_beside_pandas(tiny, tell, case):
    first, second = cleaning.beside_pandas(tiny, case, tell)
    assert (first.key, second.key) == (f"clean.{case}", f"clean.{case}-fit")
    assert len(first.values) == tiny.repeat
    assert first.ours == second.ours > 0
    assert not first.exact


def test_command_that_fails_is_no_figure(tmp_path):
    (tmp_path / "words.csv").write_text("a,b\nx,y\n")
    with pytest.raises(RuntimeError, match="wrote nothing"):
        cleaning._command(tmp_path / "words.csv")


@pytest.mark.slow
def test_from_shell(tiny, tell):
    rows = {row.key: row for row in cleaning.from_shell(tiny, "warm", tell)}
    assert set(rows) == {"clean-start.warm", "clean-start.empty"}
    assert all(0 < row.median < 60 for row in rows.values())


@pytest.mark.slow
@pytest.mark.parametrize("case", ["csv", "npy"])
def test_growth(tiny, tell, case):
    time, memory = cleaning.growth(tiny, case, tell)
    assert (time.key, memory.key) == (f"clean-growth.{case}", f"clean-growth.{case}-memory")
    assert time.details["values"] == [40, 80]
    assert min(time.details["seconds"]) > 0
    assert min(memory.details["megabytes"]) >= 0


def test_full_plan_is_what_the_targets_are_set_for():
    assert (FULL.table, FULL.small_table) == (TABLE, SMALL_TABLE) == ((100_000, 50), (200, 8))
    assert QUICK.table != TABLE
