"""Piles and hanging sensors, and what only looks like them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from robustnmf._tables.judging import repeats
from robustnmf._tables.judging.repeats import (
    REPEAT,
    Common,
    begin_together,
    hanging,
    piles,
    run_lengths,
    usual_ties,
)

RNG = np.random.default_rng(0)


def no_matter(n):
    return lambda value: np.zeros(n)


def measured(n=200):
    return RNG.normal(10, 2, n).round(3)


def test_a_code_for_unknown_is_a_pile():
    x = measured()
    x[[3, 50, 99, 180]] = 9999
    np.testing.assert_array_equal(piles(x, x > 100, no_matter(200)), [9999])


def test_two_piles_and_missing_cells():
    x = measured()
    x[[3, 50, 99]], x[[4, 51, 100]], x[7:20] = 9999, -1, np.nan
    np.testing.assert_array_equal(
        piles(x, (x > 100) | (x < 0), no_matter(200)),
        [-1, 9999],
    )


def test_two_of_a_kind_are_no_pile():
    x = measured()
    x[[3, 50]] = 9999
    assert len(piles(x, x > 100, no_matter(200))) == 0


def test_what_mostly_fits_is_no_pile():
    x = measured()
    x[:20] = 12
    unfit = np.arange(200) < 10
    assert len(piles(x, unfit, no_matter(200))) == 0


def test_what_many_cells_hold_is_what_the_column_is_like():
    x = measured()
    x[: int(REPEAT.most_piled * 200) + 1] = 0
    assert len(piles(x, x == 0, no_matter(200))) == 0


def test_a_value_that_is_expected_where_it_stands_was_measured():
    """Days without rain have 0, and their neighbours say so."""
    x = measured()
    x[:20] = 0
    expected = np.where(np.arange(200) < 20, 1.0, 10.0)
    assert len(piles(x, x == 0, lambda value: abs(expected - value))) == 0
    anywhere = RNG.permutation(expected)
    np.testing.assert_array_equal(piles(x, x == 0, lambda value: abs(anywhere - value)), [0])


def test_a_value_that_others_lead_up_to_was_measured():
    """No sales at all, beside days with one or two; but a height of 0 lies apart."""
    x = np.concatenate([np.zeros(8), np.arange(1, 193)])
    assert len(piles(x, x == 0, no_matter(200))) == 0
    x = np.concatenate([np.zeros(8), np.arange(151, 343)])
    np.testing.assert_array_equal(piles(x, x == 0, no_matter(200)), [0])


def test_a_value_among_others_is_a_pile_if_it_is_far_oftener_there():
    x = measured()
    x[:8] = 12
    np.testing.assert_array_equal(piles(x, np.arange(200) < 8, no_matter(200)), [12])
    # Where all values are there several times, it is one of them.
    x = np.repeat(np.arange(40.0), 5)
    assert len(piles(x, x == 30, no_matter(200))) == 0


def test_runs_that_begin_together_are_written_down_so():
    rng = np.random.default_rng(0)
    years = np.repeat(rng.normal(size=(10, 3)), 6, axis=0)
    X = np.hstack([years, rng.normal(size=(60, 2))])
    X[20:26, 3] = X[20, 3]
    assert begin_together(X).tolist() == [True, True, True, False, False]


def test_sensors_that_hang_begin_anywhere():
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(50):
        X = rng.normal(size=(400, 10))
        for j in range(10):
            # About 8 % of the cells.
            for start in rng.integers(0, 390, 5):
                X[start : start + rng.integers(5, 9), j] = X[start, j]
        found += begin_together(X).sum()
    assert found < 0.03 * 500


def test_one_run_that_happens_to_begin_with_another():
    X = np.random.default_rng(0).normal(size=(100, 3))
    X[10:16, :2] = X[10, :2]
    assert not begin_together(X).any()


@given(st.lists(st.sampled_from([1.0, 2.0, np.nan]), min_size=1, max_size=30))
def test_run_lengths(values):
    expected = []
    for i, x in enumerate(values):
        low = high = i
        while low > 0 and values[low - 1] == x:
            low -= 1
        while high + 1 < len(values) and values[high + 1] == x:
            high += 1
        expected.append(high - low + 1)
    assert run_lengths(np.array(values)).tolist() == expected


def hangs(x):
    return hanging(x, usual_ties(x), Common.of(x), len(x))


def test_a_sensor_that_hangs_measured_only_once():
    x = measured()
    x[60:70] = x[60]
    assert np.flatnonzero(hangs(x)).tolist() == list(range(61, 70))


def test_the_first_and_the_last_row_may_hang():
    x = measured()
    x[:8], x[-8:] = x[0], x[-1]
    assert np.flatnonzero(hangs(x)).tolist() == [*range(1, 8), *range(193, 200)]


def test_short_runs_happen():
    x = measured()
    x[60 : 60 + REPEAT.shortest_run - 1] = x[60]
    assert not hangs(x).any()


@pytest.mark.parametrize(
    "x",
    [
        RNG.integers(0, 2, 300).astype(float),
        RNG.integers(0, 4, 300).astype(float),
        RNG.normal(0, 1, 300).round(0),
        # Sorted by a coarse column, or by itself.
        np.sort(RNG.integers(0, 20, 300)).astype(float),
        np.sort(RNG.normal(size=300).round(1)),
        # It does not rain for weeks.
        np.where(np.arange(300) // 30 % 2, 0, RNG.exponential(size=300)),
        np.full(300, 5.0),
    ],
    ids=["coins", "dice", "rounded", "sorted steps", "sorted", "rain", "constant"],
)
def test_columns_that_have_runs_by_nature(x):
    assert not hangs(x).any()


def test_a_common_value_makes_runs_by_chance():
    x = np.where(np.random.default_rng(1).random(400) < 0.25, 0.0, measured(400))
    assert run_lengths(x).max() >= 4
    assert not hangs(x).any()


def test_missing_cells_do_not_hang():
    x = measured()
    x[60:80] = np.nan
    assert not hangs(x).any()
    assert usual_ties(np.full(10, np.nan)) == 1


def test_false_alarms_are_rare():
    """Rounded so that one cell in twenty equals the one above."""
    rng = np.random.default_rng(1)
    found = [hangs(rng.integers(0, 20, 300).astype(float)).any() for _ in range(200)]
    assert np.mean(found) <= 0.03


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1))
def test_expected_there_is_told_by_ranks(rows):
    distance, there = (np.array(column) for column in zip(*rows, strict=True))
    known = np.ones(len(there), dtype=bool)
    ranks, a = stats.rankdata(distance), int(there.sum())
    b = len(there) - a
    if not a:
        return
    nearer = 1 - (ranks[there].sum() - a * (a + 1) / 2) / (a * b) if b else 1.0
    expected = nearer > REPEAT.expected_there
    assert repeats._expected_there(distance.astype(float), there, known) == expected
