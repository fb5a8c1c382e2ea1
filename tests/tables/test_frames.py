"""Frames in, frames of the same kind out, with only the wrong cells changed."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given as draw
from hypothesis import settings
from hypothesis import strategies as st

from robustnmf import TrustWarning
from robustnmf._tables.representable import decimals_of
from robustnmf._tables.sources import as_table
from robustnmf.tables import TableError, clean_table
from sheets import SHOP_DECIMALS, shops

WRONG = {"small": (9, 30000), "exact": (3, 1187.6), "maybe": (7, 99999), "real": (11, 11230.0)}
GAPS = {"maybe": 20, "exact": 22, "real": 23}


def numbers():
    rng = np.random.default_rng(0)
    sizes = rng.gamma(3, 10, (60, 1)) + 5
    return sizes * np.arange(1, 6) * rng.normal(1, 0.01, (60, 5))


@pytest.fixture
def frame():
    """Numbers of all kinds, among columns that are none."""
    X = numbers()
    df = pd.DataFrame(
        {
            "who": [f"w{i}" for i in range(60)],
            "small": X[:, 0].round().astype(np.int16),
            "exact": X[:, 1].round(2),
            "kind": pd.Categorical(["a", "b"] * 30),
            "maybe": pd.array(X[:, 2].round().astype(int), dtype="Int64"),
            "when": pd.date_range("2024-01-01", periods=60),
            "real": pd.array(X[:, 3].round(1), dtype="Float64"),
            "yes": [True, False] * 30,
            "perhaps": pd.array([True, None] * 30, dtype="boolean"),
            "single": X[:, 4].astype(np.float32),
        }
    )
    for name, (row, value) in WRONG.items():
        df.loc[row, name] = value
    df.loc[22, "exact"] = np.nan
    df.loc[20, "maybe"] = pd.NA
    df.loc[23, "real"] = pd.NA
    return df


def in_polars(frame):
    return pl.from_pandas(frame)


def test_pandas_gets_back_its_frame_with_the_wrong_cells_mended(frame):
    before = frame.copy(deep=True)
    result = clean_table(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert result.diagnosis.trusted
    new = result.data
    assert new.dtypes.equals(frame.dtypes)
    assert new.index.equals(frame.index)
    found = set(zip(result.changes["row"], result.changes["column"], strict=True))
    flagged = {(row, name) for name, (row, _) in WRONG.items()}
    assert found == flagged | {(row, name) for name, row in GAPS.items()}
    X = pd.DataFrame(numbers(), columns=["small", "exact", "maybe", "real", "single"])
    for row, name in found:
        assert new.loc[row, name] == pytest.approx(X.loc[row, name], rel=0.05)
        new.loc[row, name] = frame.loc[row, name]
    pd.testing.assert_frame_equal(new, frame)
    assert new.loc[3, "exact"] == WRONG["exact"][1]


def test_polars_gets_back_its_frame_with_the_wrong_cells_mended(frame):
    given = in_polars(frame)
    before = given.clone()
    result = clean_table(given)
    assert given.equals(before)
    new = result.data
    assert new.schema == given.schema
    pandas = clean_table(frame)
    assert new.equals(in_polars(pandas.data))
    assert result.mask.equals(in_polars(pandas.mask))
    listed = in_polars(pandas.changes)
    assert result.changes.equals(listed)
    for row, column, expected in listed.select("row", "column", "expected").iter_rows():
        assert new[row, column] == pytest.approx(expected)


@pytest.mark.parametrize("convert", [lambda df: df, in_polars], ids=["pandas", "polars"])
def test_the_mask_and_the_changes_go_with_the_data(frame, convert):
    given = convert(frame)
    result = clean_table(given)
    mask = np.asarray(result.mask)
    assert type(result.mask) is type(result.changes) is type(given)
    assert mask.dtype == bool
    assert mask.shape == given.shape
    assert list(result.mask.columns) == list(given.columns)
    columns = list(given.columns)
    assert {(int(i), columns[j]) for i, j in np.argwhere(mask)} == {
        (row, name) for name, (row, _) in WRONG.items()
    }
    assert list(result.changes.columns) == [
        "row", "column", "value", "expected", "probability", "reason", "replaced"
    ]  # fmt: skip
    assert all(result.changes["replaced"])
    gaps = [reason == "was missing" for reason in result.changes["reason"]]
    assert np.isnan(np.array(result.changes["value"], dtype=float)[gaps]).all()
    assert sum(gaps) == result.n_filled == 3
    kept = clean_table(given, fill_missing=False)
    assert sum(kept.changes["replaced"]) == kept.n_replaced == 4
    assert kept.n_filled == 0


def test_columns_of_arrow(frame):
    given = frame[["small", "exact", "maybe", "real"]].convert_dtypes(dtype_backend="pyarrow")
    result = clean_table(given)
    assert all(isinstance(dtype, pd.ArrowDtype) for dtype in result.data.dtypes)
    assert result.data.dtypes.equals(given.dtypes)
    assert result.n_replaced == 4
    assert result.data.loc[9, "small"] == pytest.approx(numbers()[9, 0], rel=0.05)


def test_objects_that_are_numbers_are_used(frame):
    whole = frame["maybe"].fillna(0).astype(int)
    frame["any"] = pd.Series([3 * x for x in whole], dtype=object)
    frame.loc[20, "any"] = None
    frame.loc[40, "any"] *= 10
    result = clean_table(frame)
    assert "any" in [column.name for column in result.table.columns]
    assert result.data["any"].dtype == object
    assert result.data.loc[40, "any"] == 3 * whole[40]
    assert all(isinstance(value, int) for value in result.data["any"])


@pytest.mark.parametrize("convert", [lambda df: df, in_polars], ids=["pandas", "polars"])
def test_text_is_left_alone_and_numbers_in_it_are_told(frame, convert):
    frame["txt"] = [f"{x:.1f}" for x in numbers()[:, 0]]
    frame.loc[5, "txt"] = None
    given = convert(frame)
    result = clean_table(given)
    assert [column.name for column in result.table.columns] == [*WRONG, "single"]
    (note,) = result.notes
    assert note.startswith("column 'txt' is left as it is: its cells are text, such as '33.8'")
    assert list(result.data["txt"])[:5] == list(given["txt"])[:5]
    # Plain words are nothing to speak of.
    assert "who" not in note


def test_other_numbers_are_left_alone_and_told(frame):
    frame["thin"] = pd.arrays.SparseArray(numbers()[:, 0])
    (note,) = clean_table(frame).notes
    assert "'thin'" in note
    assert "to_dense" in note
    price = pl.Series("price", [Decimal("1.5")] * 60)
    (note,) = clean_table(in_polars(frame.drop(columns="thin")).with_columns(price)).notes
    assert "'price' is left as it is: its type is Decimal" in note
    if hasattr(pl, "Int128"):
        wide = pl.Series("wide", [2**100] * 60, dtype=pl.Int128)
        (note,) = clean_table(in_polars(frame.drop(columns="thin")).with_columns(wide)).notes
        assert "'wide' is left as it is: its type is Int128" in note


def test_rows_are_named_by_the_index(frame):
    one = frame.set_index("who")
    result = clean_table(one)
    assert result.data.index.equals(one.index)
    assert result.mask.index.equals(one.index)
    for row, column, value in result.changes[["row", "column", "value"]].itertuples(index=False):
        assert one.loc[row, column] is pd.NA or one.loc[row, column] == pytest.approx(
            value, nan_ok=True
        )
    assert result.table.row_name(3) == "w3"
    two = frame.set_index(["who", "when"])
    result = clean_table(two)
    assert result.data.index.equals(two.index)
    assert result.changes["row"][0] == two.index[3]
    assert two.loc[result.changes["row"][0], "exact"] == 1187.6
    assert result.table.row_name(3) == "w3, 2024-01-04 00:00:00"
    # An index that only counts is no name.
    assert clean_table(frame).table.row_name(3) == "w3"
    assert clean_table(frame, index="kind").table.row_name(3) == "b"
    assert clean_table(one, index="kind").table.row_name(3) == "b"


def test_columns_of_two_levels(frame):
    given = frame[["small", "exact", "maybe", "real"]]
    given.columns = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1), ("b", 2)])
    result = clean_table(given)
    assert result.data.columns.equals(given.columns)
    assert set(result.changes["column"]) == set(given.columns)


def test_a_frame_and_its_file_give_the_same(tmp_path):
    """What a frame does not say, how many decimals a column has, is found out."""
    _, typed, _, empty = shops(0)
    df = pd.DataFrame(np.where(empty, np.nan, typed), columns=[f"c{j}" for j in range(28)])
    df.insert(0, "shop", [f"shop {i}" for i in range(150)])
    with (tmp_path / "a.csv").open("w") as file:
        file.write(",".join(df.columns) + "\n")
        for row in df.itertuples(index=False):
            cells = [
                "" if x != x else f"{x:.{d}f}" for x, d in zip(row[1:], SHOP_DECIMALS, strict=True)
            ]
            file.write(f"{row[0]},{','.join(cells)}\n")
    ours, file = clean_table(df), clean_table(str(tmp_path / "a.csv"))
    assert ours.table.columns == file.table.columns
    assert ours.cells == file.cells
    np.testing.assert_array_equal(ours.data.iloc[:, 1:], file.data.block(slice(0, 150)))
    np.testing.assert_array_equal(ours.mask.iloc[:, 1:], file.mask)
    assert list(file.changes["row"]) == list(ours.changes["row"])
    assert list(file.changes["column"]) == list(ours.changes["column"])


def test_arrays_get_back_arrays():
    X = np.asfortranarray(numbers().round().astype(np.int32))
    X[3, 4] = 90001
    before = X.copy()
    result = clean_table(X, ignore="1")
    np.testing.assert_array_equal(X, before)
    assert result.data.dtype == np.int32
    assert result.mask.shape == X.shape
    assert np.argwhere(result.mask).tolist() == [[3, 4]]
    assert np.argwhere(result.data != X).tolist() == [[3, 4]]
    (change,) = result.changes
    assert (change["row"], change["column"], change["value"]) == (3, 4, 90001)
    assert change["expected"] == result.data[3, 4]
    assert pd.DataFrame(result.changes).shape == (1, 7)


def test_columns_can_be_chosen(frame):
    assert clean_table(frame, ignore=["maybe", "real"]).n_flagged == 2
    used = clean_table(frame, use=["small", "exact", "single"])
    assert [column.name for column in used.table.columns] == ["small", "exact", "single"]
    numbered = pd.DataFrame(numbers())
    assert len(clean_table(numbered, ignore=[0, 4]).table.columns) == 3


def test_a_table_is_not_modified_by_what_is_chosen(frame):
    table = as_table(frame)
    clean_table(table, ignore="real")
    assert len(table.columns) == 5


@pytest.mark.parametrize(
    ("data", "kind", "words"),
    [
        (pd.DataFrame(), TableError, "the frame has no rows"),
        (pl.DataFrame(), TableError, "the frame has no rows"),
        (pd.DataFrame({"a": []}), TableError, "the frame has no rows"),
        (pd.DataFrame(index=range(5)), TableError, "there are no columns"),
        (pd.DataFrame({"a": [1.0, 2.0, 3.0]}), TableError, "3 rows and 1 columns of numbers"),
        (pl.DataFrame({"a": ["x", "y"]}), TableError, "no column holds numbers only"),
        (pd.DataFrame({"a": ["1", "2"]}), TableError, "convert them to numbers"),
        (pd.DataFrame({"a": [np.nan] * 3, "b": [None] * 3}), TableError, "no column holds"),
        (
            pd.DataFrame(np.ones((4, 3)), columns=["a", "b", "a"]),
            TableError,
            "columns 1 and 3 are both called 'a': rename one",
        ),
        (pd.DataFrame({"a": [1, np.inf], "b": [1, 2]}), TableError, "'a' of row 2 is infinite"),
        (pd.Series([1.0, 2.0]), TypeError, "got Series: pass X.to_frame()"),
        (pl.LazyFrame({"a": [1]}), TypeError, "got LazyFrame: pass X.collect()"),
        ([[1, 2], [3, 4]], TypeError, "got list: pass numpy.asarray(X)"),
        (np.ma.ones((3, 3)), TypeError, "pass X.filled(numpy.nan)"),
        (5, TypeError, "data must be a pandas or polars DataFrame, a 2-D array"),
        (np.ones(5), TableError, "shape (5,); a table has rows and columns"),
    ],
)
def test_what_is_no_table_is_told(data, kind, words):
    with pytest.raises(kind, match=re.escape(words)):
        clean_table(data)


def test_the_owner_of_a_frame_is_warned():
    rng = np.random.default_rng(0)
    with pytest.warns(TrustWarning, match="no better than by the middle") as caught:
        result = clean_table(pd.DataFrame(rng.normal(100, 1, (60, 4))))
    assert caught[0].filename == __file__
    assert not result.diagnosis.trusted


CELLS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.floats(-1e6, 1e6)), max_size=5)


@settings(deadline=None, max_examples=60)
@draw(CELLS, st.sampled_from(["int8", "uint16", "int64", "float32", "Int32", "Float64", "object"]))
def test_cells_that_are_told_to_change_do_and_no_others(cells, dtype):
    """One cell after the other, by the slow means of pandas."""
    values = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]
    frame = pd.DataFrame(values, columns=list("abc")).astype(dtype)
    frame.insert(1, "words", list("wxyz"))
    # A first column that counts would name the rows.
    table = as_table(frame)
    assert len(table.columns) == 3

    class Given:
        def block(self, rows):
            where, new = np.zeros((4, 3), dtype=bool), np.zeros((4, 3))
            for i, j, value in cells:
                where[i, j], new[i, j] = True, value
            return where[rows], new[rows]

    expected = frame.copy()
    kind = None if dtype == "object" else np.dtype(dtype.lower())
    for i, j, value in cells:
        if kind is None:
            value = round(value)
        elif kind.kind != "f":
            value = int(np.clip(round(value), np.iinfo(kind).min, np.iinfo(kind).max))
        expected.iloc[i, j + (j > 0)] = value
    pd.testing.assert_frame_equal(table.repaired(Given()), expected)
    given = pl.from_pandas(frame) if dtype != "object" else None
    if given is not None:
        assert as_table(given).repaired(Given()).equals(pl.from_pandas(expected))


@settings(deadline=None)
@draw(st.lists(st.integers(-(10**7), 10**7), min_size=1), st.integers(0, 6))
def test_decimals_are_those_that_are_written(whole, decimals):
    written = [f"{x / 10**decimals:.{decimals}f}" for x in whole]
    needed = max(len(text.partition(".")[2].rstrip("0")) for text in written)
    assert decimals_of(np.array([float(text) for text in written])) == needed
