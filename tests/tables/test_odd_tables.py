"""Tables that nobody thought of: no crash, no warning, no harm."""

import warnings

import numpy as np
import pytest

from sheets import judged, mended, related

BASE = related(80, 6)


def harmless(X, **kwargs):
    """Judge a table without errors: next to nothing is replaced, nothing comes out that is none."""
    done = judged(X, **kwargs)
    new = mended(done)
    known = ~np.isnan(np.asarray(X, dtype=float))
    np.testing.assert_array_equal(np.isfinite(new) | ~known, True)
    assert (new != X)[known].mean() <= 0.005
    return done


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-30, 1e30, 1e200, 1e300])
def test_sizes(size):
    """The same table in another unit: the same answer."""
    X = BASE.copy()
    X[5, 2] *= 10
    one, other = judged(X), judged(X * size)
    assert [(c.row, c.column) for c in other.cells] == [(c.row, c.column) for c in one.cells]
    np.testing.assert_allclose(mended(other) / size, mended(one), rtol=1e-6)
    assert one.n_flagged == 1


def test_units_that_have_nothing_in_common():
    harmless(BASE * np.array([1e-300, 1e300, 1, 1e-9, 1e9, 1]))


@pytest.mark.parametrize("value", [1e300, -1e300, 1.7e308, 5e-324, 0.0])
def test_one_cell_at_the_end_of_the_numbers(value):
    X = BASE.copy()
    X[3, 2] = value
    done = judged(X)
    assert [(c.row, c.column, c.replaced) for c in done.cells] == [(3, 2, True)]
    assert mended(done)[3, 2] == pytest.approx(BASE[3, 2], rel=0.3)


@pytest.mark.parametrize(
    "X",
    [
        np.hstack([BASE, BASE]),
        np.repeat(BASE[:, :1], 6, axis=1),
        np.hstack([BASE, BASE.sum(axis=1, keepdims=True)]),
        np.hstack([BASE, -BASE]),
    ],
    ids=["twice", "one", "sum", "mirrored"],
)
def test_columns_that_say_the_same(X):
    assert harmless(X).diagnosis.trusted


def test_rows_that_are_the_same():
    """They are odd as a whole, so they are told, and left."""
    X = BASE.copy()
    X[10:20] = X[10]
    assert judged(X).n_replaced == 0
    X[10:20] = 5
    assert judged(X).n_replaced == 0


@pytest.mark.parametrize(
    "X",
    [
        BASE.astype(np.float32),
        BASE.astype(np.float16),
        (BASE * 100).astype(np.int32),
        (BASE * 2**53).astype(np.int64),
        (BASE * 2**54).astype(np.uint64),
    ],
    ids=["float32", "float16", "int32", "int64", "uint64"],
)
def test_kinds_of_numbers(X):
    assert harmless(X).diagnosis.trusted


def test_yes_and_no_as_booleans():
    assert judged(np.median(BASE) < BASE).n_flagged == 0


@pytest.mark.parametrize("n", [2, 3, 4, 5, 7, 11, 12, 13, 20, 29])
def test_fewer_rows_than_folds_than_the_halo_and_than_values_that_tell(n):
    assert not harmless(BASE[:n]).diagnosis.trusted


def test_one_column_to_judge():
    rng = np.random.default_rng(0)
    X = np.stack(
        [BASE[:, 0], rng.integers(0, 2, 80), np.full(80, 7.0), np.arange(80), BASE[:, 0] > 2],
        axis=1,
    )
    done = harmless(X)
    assert done.kinds[0] == "measured"
    assert done.diagnosis.verdict == "no structure"


@pytest.mark.parametrize("share", [0.1, 0.5, 0.85])
def test_gaps(share):
    X = np.where(np.random.default_rng(0).random(BASE.shape) < share, np.nan, BASE)
    X[:2] = BASE[:2]
    done = harmless(X)
    measured = [kind == "measured" for kind in done.kinds]
    rows = ~np.isnan(X[:, measured]).all(axis=1)
    filled = np.isfinite(mended(done)[:, measured])
    assert filled[rows].all()
    assert not filled[~rows].any()


@pytest.mark.parametrize("known", [5, 12, 15])
def test_a_column_with_few_values(known):
    X = BASE.copy()
    X[known:, 2] = np.nan
    done = harmless(X)
    # Of so few values nothing is told, so nothing is filled.
    assert done.n_filled == (0 if known < 12 else 80 - known)


def test_two_columns_that_are_never_known_together():
    X = BASE.copy()
    X[:40, 2], X[40:, 3] = np.nan, np.nan
    assert harmless(X).n_filled == 80


@pytest.mark.parametrize("step", [2, 5])
def test_rows_without_a_number_in_every_fold(step):
    X = BASE.copy()
    X[::step] = np.nan
    done = harmless(X)
    assert done.n_filled == 0
    assert np.isnan(mended(done)[::step]).all()


@pytest.mark.parametrize("offset", [-10, 1e6, 1e12])
def test_far_from_zero(offset):
    harmless(BASE + offset)


def test_all_is_negative():
    X = -BASE
    X[5, 2] *= 10
    done = judged(X)
    assert [(c.row, c.column) for c in done.cells if c.replaced] == [(5, 2)]
    assert harmless(-BASE).diagnosis.trusted


REPORTED = {
    "two by two": np.array([[1.0, 2], [3, 400]]),
    "yes and no": (BASE > 5).astype(float),
    "one value": np.full((20, 4), 5.0),
    "zeros": np.zeros((20, 3)),
    "negative": -BASE,
    "huge": BASE * 1e300,
    "huge in single precision": (BASE * 1e30).astype(np.float32),
    "tiny": BASE * 1e-300,
}


@pytest.mark.parametrize("name", REPORTED)
def test_reports(name):
    """A report shows the parts, whatever the table is."""
    done = judged(REPORTED[name])
    done.table.file = "odd.csv"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        page = done.report()
    assert "What was wrong with odd.csv" in page
    assert done.diagnosis.verdict in page
    assert np.isfinite(done.learned_parts().components).all()


def test_more_columns_than_rows():
    done = harmless(related(20, 60))
    assert done.diagnosis.verdict == "doubtful"


def test_one_value_that_is_none_of_the_codes_is_shown():
    X = np.full((60, 4), 5.0)
    X[9, 2] = 500
    done = judged(X)
    assert [(c.row, c.column, c.expected, c.replaced) for c in done.cells] == [(9, 2, 5, False)]
    np.testing.assert_array_equal(mended(done), X)
