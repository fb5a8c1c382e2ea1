"""Slips are undone, and nothing is that was no slip."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from robustnmf._tables.judging.scales import Scale
from robustnmf._tables.judging.slips import DIGITS, MOVES, POINT, SIGN, SLIPS, undo

PLAIN = Scale("identity", 0.0, 1.0)


def close_to(target, scale=PLAIN, width=0.01):
    """The log density of clean values that lie about a target."""
    middle = scale.forth(np.asarray(target, dtype=float))
    return lambda z: -(((z - middle) / width) ** 2) / 2 - np.log(width)


def meant(slip, typed, target, scale=None, decimals=None):
    typed = np.atleast_1d(np.asarray(typed, dtype=float))
    # About the target, since a scale does not tell apart what is far out.
    scale = scale or Scale("identity", float(np.mean(target)), 10.0 ** -(decimals or 0))
    return undo(slip, typed, scale, decimals, close_to(target, scale))


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("kind", ["identity", "root", "log"])
def test_a_point_is_put_back(move, kind):
    scale = Scale(kind, 0.0, 1.0)
    found = meant(POINT, 3.25 * 10.0**move, 3.25, scale)
    assert found.value[0] == pytest.approx(3.25)
    assert np.isfinite(found.log_density[0])


@pytest.mark.parametrize("kind", ["identity", "root", "log"])
def test_a_sign_is_turned_back(kind):
    """A logarithm knows no negative numbers, but what was meant it knows."""
    scale = Scale(kind, 1.0, 0.5)
    found = meant(SIGN, -7.5, 7.5, scale)
    assert found.value[0] == 7.5
    # As likely as the value that was meant: nothing is lost by the turn.
    assert found.log_density[0] == pytest.approx(close_to(7.5, scale)(scale.forth(np.array(7.5))))


def test_a_sign_is_turned_back_to_minus_only_where_there_is_one():
    assert meant(SIGN, 7.5, -7.5).value[0] == -7.5
    assert meant(SIGN, 7.5, 1.0, Scale("log", 0.0, 1.0)).log_density[0] == -np.inf


@pytest.mark.parametrize(
    ("typed", "true", "decimals"),
    [
        (5713, 5173, 0),
        (21, 12, 0),
        (-21, -12, 0),
        (1.05, 1.50, 2),
        (0.91, 0.19, 2),
        (-3.4, -4.3, 1),
        (8123, 1823, None),
        (110, 101, 0),
        # A zero stands before and behind a point.
        (0.19, 1.09, 2),
        (1.09, 0.19, 2),
        (0.05, 0.50, 2),
        (0.5, 0.05, 2),
        (5.4, 4.5, 1),
    ],
)
def test_digits_are_swapped_back(typed, true, decimals):
    found = meant(DIGITS, typed, true, decimals=decimals)
    assert found.value[0] == pytest.approx(true)
    assert np.isfinite(found.log_density[0])


@given(st.integers(10, 10**9), st.integers(0, 8), st.integers(0, 4), st.booleans())
def test_any_two_digits_can_be_swapped_back(number, at, decimals, negative):
    digits = str(number)
    assume(at + 1 < len(digits))
    swapped = digits[:at] + digits[at + 1] + digits[at] + digits[at + 2 :]
    # No number begins with a zero, but for one before a point.
    assume(swapped != digits)
    assume(swapped[0] != "0" or len(digits) == decimals + 1)
    sign = -1 if negative else 1
    true, typed = (sign * int(x) / 10**decimals for x in (digits, swapped))
    found = meant(DIGITS, typed, true, decimals=decimals)
    assert found.value[0] == pytest.approx(true, abs=0.1 / 10**decimals)


@pytest.mark.parametrize("slip", SLIPS)
def test_what_fits_already_is_no_slip(slip):
    """A value is never explained by itself."""
    found = meant(slip, [0.0, 5.0, 33.0], [0.0, 5.0, 33.0], decimals=0)
    assert (found.value != [0.0, 5.0, 33.0]).all()
    assert (found.log_density < -100).all()


@pytest.mark.parametrize(
    ("typed", "decimals"),
    [(0.0, 0), (7.0, 0), (70.0, 0), (1.5, None), (1e17, 0), (np.inf, 0), (0.1, 17), (0.1, 300)],
)
def test_numbers_without_digits_to_swap(typed, decimals):
    """One digit, a zero in front, a fraction of any length, more digits than a number holds."""
    found = meant(DIGITS, typed, 1.0, decimals=decimals)
    assert found.log_density[0] == -np.inf


def test_what_was_multiplied_by_ten_ends_in_a_zero():
    assert np.isfinite(meant(POINT, 120.0, 12.0, decimals=0).log_density[0])
    assert meant(POINT, 123.0, 12.3, decimals=0).log_density[0] < -100
    assert np.isfinite(meant(POINT, 123.0, 12.3, decimals=1).log_density[0])


def test_a_lost_end_is_made_up_for():
    """A tenth of 123 is written 12 where nothing stands after the point."""
    assert meant(POINT, 12.0, 120.0, decimals=0).value[0] == 120


def test_nothing_moves_the_point_of_zero():
    assert meant(POINT, 0.0, 1.0).log_density[0] == -np.inf
    assert meant(SIGN, 0.0, 1.0).log_density[0] == -np.inf


def test_densities_over_what_stands_there_add_up():
    """Where v is clean and typed is 10 v, typed is spread ten times as wide."""
    typed = np.linspace(-40, 60, 200_001)
    width = 0.4
    moved = undo(POINT, typed, PLAIN, None, close_to(1.0, width=width))
    total = np.exp(moved.log_density).sum() * (typed[1] - typed[0]) / np.sqrt(2 * np.pi)
    inside = {move: stats.norm(10.0**move, width * 10.0**move).cdf([-40, 60]) for move in MOVES}
    expected = sum(p * np.diff(inside[move])[0] for move, p in MOVES.items())
    assert total == pytest.approx(expected, rel=0.01)


def test_the_largest_numbers():
    for slip in SLIPS:
        found = meant(slip, [1.7e308, -1.7e308], 1.0, decimals=2)
        assert (found.log_density < 0).all()
        assert not np.isinf(found.value).any()


def test_columns_of_no_cells():
    assert all(len(meant(slip, np.empty(0), 1.0).value) == 0 for slip in SLIPS)
