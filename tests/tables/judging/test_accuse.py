"""One at a time: the worst cell of a row first, and who fits in the end is pardoned."""

import numpy as np
import pytest

from robustnmf._tables.judging.accuse import ACCUSATION, accuse
from robustnmf._tables.judging.gaussian import Gaussian

# Six columns that are all the same thing, but for a little noise.
MODEL = Gaussian(np.zeros(6), np.full((6, 6), 1.0) + 0.01 * np.eye(6))


def accused(Z, use=None, judged=None, silent=None):
    Z = np.atleast_2d(np.asarray(Z, dtype=float))
    all_cells = np.ones(Z.shape, dtype=bool)
    judged = all_cells if judged is None else judged
    use = judged.copy() if use is None else use

    def predict(rows, use):
        prediction, variance = MODEL.predict(Z[rows], use)
        return prediction, np.sqrt(variance)

    def log_odds(rows, prediction, spread):
        # Wrong if it is further off than four standard deviations.
        return ((Z[rows] - prediction) / spread) ** 2 - 16

    silent = ~all_cells if silent is None else silent
    return accuse(Z, use, judged, silent, predict, log_odds)


def wrong(found):
    return [list(map(int, np.flatnonzero(row > 0))) for row in found.log_odds]


def test_a_giant_is_accused_and_nobody_else():
    found = accused([[0.5, 0.4, 30, 0.5, 0.6, 0.5]])
    assert wrong(found) == [[2]]
    assert found.use.tolist() == [[True, True, False, True, True, True]]
    assert found.prediction[0, 2] == pytest.approx(0.5, abs=0.05)
    # The giant does not speak for the others any more.
    np.testing.assert_allclose(found.prediction[0], 0.5, atol=0.1)


def test_several_wrong_cells_of_a_row():
    assert wrong(accused([[0.5, -20, 30, 0.5, 0.6, 0.5]])) == [[1, 2]]


def test_a_row_that_is_large_as_a_whole_is_left_alone():
    assert wrong(accused([[8, 8.1, 7.9, 8, 8.05, 8]])) == [[]]


def test_suspects_are_heard_together():
    """All were suspected from the start; what they have in common clears them."""
    Z = np.array([[8, 8.1, 7.9, 8, 8.05, 8]])
    assert wrong(accused(Z, use=np.zeros(Z.shape, dtype=bool))) == [[]]
    Z[0, 3] = -8
    assert wrong(accused(Z, use=np.zeros(Z.shape, dtype=bool))) == [[3]]


def test_who_fits_is_pardoned():
    use = np.array([[True, True, False, True, True, True]])
    found = accused([[0.5, 0.4, 0.5, 0.5, 0.6, 0.5]], use=use)
    assert wrong(found) == [[]]
    assert found.use.all()


def test_the_silent_stay_silent():
    silent = np.array([[False, False, True, False, False, False]])
    found = accused([[0.5, 0.4, 30, 0.5, 0.6, 0.5]], use=~silent, silent=silent)
    assert wrong(found) == [[2]]
    assert not found.use[0, 2]


def test_missing_cells_are_predicted_and_not_judged():
    known = np.array([[True, False, True, True, True, True]])
    found = accused([[0.5, 0, 0.5, 0.5, 0.6, 0.5]], judged=known)
    assert found.log_odds[0, 1] == -np.inf
    assert found.prediction[0, 1] == pytest.approx(0.5, abs=0.05)
    assert not found.use[0, 1]


def test_no_more_than_a_share_of_a_row_is_accused():
    rng = np.random.default_rng(0)
    found = accused(rng.normal(0, 50, (40, 6)))
    assert ((~found.use).sum(axis=1) <= ACCUSATION.most_of_row * 6).all()


def test_rows_do_not_know_of_each_other():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(30, 1)) + 0.1 * rng.normal(size=(30, 6))
    Z[rng.random(Z.shape) < 0.1] = 9
    whole = accused(Z)
    for i, row in enumerate(Z):
        one = accused(row)
        np.testing.assert_allclose(one.log_odds[0], whole.log_odds[i])
        np.testing.assert_array_equal(one.use[0], whole.use[i])
