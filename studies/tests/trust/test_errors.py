"""Planted errors: as many as asked for, real, and of their kind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustnmf_studies.trust.errors import (
    DECIMAL,
    DIGITS,
    INCHES,
    KINDS,
    NEIGHBOUR,
    OTHER_ROW,
    PILE,
    RATES,
    SIGN,
    STUCK,
    ZERO,
    plant,
    plantable,
    swapped,
)
from robustnmf_studies.trust.scales import robust_sd
from robustnmf_studies.trust.tables import RealTable, load_table


def a_table(seed=0, n=60):
    rng = np.random.default_rng(seed)
    values = np.column_stack(
        [
            np.round(rng.normal(0, 20, n), 1),
            np.round(rng.lognormal(4, 1, n), 2),
            rng.integers(100, 999, n).astype(float),
            (rng.random(n) < 0.5).astype(float),
        ]
    )
    values[3, 1] = np.nan
    return RealTable("t", "made up", values, list("abcd"), [1, 2, 0, 0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rate", RATES)
def test_errors_are_real_and_as_many_as_asked_for(kind, rate):
    table = a_table()
    before = table.values.copy()
    dirty, mask = plant(table, kind, rate, np.random.default_rng(1))
    assert np.array_equal(table.values, before, equal_nan=True)
    assert np.array_equal(dirty[~mask], table.values[~mask], equal_nan=True)
    assert (dirty[mask] != table.values[mask]).all()
    assert np.isfinite(dirty[mask]).all()
    wanted = round(rate * np.isfinite(table.values).sum())
    # A run cannot be cut short.
    assert wanted <= mask.sum() <= wanted + (7 if kind == STUCK else 0)
    # A flag has no wrong values, only other ones.
    assert not mask[:, 3].any()
    for j, decimals in enumerate(table.decimals):
        assert np.allclose(np.round(dirty[:, j], decimals), dirty[:, j], equal_nan=True)


@pytest.mark.parametrize("kind", KINDS)
def test_the_seed_decides(kind):
    a, b, c = (plant(a_table(), kind, 0.08, np.random.default_rng(seed))[0] for seed in (5, 5, 6))
    assert np.array_equal(a, b, equal_nan=True)
    assert not np.array_equal(a, c, equal_nan=True)


def spoiled(kind, rate=0.08):
    table = a_table(n=200)
    dirty, mask = plant(table, kind, rate, np.random.default_rng(2))
    return table.values, dirty, mask


def test_a_pile_is_beyond_the_column():
    _, dirty, mask = spoiled(PILE)
    assert set(dirty[mask]) == {9999.0}
    large = RealTable("t", "", 1000 * a_table().values[:, 1:3], ["a", "b"], [0, 0])
    dirty, mask = plant(large, PILE, 0.05, np.random.default_rng(0))
    for j in range(2):
        assert (dirty[mask[:, j], j] > np.nanmax(large.values[:, j])).all()
    assert all(set(str(int(value))) == {"9"} for value in dirty[mask])


def test_signs_slip_and_zeros_are_zero():
    truth, dirty, mask = spoiled(SIGN)
    assert np.array_equal(dirty[mask], -truth[mask])
    truth, dirty, mask = spoiled(ZERO)
    assert not dirty[mask].any()


def test_points_move():
    truth, dirty, mask = spoiled(DECIMAL)
    ratio = dirty[mask] / truth[mask]
    near = np.abs(np.log10(np.abs(ratio[:, None])) - [1, -1, 2]).min(axis=1)
    # A small number written with few decimals may lose digits.
    assert np.median(near) < 0.01


def test_units_are_confused():
    truth, dirty, mask = spoiled(INCHES)
    ratio = np.abs(dirty[mask] / truth[mask])
    near = np.minimum(np.abs(ratio - 2.54), np.abs(ratio - 1 / 2.54))
    assert np.median(near) < 0.01


def test_values_of_other_rows_are_of_the_column():
    truth, dirty, mask = spoiled(OTHER_ROW)
    for i, j in np.argwhere(mask):
        assert dirty[i, j] in truth[:, j]


def test_values_of_the_neighbour_are_beside_it():
    truth, dirty, mask = spoiled(NEIGHBOUR)
    for i, j in np.argwhere(mask):
        beside = [k for k in (j - 1, j + 1) if 0 <= k < truth.shape[1]]
        assert np.nanmin(np.abs(dirty[i, j] - truth[i, beside])) <= 0.5


def test_a_stuck_sensor_repeats_the_value_before():
    truth, dirty, mask = spoiled(STUCK)
    for j in range(truth.shape[1]):
        rows = np.flatnonzero(mask[:, j])
        for run in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1):
            if len(run):
                assert 4 <= len(run) <= 8
                assert (dirty[run, j] == truth[run[0] - 1, j]).all()


@given(st.integers(0, 10**6), st.integers(0, 3), st.integers(0, 10**6))
def test_swapped_digits_are_the_same_digits(whole, decimals, seed):
    value = whole / 10**decimals
    new = swapped(value, decimals, np.random.default_rng(seed))
    text = f"{value:.{decimals}f}"
    if new is None:
        assert len(set(text.replace(".", ""))) == 1
        return
    found = f"{new:.{decimals}f}"
    wide = max(len(text), len(found))
    text, found = text.zfill(wide), found.zfill(wide)
    assert sorted(text) == sorted(found)
    differ = [i for i in range(wide) if text[i] != found[i]]
    assert len(differ) == 2
    assert set(text[differ[0] + 1 : differ[1]]) <= {"."}


def test_a_sign_survives_a_swap():
    assert swapped(-12.0, 0, np.random.default_rng(0)) == -21


@pytest.mark.parametrize("kind", KINDS)
def test_tables_of_zeros_and_flags_cannot_be_spoiled_everywhere(kind):
    flags = RealTable("t", "", np.eye(30)[:, :4].copy(), list("abcd"), [0] * 4)
    assert plantable(flags) == []
    assert not plant(flags, kind, 0.1, np.random.default_rng(0))[1].any()


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="kind='typo'"):
        plant(a_table(), "typo", 0.1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="rate=3"):
        plant(a_table(), PILE, 3, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("values", "spread"),
    [([5.0] * 9, 1.0), ([0.0] * 6 + [1, 2, 3], 2 / 1.349 / 2), ([0.0] * 9 + [10.0], 3.0), ([], 1)],
)
def test_robust_sd_is_never_zero(values, spread):
    assert robust_sd(np.array(values, dtype=float)) == pytest.approx(spread, rel=0.51)
    assert robust_sd(np.array(values, dtype=float)) > 0


@pytest.mark.parametrize("kind", [DIGITS, STUCK])
def test_real_tables_take_them(kind):
    table = load_table("hill_races")
    assert plant(table, kind, 0.03, np.random.default_rng(0))[1].sum() >= 4
