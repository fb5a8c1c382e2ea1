"""The measures of a cleaned table: what they say of hand-made cases."""

import numpy as np
import pytest

from robustnmf_studies.trust.measures import (
    FARTHEST,
    distance,
    errors_of,
    matrix_scores,
    table_scores,
)
from robustnmf_studies.trust.tables import RealTable

TRUTH = np.column_stack([np.arange(10.0, 20), np.arange(100.0, 110)])
TABLE = RealTable("t", "made up", TRUTH, ["a", "b"], [0, 1])
WRONG = np.zeros(TRUTH.shape, dtype=bool)
WRONG[2, 0] = WRONG[5, 1] = True
DIRTY = np.where(WRONG, 9999.0, TRUTH)
NOTHING = np.zeros(TRUTH.shape, dtype=bool)


def test_a_perfect_cleaning():
    found = table_scores(TABLE, DIRTY, WRONG, WRONG, TRUTH)
    assert (found["precision"], found["recall"], found["f1"]) == (1, 1, 1)
    assert found["repair"] == found["after"] == 0
    assert found["exact"] == 1
    assert not found["harm"]
    assert found["flagged"] == found["changed"] == 2 / 20
    assert found["before"] == pytest.approx(FARTHEST * 2 / 20)


def test_doing_nothing_does_no_harm_and_finds_nothing():
    found = table_scores(TABLE, DIRTY, WRONG, NOTHING, DIRTY)
    assert found["f1"] == found["recall"] == found["changed"] == 0
    assert found["precision"] is None
    assert found["repair"] is None
    assert found["before"] == found["after"]
    assert not found["harm"]


def test_changing_a_good_cell_is_harm():
    repaired = DIRTY.copy()
    repaired[0, 0] = 13
    found = table_scores(TABLE, DIRTY, WRONG, repaired != DIRTY, repaired)
    assert found["harm"]
    assert found["after"] > found["before"]


def test_what_is_reported_only_is_flagged_and_not_changed():
    found = table_scores(TABLE, DIRTY, WRONG, WRONG, DIRTY)
    assert found["f1"] == 1
    assert found["changed"] == 0
    assert found["repair"] is None


def test_repairs_are_written_with_the_columns_decimals():
    repaired = np.where(WRONG, TRUTH + 0.04, TRUTH)
    found = table_scores(TABLE, DIRTY, WRONG, WRONG, repaired)
    assert found["exact"] == 1
    # A repair that rounds to what stands there changes nothing.
    same = table_scores(TABLE, DIRTY, WRONG, WRONG, np.where(WRONG, 9999.04, TRUTH))
    assert same["changed"] == 0


def test_repair_error_is_in_robust_standard_deviations():
    spread = 1.4826 * 2.5
    repaired = np.where(WRONG, TRUTH + 2 * spread, TRUTH)
    table = RealTable("t", "made up", TRUTH, ["a", "b"], [6, 6])
    found = table_scores(table, DIRTY, WRONG, WRONG, repaired)
    assert found["repair"] == pytest.approx(2, rel=1e-4)
    # The medians of what was given: 15.5 instead of 12, and 105 as it was.
    assert found["by_median"] == pytest.approx(np.median([3.5, 0]) / spread, rel=1e-4)


def test_missing_cells_do_not_count():
    truth = TRUTH.copy()
    truth[9, 0] = np.nan
    table = RealTable("t", "made up", truth, ["a", "b"], [0, 1])
    dirty = np.where(WRONG, 9999.0, truth)
    filled = np.where(np.isnan(truth), 3.0, dirty)
    found = table_scores(table, dirty, WRONG, np.isnan(truth), filled)
    assert found["flagged"] == found["changed"] == 0
    assert found["before"] == found["after"]


def test_a_repair_that_is_no_number_is_as_wrong_as_can_be():
    truth = np.ones((1, 1))
    assert distance(errors_of(np.array([[np.nan]]), truth, np.ones(1)), truth) == FARTHEST


def test_matrices():
    clean = np.ones((4, 5))
    wrong = np.eye(4, 5, dtype=bool)
    dirty = np.where(wrong, 3.0, clean)
    found = matrix_scores(clean, dirty, wrong, wrong, np.where(wrong, 2.0, clean))
    assert found["f1"] == 1
    assert found["left"] == 0.25
    assert not found["worse"]
    assert matrix_scores(clean, dirty, wrong, wrong, dirty + 1)["worse"]
    assert matrix_scores(clean, clean, NOTHING[:4], NOTHING[:4], clean)["left"] is None
