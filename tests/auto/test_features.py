"""Guesses that are tried on some of the features."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from conftest import low_rank
from robustnmf import RobustNMF
from robustnmf._auto import sample
from robustnmf._auto.detection import Learner
from robustnmf._auto.sample import sample_features
from robustnmf._auto.settings import SEARCH
from robustnmf._auto.trials import Hidden
from robustnmf.datasets import corrupt

N, M, K = 80, 1000, 3


def problem(kind, share, seed=0):
    clean = low_rank(N, M, K, seed)
    clean = np.round(clean * (1 + 0.05 * np.random.default_rng(seed).standard_normal((N, M))), 1)
    X, _ = corrupt(clean, kind, share, high=float(clean.max()), random_state=seed)
    return X, clean != X


def test_features_are_sampled_where_that_is_worth_it():
    features = sample_features((N, 2000), K)
    assert len(features) == max(SEARCH.least_features, SEARCH.entries // N)
    assert_array_equal(features, np.unique(features))
    assert_array_equal(features, sample_features((N, 2000), K))
    assert sample_features((N, 300), K) is None
    assert len(sample_features((N, 2000), 50)) == 50 * SEARCH.features_a_component


def test_views_see_what_they_should():
    X, _ = problem("salt", 0.1)
    learner, hidden = Learner(X), Hidden.of(X)
    features = np.arange(5, M, 7)
    seen = learner.hiding(hidden.mask)
    assert_array_equal(np.isnan(seen.X), hidden.mask)
    assert_array_equal(seen.known, ~hidden.mask)
    assert learner.known.all()
    part, few = learner.at(features), hidden.at(features)
    assert_array_equal(part.X, X[:, features])
    assert_array_equal(part.class_of, learner.class_of[:, features])
    assert_array_equal(few.values, part.X[few.rows, few.columns])
    assert_array_equal(few.mask, hidden.mask[:, features])


@pytest.mark.parametrize(("kind", "share"), [("salt", 0.1), ("salt_pepper", 0.3), ("spikes", 0.1)])
def test_the_account_is_carried_on_to_all_features(monkeypatch, kind, share):
    X, mask = problem(kind, share)
    asked = []

    def found():
        fitted = RobustNMF(K, lam="auto", random_state=0).fit(X)
        return fitted.noise_.toarray() != 0, fitted.diagnosis_.verdict

    def few(shape, n_components):
        asked.append(sample_features(shape, n_components))
        return asked[-1]

    monkeypatch.setattr("robustnmf._auto.fit.sample_features", few)
    some, verdict = found()
    assert len(asked[0]) < M
    monkeypatch.setattr(sample, "SEARCH", SEARCH._replace(worth_it=np.inf))
    every, same = found()
    assert asked[1] is None
    assert verdict == same
    for flagged in (some, every):
        assert 2 * (flagged & mask).sum() / (flagged.sum() + mask.sum()) > 0.97


@pytest.mark.filterwarnings("ignore::robustnmf._common.diagnosis.TrustWarning")
def test_all_features_are_asked_where_little_can_be_predicted(monkeypatch):
    X = np.random.default_rng(0).gamma(2.0, size=(N, M))
    sizes = []
    carry_on = "robustnmf._auto.search.extended"
    monkeypatch.setattr(carry_on, lambda *_: sizes.append("carried on"))
    fitted = RobustNMF(K, lam="auto", random_state=0).fit(X)
    assert not sizes
    assert not fitted.diagnosis_.trusted
