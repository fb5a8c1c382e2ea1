"""What is done about a cell: flagged, replaced, filled, or left."""

import numpy as np
import pytest

from robustnmf._tables.judging import REASONS, Judgement, beyond_doubt, decide, learn_table
from robustnmf._tables.judging.decide import DECISION
from sheets import related


def decided(X, decimals=None, cautious=False, of=None):
    names = [f"c{j}" for j in range(X.shape[1])]
    decimals = decimals or [None] * X.shape[1]
    learned = learn_table(X if of is None else of, names, decimals, lambda share: None)
    return learned, decide(learned, X, 0, cautious)


def reasons(found):
    return {
        (int(i), int(j)): REASONS[r] if r >= 0 else None
        for i, j, r in zip(found.rows, found.columns, found.reasons, strict=True)
    }


def cells(found):
    return list(zip(found.rows.tolist(), found.columns.tolist(), strict=True))


def test_slips_are_undone_to_the_letter():
    true = related(300, 8).round(3)
    X = true.copy()
    # Several, since how often a slip happens is learned from the table.
    points = [(5, 2), (15, 3), (25, 4), (35, 5), (45, 7), (55, 2), (65, 3), (75, 4), (85, 0)]
    signs = [(130, 4), (150, 1), (170, 6)]
    X[tuple(zip(*points, strict=True))] *= 10
    X[tuple(zip(*signs, strict=True))] *= -1
    X[280, 0] = np.nan
    _, found = decided(X, [3] * 8)
    told = reasons(found)
    assert [told[cell] for cell in points].count("point") >= 7
    assert [told[cell] for cell in signs] == ["sign"] * 3
    slipped = found.only(np.isin(found.reasons, [REASONS.index("point"), REASONS.index("sign")]))
    np.testing.assert_array_equal(slipped.expected, true[slipped.rows, slipped.columns])
    assert slipped.replaced.all()
    assert slipped.words(0) != slipped.words(len(slipped) - 1)
    # Empty cells are filled.
    gap = found.only(found.missing)
    assert cells(gap) == [(280, 0)]
    assert np.isnan(gap.values[0])
    assert gap.replaced[0]
    assert gap.probability[0] == 0
    assert gap.words(0) == "was missing"


def test_other_errors_have_their_reasons():
    true = related(300, 8).round(3)
    X = true.copy()
    X[[60, 90, 120, 150], 6] = 9999
    X[200:215, 1] = X[200, 1]
    X[250, 3] = (X[250, 3] * 1.234 + 7).round(3)
    _, found = decided(X, [3] * 8)
    told = reasons(found)
    assert {told[i, 6] for i in (60, 90, 120, 150)} == {"pile"}
    assert [told.get((i, 1)) for i in range(201, 215)].count("run") >= 12
    assert told[250, 3] == "odd"
    # The first of a run was measured.
    assert (200, 1) not in told
    # What is expected is written as its column is, and near to what it was.
    np.testing.assert_array_equal(found.expected, found.expected.round(3))
    new = found.only(found.replaced)
    off = abs(new.expected - true[new.rows, new.columns]) / true.std(axis=0)[new.columns]
    assert off.max() < 0.5


def test_only_what_is_predicted_well_is_replaced():
    """A column that has nothing to do with the others: what is odd in it stays."""
    rng = np.random.default_rng(0)
    X = np.hstack([related(300, 5), rng.normal(50, 5, (300, 1))])
    X[10, 5] = 93.3
    X[30, 5] = 93333.3
    X[20, 2] *= 7.7
    learned, found = decided(X)
    assert learned.supported.tolist() == [True] * 5 + [False]
    done = dict(zip(cells(found), found.replaced, strict=True))
    assert done[20, 2]
    assert not done.get((10, 5), False)
    # Unless it is so far out that the middle of the column is nearer to whatever was meant.
    assert done[30, 5]


def test_in_doubt_less_is_replaced():
    rng = np.random.default_rng(0)
    X = related(200, 6, noise=0.15)
    wrong = rng.random(X.shape) < 0.03
    X = np.where(wrong, X * rng.choice([0.4, 2, 5, 77], X.shape), X)
    found, careful = decided(X)[1], decided(X, cautious=True)[1]
    assert found.replaced.sum() > careful.replaced.sum() > 0
    np.testing.assert_array_equal(found.rows, careful.rows)
    assert (careful.probability[careful.replaced] >= DECISION.very_sure).all()
    np.testing.assert_array_equal(beyond_doubt(found).replaced, careful.replaced)


def test_a_row_that_is_odd_as_a_whole_is_not_rewritten():
    clean = related(200, 6)
    X = clean.copy()
    X[10] = X[10, ::-1] * np.array([1, 9, 1, 9, 1, 9])
    _, found = decided(X)
    assert (found.rows == 10).sum() >= 3
    assert not found.replaced[found.rows == 10].any()


def test_rows_can_be_judged_by_what_others_taught():
    clean = related(300, 6)
    learned, _ = decided(clean)
    new = related(300, 6, seed=0)[:7].copy()
    new[3, 3] *= 10
    found = decide(learned, new, 1000, False)
    assert found.rows.tolist() == [1003]
    assert found.columns.tolist() == [3]
    assert found.expected[0] == pytest.approx(clean[3, 3], rel=0.1)


def test_fills_stay_within_what_was_seen():
    X = related(200, 6)
    X[7, 1:] *= 1e4
    X[7, 0] = np.nan
    _, found = decided(X)
    filled = found.expected[(found.rows == 7) & (found.columns == 0)]
    assert np.nanmin(X[:, 0]) <= filled[0] <= np.nanmax(X[:, 0])


def test_a_row_without_any_number_is_left():
    X = related(100, 5)
    X[9] = np.nan
    _, found = decided(X)
    assert 9 not in found.rows


def judgement(values, reasons, probability=0.95):
    n = len(values)
    return Judgement(
        np.arange(n), np.zeros(n, int), np.array(values), np.ones(n), np.ones(n),
        np.full(n, probability), np.array(reasons, np.int8), np.ones(n, bool),
    )  # fmt: skip


def test_parts_of_a_judgement():
    a, b = judgement([1.0, np.nan], [0, -1]), judgement([3.0], [2])
    both = Judgement.joined([a, b])
    assert len(both) == 3
    assert both.missing.tolist() == [False, True, False]
    np.testing.assert_array_equal(both.only(~both.missing).values, [1, 3])
    assert beyond_doubt(both).replaced.tolist() == [False, True, False]


def test_what_counted_as_missing_is_wrong_if_something_stands_there():
    found = judgement([np.nan, np.nan], [-1, -1], 0.0).with_values(np.array([[-5.0], [np.nan]]), 0)
    np.testing.assert_array_equal(found.values, [-5, np.nan])
    assert found.missing.tolist() == [False, True]
    assert found.probability.tolist() == [1, 0]
    assert "negative" in found.words(0)


def test_what_is_rather_wrong_is_shown_and_only_what_pays_is_replaced():
    rng = np.random.default_rng(1)
    true = related(300, 6, noise=0.15)
    wrong = rng.random(true.shape) < 0.04
    X = np.where(wrong, true * rng.choice([0.5, 1.6, 3], true.shape), true)
    _, found = decided(X)
    shown, new = found.probability, found.only(found.replaced)
    assert shown.min() > DECISION.flagged
    assert (shown < DECISION.rather).any()
    assert (new.probability > DECISION.rather).all()
    off = abs(X - true)[new.rows, new.columns].sum()
    assert abs(new.expected - true[new.rows, new.columns]).sum() < 0.5 * off


def test_rows_with_many_odd_cells_are_unlike_the_others_rather_than_wrong():
    """Short seasons among whole ones: many columns are odd, in few rows."""
    clean = related(400, 20, noise=0.05)
    rows = np.arange(5, 400, 50)
    X = clean.copy()
    X[rows, 2:8] *= np.random.default_rng(0).uniform(0.4, 0.6, (len(rows), 6))
    learned, found = decided(X)
    assert learned.by_chance[6] < 0.2
    assert not found.replaced[np.isin(found.rows, rows)].any()
    # The same cells, each in a row of its own, are mistakes.
    alone = clean.copy()
    cells = np.arange(len(rows) * 6) * 8 + 3
    alone[cells, np.tile(np.arange(2, 8), len(rows))] *= 0.5
    assert decided(alone)[1].replaced.sum() > 0.8 * len(cells)


def test_a_wrong_cell_of_a_series_does_not_make_those_beside_it_wrong():
    rng = np.random.default_rng(0)
    t = np.arange(400.0)
    X = np.stack([np.sin(t / f) * 5 + 20 + rng.normal(0, 0.02, 400) for f in (17, 29, 41, 53)], 1)
    rows = np.arange(20, 400, 40)
    X[rows, 1] += 3
    learned, found = decided(X)
    assert 1 in learned.witness.series
    there = found.columns == 1
    assert set(rows) <= set(found.rows[there])
    assert (~np.isin(found.rows[there], rows)).sum() <= 1


def test_a_sensor_that_hangs_in_a_slow_series_is_shown_but_stays():
    rng = np.random.default_rng(0)
    t = np.arange(400.0)
    X = np.stack([np.sin(t / f) * 5 + 20 + rng.normal(0, 0.02, 400) for f in (17, 29, 41, 53)], 1)
    X[201:210, 2] = X[200, 2]
    _, found = decided(X)
    run = (found.columns == 2) & (found.rows > 200) & (found.rows < 210)
    assert run.sum() == 9
    assert not found.replaced[run].any()


@pytest.mark.parametrize(
    ("codes", "value", "commonest"),
    [(np.full(300, 5.0), 500, 5), (np.arange(300.0) % 3, 37, None), (np.zeros(300), -40, 0)],
)
def test_what_is_none_of_the_codes_is_shown_and_stays(codes, value, commonest):
    X = np.hstack([related(300, 5), codes[:, None]])
    X[7, 5] = value
    _, found = decided(X)
    stray = found.only(found.columns == 5)
    assert cells(stray) == [(7, 5)]
    assert not stray.replaced[0]
    assert stray.words(0) == "far from all codes of its column"
    assert stray.expected[0] in (codes if commonest is None else [commonest])


def test_rare_codes_are_codes():
    """One cell in a hundred is marked: nothing is wrong with that."""
    marks = np.zeros((300, 2))
    marks[:3, 0], marks[5:9, 1] = 1, [1, 2, 3, 9]
    _, found = decided(np.hstack([related(300, 5), marks]))
    assert not (found.columns >= 5).any()
