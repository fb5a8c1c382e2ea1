"""What it is worth to replace a cell."""

import numpy as np
import pytest

from robustnmf._tables.judging.gains import GAIN, Moves


def test_moves_are_counted_in_spreads_and_bounded():
    moves = Moves.of(
        np.array([3.0, 1e9, np.nan]), np.array([1.0, 0, 0]), np.array([1.0, 1, 1]), np.full(3, 2.0)
    )
    np.testing.assert_array_equal(moves.moved, [1, GAIN.farthest, np.nan])
    np.testing.assert_allclose(moves.error, GAIN.usual_error / 2)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_the_gain_is_what_many_draws_give(p):
    """Of many cells that look alike, some are wrong and mended, the others are spoiled."""
    rng = np.random.default_rng(0)
    moved, error, n = 4.0, 0.5, 40_000
    wrong = rng.random(n) < p
    gains = np.where(wrong, moved - error, -moved)
    moves = Moves(np.array([moved]), np.array([error]))
    gain, deviation = moves.total(np.array([p]))
    assert gain == pytest.approx(gains.mean(), abs=0.06)
    assert deviation == pytest.approx(gains.std(), abs=0.06)
    assert gain == pytest.approx(moves.gain(np.array([p]))[0])


def test_nothing_is_certain():
    moves = Moves(np.array([4.0]), np.array([0.5]))
    assert moves.gain(np.ones(1)) == moves.gain(np.array([GAIN.surest]))
