"""The targets and the tables of words: what they make of hand-made numbers."""

import pandas as pd
import pytest

from robustnmf_studies.common.frames import rows_of
from robustnmf_studies.common.targets import MET, MISSED, UNKNOWN
from robustnmf_studies.trust import damage, errors
from robustnmf_studies.trust.matrix_judge import judge_matrices
from robustnmf_studies.trust.matrix_numbers import matrix_sheets
from robustnmf_studies.trust.methods import ORACLE, OURS, STACK
from robustnmf_studies.trust.numbers import against_rivals, error_left, frame_of, worst_of
from robustnmf_studies.trust.rivals import IMPUTER, MAD
from robustnmf_studies.trust.settings import CLEAN, STACKS
from robustnmf_studies.trust.table_judge import judge_tables
from robustnmf_studies.trust.table_numbers import lost_words, table_sheets


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
    # One of seven cases is bad, and so are stripes' fellows, of which there are no rows.
    assert unmet <= {
        "30 % salt & pepper: mean F1 ≥ 0.93",
        "30 % spikes: mean F1 ≥ 0.92",
        "bad samples: mean F1 ≥ 0.6",
        "restored data worse than the corrupted: ≤ 3 % of the cases",
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
    rows = [matrix_row(f1=f1, best=0.97) for f1 in (0.95, 0.9, 0.7)]
    found = frame_of({"matrices": pd.DataFrame([*rows, matrix_row(worse=True)])}, "matrices")
    assert found["near"].tolist() == [True, False, False, True]
    assert found["failed"].tolist() == [False, False, True, True]


def test_the_tables_of_words_have_all_there_is():
    numbers = numbers_of()
    sheets = {**table_sheets(numbers), **matrix_sheets(numbers)}
    assert [name for name, sheet in sheets.items() if not len(sheet)] == ["lost"]
    nothing = {**table_sheets({}), **matrix_sheets({})}
    assert list(nothing) == list(sheets)
    assert not any(len(sheet) for sheet in nothing.values())
    for sheet in sheets.values():
        assert sheet.attrs["title"]
        assert all(isinstance(cell, str) for row in rows_of(sheet) for cell in row)


def test_where_a_rival_is_better_is_said():
    numbers = numbers_of(f1=0.3)
    rows = table_sheets(numbers)["lost"]
    assert ("wine", "zero", "0.30", "IterativeImputer on logs", "0.70") in rows_of(rows)
    assert "1 of 1 tables" in lost_words(numbers)
    assert lost_words({}) == "–"


def test_kinds_survive_being_written_as_text():
    # A kind that reads as a number would come back as one, and be of no kind.
    for kind in (*errors.KINDS, *damage.KINDS):
        with pytest.raises(ValueError, match="could not convert"):
            float(kind)


def test_of_equals_the_last_is_the_best_rival():
    rows = [table_row(OURS), table_row(IMPUTER, f1=0.7), table_row(MAD, f1=0.7)]
    found = against_rivals(frame_of({"tables": pd.DataFrame(rows)}, "tables"), "family")
    assert found.loc["chemistry"].to_dict() == {"ours": 0.9, "theirs": 0.7, "rival": MAD}
    assert against_rivals(frame_of({}, "tables"), "name", "kind").empty


def test_the_worst_is_named():
    figures = pd.Series({"a": 0.2, "b": 0.1, "c": 0.2, "d": None, "e": 0.1})
    assert worst_of(figures) == (0.2, "c")
    assert worst_of(figures, lowest=True) == (0.1, "b")


def test_the_error_left_is_that_of_all_runs_together():
    rows = pd.DataFrame({"g": [1, 1, 2], "before": [2.0, 2, 0], "after": [1.0, 0, 1]})
    found = error_left(rows.groupby("g"))
    assert found[1] == 0.25
    assert pd.isna(found[2])
