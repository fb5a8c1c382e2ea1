"""How far a judgement can be trusted, in words."""

from dataclasses import replace

import numpy as np
import pytest

from robustnmf._tables.judging import REASONS, Judgement, after, before, clear_gain, learn_table
from sheets import related


def learned(X):
    m = X.shape[1]
    return learn_table(X, [f"c{j}" for j in range(m)], [None] * m, lambda share: None)


@pytest.fixture(scope="module")
def good():
    return learned(related(200, 6))


def flagged(columns, probability):
    n = len(columns)
    columns = np.asarray(columns)
    return Judgement(
        np.arange(n), columns, np.zeros(n), np.ones(n), np.ones(n),
        np.broadcast_to(probability, n), np.zeros(n, np.int8), np.ones(n, bool),
    )  # fmt: skip


NAMES = [f"c{j}" for j in range(6)]


def test_a_good_table(good):
    assert before(good).trusted
    assert after(good, flagged([1, 2, 3], 0.99), NAMES, 1200).trusted


def test_no_column_to_judge():
    assert before(None).verdict == "no structure"


def test_nothing_to_go_by():
    found = before(learned(np.random.default_rng(0).normal(size=(200, 6))))
    assert found.verdict == "no structure"
    assert "no better than by the middle of their column" in found.reasons[0]


def test_one_column_alone():
    rng = np.random.default_rng(0)
    X = np.stack([rng.normal(size=100), rng.integers(0, 2, 100)], axis=1)
    assert before(learned(X)).reasons == ("there is only one column to judge",)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (related(20, 5), "only 20 rows to learn from"),
        (related(40, 20), "only 40 rows to learn 20 columns from"),
        (
            np.hstack([related(300, 2, k=1), np.random.default_rng(0).normal(size=(300, 9))]),
            "9 of 11 columns have nothing to do with the others",
        ),
    ],
)
def test_doubts(X, words):
    found = before(learned(X))
    assert found.verdict == "doubtful"
    assert any(words in reason for reason in found.reasons)


def test_too_much_is_flagged(good):
    found = after(good, flagged(np.arange(300) % 6, 0.99), NAMES, 1200)
    assert found.verdict == "doubtful"
    assert found.reasons == ("25 % of the cells are flagged, which is hardly credible",)


def test_too_much_of_a_column_is_flagged(good):
    found = after(good, flagged(np.full(80, 4), 0.99), NAMES, 1200)
    assert found.verdict == "doubtful"
    assert "'c4'" in found.reasons[0]


def test_nobody_can_tell(good):
    unsure = flagged(np.arange(40) % 6, 0.6)
    assert after(good, unsure, NAMES, 1200).verdict == "undecided"
    # Beside as many that are sure they are no matter, nor are a few.
    sure = flagged(np.arange(80) % 6, np.where(np.arange(80) < 40, 0.6, 0.99))
    assert after(good, sure, NAMES, 1200).trusted
    assert after(good, flagged([0, 1, 2], 0.6), NAMES, 1200).trusted


def test_rows_of_several_kinds(good):
    some = flagged([1, 2, 3], 0.99)
    mixed = replace(good, alike=np.array([1, 1, 1, 0.02, 1, 1.0]))
    found = after(mixed, some, NAMES, 1200)
    assert found.verdict == "doubtful"
    assert found.reasons == ("rows seem to be of several kinds: see column 'c3'",)
    # Not surely so.
    assert after(replace(good, alike=np.full(6, 0.5)), some, NAMES, 1200).trusted


def test_one_mixed_column_of_many_is_no_matter():
    X = related(200, 12)
    many = replace(learned(X), alike=np.where(np.arange(12) == 3, 0.0, 1.0))
    names = [f"c{j}" for j in range(12)]
    assert after(many, flagged([1, 2, 3], 0.99), names, 2400).trusted


def test_most_of_what_is_flagged_is_left(good):
    middle = good.columns.back(np.zeros((1, 6)))[0]

    def some(n, left, reason="odd"):
        columns = np.arange(n) % 6
        return replace(
            flagged(columns, 0.9),
            values=middle[columns],
            reasons=np.full(n, REASONS.index(reason), np.int8),
            replaced=np.arange(n) >= left,
        )

    found = after(good, some(9, 5), NAMES, 1200)
    assert found.verdict == "undecided"
    assert found.reasons == ("of 9 flagged cells, 5 are odd, but hardly more than others",)
    assert after(good, some(9, 4), NAMES, 1200).trusted
    # Of four, nothing can be said; and a sensor that hangs is left for another reason.
    assert after(good, some(4, 3), NAMES, 1200).trusted
    assert after(good, some(9, 9, "run"), NAMES, 1200).trusted


def test_few_odd_cells_are_no_clear_gain(good):
    """One good cell that is spoiled outweighs several that are mended."""
    unit = good.unit()

    def odd(n, off, reason="odd", probability=0.97):
        columns = np.arange(n) % 6
        middle = good.columns.back(np.zeros((1, 6)))[0, columns]
        return Judgement(
            np.arange(n), columns, middle + off * unit[columns], middle, 0.1 * unit[columns],
            np.full(n, probability), np.full(n, REASONS.index(reason), np.int8), np.ones(n, bool),
        )  # fmt: skip

    assert clear_gain(good, odd(0, 3))
    assert not clear_gain(good, odd(2, 3))
    assert clear_gain(good, odd(20, 3))
    # What a slip explains, or what is far outside, is wrong by itself.
    assert clear_gain(good, odd(2, 3, "point"))
    assert not clear_gain(good, odd(2, 3, "digits"))
    assert clear_gain(good, odd(1, 1e4))
    # Hardly anything is gained where what is expected is as uncertain as what stands there.
    vague = odd(20, 3)
    assert not clear_gain(good, Judgement(*(
        3 * unit[vague.columns] if name == "spread" else getattr(vague, name)
        for name in vars(vague)
    )))  # fmt: skip
