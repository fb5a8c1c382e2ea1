"""The pieces by which accounts of corruption are compared, weighed and acted upon."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from robustnmf._auto.detection.evenness import evenness, standing
from robustnmf._auto.detection.likelihood import log_likelihood
from robustnmf._auto.detection.repair import NEVER, Flagged, Repair, completed_range, trusted_range
from robustnmf._auto.detection.settings import REPAIR
from robustnmf._auto.detection.values import Classes, Rates


def uniform_rates(n, share):
    return Rates(np.full(n, share / n), np.ones(n))


@given(share=st.floats(0.001, 0.45), prediction=st.floats(0, 9), scale=st.floats(0.2, 5))
def test_the_probabilities_of_all_values_add_up_to_one(share, prediction, scale):
    classes = Classes.of(np.arange(10.0))
    values = classes.points
    logs = log_likelihood(
        classes, uniform_rates(10, share), values, np.full(10, prediction), np.full(10, scale)
    )
    assert_allclose(np.exp(logs).sum(), 1)


def test_the_true_account_is_the_likeliest():
    rng = np.random.default_rng(0)
    truth = rng.integers(60, 90, 4000)
    corrupt = rng.random(4000) < 0.3
    values = np.where(corrupt, 255, np.rint(truth + 3 * rng.standard_normal(4000)))
    classes = Classes.of(np.arange(256.0))
    salt = np.full(256, 1e-7)
    salt[255] = 0.3
    measure = np.ones(256)
    accounts = {
        "salt": (Rates(salt, measure), truth, 3.0),
        "nothing": (uniform_rates(256, 1e-4), truth + 50, 90.0),
        "everything": (uniform_rates(256, 0.5), truth, 3.0),
    }
    scores = {
        name: log_likelihood(classes, rates, values, p.astype(float), np.full(4000, s)).mean()
        for name, (rates, p, s) in accounts.items()
    }
    assert max(scores, key=scores.get) == "salt"


def test_corruption_is_even_and_clean_tails_are_not():
    expected = np.full((3, 12), 50.0)
    even = np.random.default_rng(0).poisson(expected).astype(float)
    assert (evenness(even, expected, np.zeros(12)) > 0.8).all()
    tails = np.zeros((3, 12))
    tails[:, -1] = 600
    assert (evenness(tails, expected, np.zeros(12)) < 0.05).all()
    # A value that was written everywhere stays suspicious beside the tails of others.
    mixed = np.vstack([even[:1], tails[1:]])
    found = evenness(mixed, expected, np.zeros(12))
    assert found[0] > 0.7
    assert (found[1:] < 0.5).all()


def test_too_few_far_out_entries_say_nothing():
    assert_array_equal(evenness(np.ones((2, 12)), np.ones((2, 12)), np.zeros(12)), 1)


def test_standing_goes_by_row_and_column_and_takes_missing_entries():
    X = np.outer(np.arange(1, 41.0), np.arange(1, 31.0))
    X[3, 4] = np.nan
    groups = standing(X)
    assert groups[0, 0] == 0
    assert groups[-1, -1] == groups.max() == 11
    assert np.bincount(groups.ravel()).min() > 0.5 * X.size / 12


@pytest.fixture
def repair():
    return Repair(np.full(3, 0.1), np.array([True, True, False]))


def allowed(repair, X, P, probability, written):
    """What is allowed of all entries, were they flagged."""
    rows, columns = np.nonzero(~np.isnan(X))
    at = rows, columns
    answer = np.zeros(X.shape, dtype=bool)
    flagged = Flagged(rows, columns, X[at], P[at])
    answer[at] = repair.allowed(flagged, probability[at], written[at], len(X))
    return answer


def test_an_entry_is_replaced_only_where_that_is_likely_to_help(repair):
    X, P = np.array([[5.0, 1.0, 5.0]]), np.ones((1, 3))
    likely = np.full((1, 3), 0.9)
    # The second is no further off than predictions are, and the third feature is not predicted.
    written = np.zeros((1, 3), dtype=bool)
    assert_array_equal(allowed(repair, X, P, likely, written), [[True, False, False]])
    assert not allowed(repair, X, P, np.full((1, 3), 0.4), written).any()
    missing = np.where(X > 4, np.nan, X)
    assert not allowed(repair, missing, P, likely, written).any()
    # Where values are cut off nobody knows what was there.
    assert not allowed(replace(repair, ceiling=5.0), X, P, likely, written).any()


def test_in_doubt_only_clear_cases_are_replaced(repair):
    doubt = replace(repair, least=REPAIR.in_doubt)
    P = np.ones((1, 3))
    sure = np.full((1, 3), 0.999)
    near, far = P + 0.9 * REPAIR.clearly * 0.1, P + 1.1 * REPAIR.clearly * 0.1
    no, yes = np.zeros((1, 3), dtype=bool), np.ones((1, 3), dtype=bool)
    assert not allowed(doubt, near, P, sure, no).any()
    assert_array_equal(allowed(doubt, far, P, sure, no), [[True, True, False]])
    assert not allowed(doubt, far, P, np.full((1, 3), 0.95), no).any()
    assert not allowed(replace(repair, least=NEVER), far, P, np.ones((1, 3)), yes).any()


def test_rare_entries_are_replaced_only_if_they_could_not_be_tails():
    many = Repair(np.full(100, 0.1), np.ones(100, dtype=bool))
    rare = replace(many, rare=REPAIR.in_doubt)
    P = np.ones((1, 100))
    sure = np.zeros((1, 100))
    sure[0, 0] = 0.999
    no, yes = np.zeros((1, 100), dtype=bool), np.ones((1, 100), dtype=bool)
    near, far = P + 0.9 * REPAIR.rarely * 0.1, P + 1.1 * REPAIR.rarely * 0.1
    assert allowed(many, near, P, sure, no).sum() == 1
    assert not allowed(rare, near, P, sure, no).any()
    assert allowed(rare, far, P, sure, no).sum() == 1
    # A value that is written again and again is no tail, ...
    assert allowed(rare, near, P, sure, yes).sum() == 1
    # ... and a sample with several such entries is not predicted well.
    sure[0, :3] = 0.999
    assert not allowed(rare, far, P, sure, no).any()


def test_fills_stay_within_what_was_trusted():
    X = np.array([[1.0, 10.0], [2.0, 1000.0], [3.0, 30.0]])
    corrupt = X == 1000
    low, high = completed_range(*trusted_range(X, corrupt))
    assert_array_equal(low, [1, 10])
    assert_array_equal(high, [3, 30])
    repair = Repair(np.ones(2), np.ones(2, dtype=bool), low=low, high=high)
    P = np.full((3, 2), 2400.0)
    assert_array_equal(repair.bounded(X, P, corrupt), [[6, 60]] * 3)
    assert_array_equal(repair.bounded(X, 0 * P, corrupt), [[0.5, 5]] * 3)
    assert_array_equal(repair.bounded(X, X, corrupt), np.minimum(X, [6, 60]))
    # A sample twice as loud as any may have predictions twice as large.
    louder = np.array([[6.0, np.nan]])
    assert_array_equal(repair.bounded(louder, P[:1], np.zeros((1, 2), dtype=bool)), [[12, 120]])
    scaled = repair.rescaled(4)
    assert_array_equal(scaled.bounded(4 * X, 4 * P, corrupt), [[24, 240]] * 3)


def test_a_feature_without_trusted_values_takes_the_range_of_all():
    X = np.array([[1.0, 7.0], [2.0, 7.0]])
    low, high = completed_range(*trusted_range(X, X == 7))
    assert_array_equal(low, [1, 0])
    assert_array_equal(high, [2, 2])


def test_a_value_that_was_surely_written_does_not_stay(repair):
    X, P = np.full((1, 3), 5.0), np.ones((1, 3))
    sure, yes = np.full((1, 3), 0.999), np.ones((1, 3), dtype=bool)
    assert allowed(repair, X, P, sure, yes).all()
    stuck = replace(repair, stuck=np.array([True, False, False]))
    assert_array_equal(allowed(stuck, X, P, sure, yes), [[False, True, True]])
