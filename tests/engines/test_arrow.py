"""Tables of Arrow and Parquet files as data: the same answers as from arrays, and names."""

import decimal
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from robustnmf import RobustNMF
from robustnmf._engines import sources
from robustnmf._engines.arrow import ArrowTable
from robustnmf._engines.sources import source_of

NAMES = [f"f{j}" for j in range(30)]


def data():
    rng = np.random.default_rng(0)
    clean = rng.exponential(size=(400, 3)) @ rng.exponential(size=(3, len(NAMES)))
    X = np.where(rng.random(clean.shape) < 0.05, clean + 20, clean)
    X[5, 3] = X[200, 7] = np.nan
    return X


def table_of(X):
    columns = [pa.array(column, from_pandas=True) for column in X.T]
    return pa.table(columns, names=NAMES[: len(columns)])


def put(kind, table, folder):
    if kind == "table":
        # Of several chunks, as tables are that were read or joined.
        return pa.concat_tables([table.slice(0, 90), table.slice(90)])
    if kind == "file":
        pq.write_table(table, folder / "x.parquet", row_group_size=70)
        return pq.ParquetFile(folder / "x.parquet")
    for i, first in enumerate(range(0, table.num_rows, 150)):
        pq.write_table(table.slice(first, 150), folder / f"{i}.parquet")
    return ds.dataset(folder)


@pytest.fixture(params=["table", "file", "dataset"])
def stored(request, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "READ_BYTES", 37 * 8 * len(NAMES))
    return lambda X: put(request.param, table_of(X), tmp_path)


@pytest.fixture(scope="module")
def in_memory():
    return RobustNMF(3, random_state=0).fit(data())


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_all_rows_come_in_order_as_often_as_one_asks(stored, dtype):
    X = data().astype(dtype)
    rows = source_of(stored(X))
    assert (rows.shape, rows.dtype) == (X.shape, X.dtype)
    for _ in range(2):
        pieces = list(rows.pieces())
        assert max(map(len, pieces)) <= 2 * 37
        assert_array_equal(np.concatenate(pieces), X)


def test_every_method_says_what_it_says_of_arrays(stored, in_memory):
    X = data()
    there = stored(X)
    model = RobustNMF(3, random_state=0).fit(there)
    assert_allclose(model.components_, in_memory.components_, rtol=1e-10)
    assert list(model.feature_names_in_) == NAMES
    assert_allclose(model.transform(there), in_memory.transform(X), rtol=1e-10)
    assert_array_equal(model.detect(there), in_memory.detect(X))
    assert_allclose(model.denoise(there), in_memory.denoise(X), rtol=1e-10)
    assert_allclose(model.estimate_noise(there).toarray(), in_memory.estimate_noise(X).toarray())
    found, expected = model.decompose(there), in_memory.decompose(X)
    assert_allclose(found.restored, expected.restored, rtol=1e-10)
    assert model.score(there) == pytest.approx(in_memory.score(X), rel=1e-10)
    W = RobustNMF(3, random_state=0).fit_transform(there)
    assert_allclose(W, in_memory.transform(X), rtol=1e-6, atol=1e-9)


def test_probabilities(stored):
    X = data()
    with warnings.catch_warnings(action="ignore"):
        model = RobustNMF(3, lam="auto", random_state=0).fit(stored(X))
        whole = RobustNMF(3, lam="auto", random_state=0).fit(X)
    assert_allclose(model.noise_probability(stored(X)), whole.noise_probability(X), atol=1e-8)


def test_columns_are_found_wrong_by_their_names(stored, in_memory):
    model = RobustNMF(3, random_state=0).fit(stored(data()))
    renamed = table_of(data()).rename_columns([*NAMES[:-1], "other"])
    with pytest.raises(ValueError, match=r"feature names should match(.|\n)*other"):
        model.transform(renamed)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.transform(data())


def test_whole_numbers_with_gaps_and_other_kinds_of_numbers():
    columns = {
        "whole": pa.array([1, None, 3], pa.int16()),
        "flag": pa.array([True, None, False]),
        "price": pa.array([decimal.Decimal("1.25"), None, decimal.Decimal("2.5")]),
        "half": pa.array(np.array([0.5, 1, 2], np.float16)),
    }
    table = pa.table(columns)
    rows = source_of(table)
    expected = np.array([[1, 1, 1.25, 0.5], [np.nan, np.nan, np.nan, 1], [3, 0, 2.5, 2]])
    assert_array_equal(next(rows.pieces()), expected)
    # Whole numbers alone stay what they are where none is missing.
    assert source_of(table.select(["whole"])).dtype == np.int16
    assert next(source_of(table.select(["whole"])).pieces()).dtype == np.float64
    batch = table.to_batches()[0]
    assert_array_equal(next(source_of(batch).pieces()), expected)


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pa.array(["a", "b"]), "string"),
        (pa.array([1, 2], pa.timestamp("s")), "timestamp"),
        (pa.array([[1], [2]]), "list"),
        (pa.array([None, None]), "null"),
        (pa.array(["a", "b"]).dictionary_encode(), "dictionary"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_column_of_something_else_is_named_before_anything_is_read(column, kind):
    table = pa.table({"size": [1.0, 2.0], "shop": column})
    message = rf"X: column 'shop' holds {kind}.*, not numbers; leave it out, .* Table.select"
    with pytest.raises(TypeError, match=message):
        RobustNMF(1).fit(table)


def test_the_ways_to_leave_a_column_out_that_the_error_names(tmp_path):
    X = data()
    table = table_of(X).append_column("shop", pa.array(["a"] * len(X)))
    pq.write_table(table, tmp_path / "x.parquet")
    dataset = ds.dataset(tmp_path)
    numbers = dataset.replace_schema(dataset.schema.remove(len(NAMES)))
    for left in (table.select(NAMES), numbers):
        assert_array_equal(np.concatenate(list(source_of(left).pieces())), X)


def test_what_can_be_read_only_once_is_refused():
    table = table_of(data())
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    with pytest.raises(TypeError, match="X is a RecordBatchReader, which can be read only once"):
        RobustNMF(3).fit(reader)


def test_nothing_in_it():
    with pytest.raises(ValueError, match=r"at least one row and one column; got \(0, 1\)"):
        RobustNMF(1).fit(pa.table({"a": pa.array([], pa.float64())}))
    with pytest.raises(ValueError, match="at least one row and one column"):
        RobustNMF(1).fit(pa.table({}))


CELLS = st.one_of(st.none(), st.integers(0, 2**40), st.floats(0, 1e12))


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=9), st.integers(1, 4))
def test_any_cells_are_what_python_says_they_are(cells, n_rows):
    columns = [
        pa.array([None if x is None else kind(x) for x in column])
        for kind, column in zip((int, float), zip(*cells, strict=True), strict=True)
    ]
    if any(column.type == pa.null() for column in columns):
        return
    table = ArrowTable.of(pa.table(columns, names=["a", "b"]))
    found = np.concatenate(list(table.read(n_rows)))
    expected = [column.cast(pa.float64()).to_pylist() for column in columns]
    assert_array_equal(found.T, np.array(expected, dtype=float))
