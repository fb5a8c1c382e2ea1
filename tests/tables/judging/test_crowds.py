"""Rows with more odd cells than mistakes would bring together."""

import numpy as np
import pytest
from scipy import stats

from robustnmf._tables.judging import crowds
from robustnmf._tables.judging.crowds import by_chance


@pytest.mark.parametrize("rate", [0.01, 0.03, 0.1])
def test_mistakes_that_fall_anywhere_are_believed(rate):
    counts = np.random.default_rng(0).binomial(12, rate, 500)
    share = by_chance(counts, np.full(500, 12))
    often = [k for k in range(13) if (counts >= k).sum() >= 5]
    assert (share[often] > 0.6).all()


def test_rows_that_are_odd_as_a_whole_are_not():
    counts = np.random.default_rng(0).binomial(12, 0.02, 500)
    counts[:20] = 6
    share = by_chance(counts, np.full(500, 12))
    assert share[1] == 1
    assert share[6] < 0.01
    assert (np.diff(share) <= 0).all()


def test_missing_cells_and_no_cells():
    assert by_chance(np.zeros(5, int), np.full(5, 3)).tolist() == [1] * 4
    assert by_chance(np.zeros(0, int), np.zeros(0, int)).tolist() == [1]
    share = by_chance(np.array([0, 1, 2, 3]), np.array([1, 1, 4, 3]))
    assert len(share) == 5
    assert np.isfinite(share).all()
    # Not one row without odd cells.
    assert np.isfinite(by_chance(np.full(9, 2), np.full(9, 4))).all()


def test_rows_of_unequal_length_are_expected_to_be_odd_as_the_binomial_law_has_it():
    rng = np.random.default_rng(0)
    cells = rng.integers(1, 9, 400)
    counts = rng.binomial(cells, 0.1)
    rate, odd = crowds._rate(counts, cells), [1.0, 1.0]
    for k in range(2, 9):
        expected = sum(stats.binom.sf(k - 1, n, rate) for n in cells)
        seen = (counts >= k).sum()
        odd.append(min(odd[-1], expected / (max(expected, seen) + crowds.ODD_ROWS)))
    assert by_chance(counts, cells) == pytest.approx(odd, rel=1e-9)
