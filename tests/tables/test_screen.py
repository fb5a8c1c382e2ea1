import numpy as np
import pytest

from conftest import low_rank
from robustnmf._tables.screen import SCREEN, Screen


def screen_of(data):
    sizes = np.array([np.median(column[column > 0]) for column in data.T])
    return Screen.of(sizes, data)


@pytest.fixture
def rows():
    return low_rank(200, 12, 2) * np.random.default_rng(0).normal(1, 0.05, (200, 12))


def test_giants_are_found_and_nothing_else(rows):
    screen = screen_of(rows)
    assert not screen.giants(rows).any()
    cells = [(3, 4), (100, 0), (199, 11)]
    limit = np.exp(screen.limit)
    for cell in cells:
        rows[cell] *= 10 * limit
    assert np.argwhere(screen.giants(rows)).tolist() == [list(cell) for cell in cells]


def test_the_unit_of_a_column_does_not_matter(rows):
    rows[5, 6] *= 1e4
    units = 10.0 ** np.arange(12)
    np.testing.assert_array_equal(
        screen_of(rows).giants(rows), screen_of(rows * units).giants(rows * units)
    )


def test_a_large_row_is_no_giant(rows):
    screen = screen_of(rows)
    rows[7] *= 1000
    assert not screen.giants(rows)[7].any()


def test_half_of_a_row_may_be_wrong(rows):
    screen = screen_of(rows)
    rows[7, :5] *= 1e5
    assert screen.giants(rows)[7].tolist() == [True] * 5 + [False] * 7


def test_rows_that_vary_much_need_more(rows):
    calm = screen_of(rows)
    wild = screen_of(rows * np.random.default_rng(1).lognormal(0, 2, rows.shape))
    assert calm.limit < wild.limit
    assert calm.limit >= np.log(SCREEN.least_factor)


def test_zeros_and_gaps_are_no_giants():
    data = np.array([[0.0, 0, 0, 0], [np.nan] * 4, [1, np.nan, 0, 2], [1, 1, 1, 1]])
    screen = Screen.of(np.ones(4), data)
    assert not screen.giants(data).any()
    # The only number of its row has nothing to be compared with.
    assert not screen.giants(np.array([[0, 0, 1e9, np.nan]])).any()
