import numpy as np
import pytest

from robustnmf_studies.beyond.compute import error_on
from robustnmf_studies.beyond.measures import calibration, measure, noise_size
from robustnmf_studies.beyond.methods import Answer
from robustnmf_studies.common.problem import Problem

CLEAN = np.array([[1.0, 2.0], [3.0, 4.0]])
X = np.array([[1.0, 12.0], [3.0, 4.0]])
PROBLEM = Problem(X, CLEAN, X != CLEAN, seed=0)


def reply(product, noise, restored=CLEAN, seconds=1.0, *, found=True):
    noise = np.asarray(noise)
    return Answer(product, noise, noise != 0 if found else None, restored, seconds)


def test_measures_of_a_small_case():
    answers = {
        "fixed": reply(CLEAN, np.zeros((2, 2)), X),
        "oracle": reply(CLEAN + 1.0, X - CLEAN, found=False),
        "auto": reply(CLEAN + 2.0, [[0.0, 8.0], [1.0, 0.0]], CLEAN + 0.5, 3.0),
    }
    row = measure(PROBLEM, "auto", answers)
    assert (row["precision"], row["recall"], row["flagged"]) == (0.5, 1.0, 0.5)
    assert row["f1"] == pytest.approx(2 / 3)
    assert row["wh_relative"] == pytest.approx(4.0)
    assert row["restored"] == pytest.approx(4 * 0.25 / 100)
    assert row["noise_error"] == pytest.approx(0.2)
    assert row["noise_slope"] == pytest.approx(0.8)
    assert row["relative"] == 3.0
    missed = measure(PROBLEM, "fixed", answers)
    assert (missed["precision"], missed["recall"]) == (None, 0.0)
    assert (missed["restored"], missed["noise_error"], missed["noise_slope"]) == (1.0, 1.0, 0.0)
    best = measure(PROBLEM, "oracle", answers)
    assert (best["f1"], best["flagged"], best["wh_relative"]) == (1.0, None, 1.0)


def test_nothing_corrupt_has_no_detection():
    problem = Problem(CLEAN, CLEAN, np.zeros((2, 2), dtype=bool), seed=0)
    answers = dict.fromkeys(("fixed", "oracle"), reply(CLEAN + 1.0, [[0.0, 1.0], [0.0, 0.0]]))
    row = measure(problem, "fixed", answers)
    assert row["flagged"] == 0.25
    assert [row[name] for name in ("precision", "recall", "f1", "restored")] == [None] * 4
    assert noise_size(problem, answers["fixed"]) == {"noise_error": None, "noise_slope": None}


def test_calibration_counts_each_tenth():
    probability = np.array([0.0, 0.05, 0.15, 0.95, 0.92, 1.0])
    mask = np.array([False, False, True, True, False, True])
    sure, bins = calibration(mask, probability)
    assert sure == {"sure": 0.5, "sure_right": pytest.approx(2 / 3)}
    assert [(row["bin"], row["count"]) for row in bins] == [(0.0, 2), (0.1, 1), (0.9, 3)]
    assert [row["right"] for row in bins] == [0.0, 1.0, pytest.approx(2 / 3)]


def test_nobody_sure_is_no_division_by_zero():
    assert calibration(np.array([True]), np.array([0.5]))[0]["sure_right"] is None


def test_error_of_components_is_that_of_the_best_mixture():
    rng = np.random.default_rng(0)
    H = rng.random((2, 6))
    data = rng.random((3, 2)) @ H
    assert error_on(data, H) == pytest.approx(0.0, abs=1e-20)
    assert error_on(data, H[:1]) > 1e-4
