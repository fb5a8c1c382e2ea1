"""The targets and the tables of words: what they make of hand-made numbers."""

import pandas as pd
import pytest

from robustnmf_studies.common.frames import rows_of
from robustnmf_studies.common.targets import MET, MISSED, UNKNOWN
from robustnmf_studies.trust import damage, errors
from robustnmf_studies.trust.document import SHEETS
from robustnmf_studies.trust.groups import best_of, left, percent, share, words
from robustnmf_studies.trust.matrix_sheets import matrix_sheets
from robustnmf_studies.trust.matrix_targets import failed, judge_matrices, near
from robustnmf_studies.trust.methods import ORACLE, OURS, STACK
from robustnmf_studies.trust.rivals import IMPUTER, MAD
from robustnmf_studies.trust.settings import CLEAN, STACKS
from robustnmf_studies.trust.sheets import lost_words, table_sheets
from robustnmf_studies.trust.targets import judge_tables


def table_row(method, **more):
    return {
        "name": "wine", "family": "chemistry", "kind": errors.ZERO, "rate": 0.03, "method": method,
        "precision": 0.9, "recall": 0.9, "f1": 0.9, "repair": 0.1, "by_median": 0.5, "exact": 0.6,
        "before": 1.0, "after": 0.2, "harm": False, "flagged": 0.001, "changed": 0.001,
        "verdict": "reliable" if method == OURS else None, "seconds": 1.0, "failure": None,
    } | more  # fmt: skip


def matrix_row(method=OURS, **more):
    return {
        "name": "reuters", "nature": "term counts", "kind": damage.SALT, "rate": 0.3, "draw": 0,
        "best": 0.97, "method": method, "precision": 1.0, "recall": 0.9, "f1": 0.96, "left": 0.1,
        "worse": False, "flagged": 0.1, "sure": 100, "sure_right": 99, "verdict": "reliable",
        "seconds": 1.0, "failure": None,
    } | more  # fmt: skip


def numbers_of(**changes):
    rows = [table_row(OURS, **changes), table_row(IMPUTER, f1=0.7, harm=True)]
    rows += [table_row(OURS, kind=errors.FAR, **changes), table_row(MAD, kind=errors.FAR, f1=0.6)]
    rows += [table_row(OURS, kind=errors.DECIMAL, **changes)]
    return {
        "tables": pd.DataFrame(rows),
        "clean_tables": pd.DataFrame([table_row(OURS, kind=CLEAN), table_row(IMPUTER, kind=CLEAN)]),
        "barren": pd.DataFrame([table_row(OURS, name="likert", changed=0.0, verdict="none")]),
        "matrices": pd.DataFrame(
            [
                matrix_row(),
                matrix_row(draw=1),
                matrix_row(ORACLE, f1=0.97),
                matrix_row(kind=damage.STRIPES, f1=0.7, best=0.7),
                matrix_row(rate=0.02),
                matrix_row(STACK, kind=STACKS, rate=0.2, f1=0.99),
                matrix_row(kind=damage.BURSTS, f1=0.1, worse=True, verdict="doubtful"),
            ]
        ),
        "clean_matrices": pd.DataFrame(
            [
                {"name": "reuters", "nature": "term counts", "flagged": 0.001, "variance": 0.001,
                 "error": 0.2, "verdict": "reliable", "flagged_auto_rank": 0.001,
                 "variance_auto_rank": 0.001, "error_auto_rank": 0.2, "fits_auto_rank": 12.0}
            ]
        ),
        "missing": pd.DataFrame(
            [{"name": "reuters", "plain": 1.5, "refit": 1.6, "auto": 1.0, "oracle": 1.0}]
        ),
    }  # fmt: skip


def verdicts_of(numbers):
    return {j.target: j.verdict for j in (*judge_tables(numbers), *judge_matrices(numbers))}


def test_targets_are_met_by_good_numbers():
    found = verdicts_of(numbers_of())
    unmet = {target for target, verdict in found.items() if verdict != MET}
    # One of seven places is bad, and so are stripes' fellows, of which there are no rows.
    assert unmet <= {
        "30 % salt & pepper: mean F1 ≥ 0.93",
        "30 % spikes: mean F1 ≥ 0.92",
        "bad samples: mean F1 ≥ 0.6",
        "restored data worse than the corrupted: ≤ 3 % of the places",
    }


@pytest.mark.parametrize(
    ("change", "target"),
    [
        ({"f1": 0.3}, "tables: mean F1 ≥ 0.70"),
        ({"f1": 0.3}, "tables: mean F1 ahead of every rival"),
        ({"f1": 0.3}, "tables: ahead of each rival on four fifths of the tables"),
        ({"f1": 0.3}, "tables: no family below its best rival"),
        ({"f1": 0.3}, "kinds nobody foresaw: mean F1 ≥ 0.70"),
        ({"repair": 0.6}, "repair error of found cells ≤ 0.15 robust standard deviations"),
        ({"repair": 0.6}, "repairs in no family worse than the column's median"),
        ({"after": 0.5}, "error left after cleaning ≤ 0.24 of that before"),
        ({"harm": True}, "and none of these called reliable"),
        ({"failure": "ValueError: x"}, "every run ends with an answer"),
        (
            {"harm": True},
            "cleaned table further from the truth than the dirty one: ≤ 5 % of the runs",
        ),
        (
            {"exact": 0.1},
            "point moved or sign slipped: most repairs are right to the last digit",
        ),
    ],
)
def test_targets_are_missed_by_bad_numbers(change, target):
    assert verdicts_of(numbers_of())[target] == MET
    assert verdicts_of(numbers_of(**change))[target] == MISSED


def test_harm_that_is_announced_is_no_silent_harm():
    found = verdicts_of(numbers_of(harm=True, verdict="doubtful"))
    assert found["and none of these called reliable"] == MET


def test_without_numbers_nothing_is_decided():
    assert set(verdicts_of({}).values()) == {UNKNOWN}
    # A run before there was a verdict cannot say what it is worth.
    silent = numbers_of(verdict=None)
    silent["matrices"] = silent["matrices"].assign(verdict=None)
    found = verdicts_of(silent)
    assert found["the rest not reliable"] == UNKNOWN
    assert found["failures that the verdict names: ≥ 80 %"] == UNKNOWN


def test_a_failure_is_far_off_or_worse_than_before():
    assert near(matrix_row(f1=0.95, best=0.97))
    assert not near(matrix_row(f1=0.9, best=0.97))
    assert failed(matrix_row(f1=0.7, best=0.97))
    assert failed(matrix_row(worse=True))
    assert not failed(matrix_row())


def test_the_tables_of_words_have_all_there_is():
    numbers = numbers_of()
    sheets = {**table_sheets(numbers), **matrix_sheets(numbers)}
    assert set(sheets) == set(SHEETS) - {"lost"}
    assert table_sheets({}) == matrix_sheets({}) == {}
    for sheet in sheets.values():
        assert sheet.attrs["title"]
        assert all(isinstance(cell, str) for row in rows_of(sheet) for cell in row)


def test_where_a_rival_is_better_is_said():
    numbers = numbers_of(f1=0.3)
    rows = table_sheets(numbers)["lost"]
    assert ("wine", "zero", "0.30", "IterativeImputer on logs", "0.70") in rows_of(rows)
    assert "1 of 1 tables" in lost_words(numbers["tables"])
    assert lost_words(pd.DataFrame()) == "–"


def test_kinds_survive_being_written_as_text():
    # A kind that reads as a number would come back as one, and be of no kind.
    for kind in (*errors.KINDS, *damage.KINDS):
        with pytest.raises(ValueError, match="could not convert"):
            float(kind)


def test_groups():
    assert words(None, ".2f") == percent(float("nan")) == "–"
    assert percent(0.1234) == "12.3 %"
    assert share([]) != share([])
    assert share([True, False]) == 0.5
    assert best_of({"a": 1.0, "b": 2.0}, ["a"]) == ("a", 1.0)
    assert best_of({}, ["a"]) is None
    assert (
        left(pd.DataFrame([{"before": 2.0, "after": 1.0}, {"before": 2.0, "after": 0.0}])) == 0.25
    )
