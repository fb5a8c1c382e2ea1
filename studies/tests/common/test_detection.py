import numpy as np
import pytest

from robustnmf.metrics import detection_scores
from robustnmf_studies.common.detection import THRESHOLDS, at_best_threshold, curve, score


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    mask = rng.random((20, 50)) < 0.1
    residual = rng.normal(size=mask.shape) * 30 + 80 * mask
    return mask, residual


def test_curve_agrees_with_the_plain_definition(problem):
    mask, residual = problem
    for row in curve(mask, residual):
        found = np.abs(residual) > row["threshold"]
        expected = detection_scores(mask, found)
        assert row["recall"] == pytest.approx(expected.recall)
        assert row["f1"] == pytest.approx(expected.f1)
        assert row["precision"] == (pytest.approx(expected.precision) if found.any() else None)
    assert len(curve(mask, residual)) == len(THRESHOLDS)


def test_best_threshold_is_the_best_of_all(problem):
    mask, residual = problem
    every = (detection_scores(mask, np.abs(residual) >= t).f1 for t in np.abs(residual).ravel())
    assert at_best_threshold(mask, residual).f1 == pytest.approx(max(every))


def test_best_threshold_cannot_tell_equal_values_apart():
    mask = np.array([True, False, False, False])
    assert at_best_threshold(mask, np.ones(4)).precision == 0.25


def test_finding_nothing_has_no_precision():
    assert score(np.array([True]), np.array([False])).precision is None
