"""Tails that are heavier than exponential, and corruption beside them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from robustnmf._auto.detection import Learner
from robustnmf._kernels.density import FAR, LOG_PEAK, THIN, Tail, surprise, surprising

N, M = 300, 100


def predicted(seed):
    rng = np.random.default_rng(seed)
    return rng, rng.gamma(2.0, 10.0, size=(N, 3)) @ rng.gamma(2.0, size=(3, M))


def judged(P, X):
    learner = Learner(X)
    learner.heavy_tails = True
    limits = learner.learn(P, None)
    for _ in range(3):
        limits = learner.learn(P, learner.beyond(P, limits), even=True)
    return learner.detector, np.abs(X - P) > limits


@given(st.floats(1e-4, 0.05), st.floats(1.5, 6.0), st.floats(0, 1e4))
def test_a_tail_holds_its_share_and_can_be_turned_round(share, index, u):
    tail = Tail.of(share, index)
    at = FAR * np.exp(np.linspace(0, 30 / index, 20_001))
    beyond = np.exp(LOG_PEAK - tail.surprise - tail.power * np.log(at / FAR))
    assert_allclose(2 * np.trapezoid(beyond, at), share, rtol=1e-3)
    amount = surprise(u, tail)
    assert amount <= surprise(u)
    assert_allclose(surprise(surprising(amount, tail), tail), amount, atol=1e-9)
    # Never the other way: a larger residual is no less surprising.
    assert surprise(1.1 * u, tail) >= amount


def test_a_thin_tail_is_the_density_itself():
    u = np.linspace(0, 50, 999)
    assert_allclose(surprise(u, THIN), np.where(u < 1.6, u * u / 2, 1.6 * u - 1.28))


@pytest.mark.parametrize("seed", range(3))
def test_tails_at_high_levels_are_not_called_corrupt(seed):
    rng, P = predicted(seed)
    wild = rng.standard_t(1.5, P.shape)
    heavy = np.where(np.quantile(P, 0.6) < P, wild, rng.normal(size=P.shape))
    X = np.maximum(P + heavy, 0)
    detector, flagged = judged(P, X)
    assert detector.tail.power == 3
    assert (np.abs(X - P) > 6).mean() > 0.015
    assert flagged.mean() < 0.002


@pytest.mark.parametrize("seed", range(3))
def test_corruption_at_all_levels_is_still_found(seed):
    rng, P = predicted(seed)
    X = np.maximum(P + rng.normal(size=P.shape), 0)
    corrupt = rng.random(P.shape) < 0.03
    X = np.where(corrupt, rng.uniform(0, P.max(), P.shape), X)
    _, flagged = judged(P, X)
    far = corrupt & (np.abs(X - P) > 10)
    assert flagged[far].mean() > 0.96
    assert (flagged & ~corrupt).mean() < 1e-3
