"""Scales, values and odds, on data whose truth is known."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robustnmf._auto.detection import FirstFit, Learner, explain_rows, outlying, unexplained
from robustnmf._auto.detection.values import Classes
from robustnmf._core.loop import run
from robustnmf._core.noise import TruncatedSquares
from robustnmf._engines import engine_for
from robustnmf._kernels.density import (
    LOG_PEAK,
    mean_spread,
    surprise,
    surprising,
    tail_share,
)
from robustnmf._solvers import Hals


def noisy(n=200, m=80, k=3, seed=0):
    """A factorization and data whose noise differs by sample and feature; W, H, X, scale."""
    rng = np.random.default_rng(seed)
    W, H = rng.gamma(2.0, size=(n, k)), rng.gamma(2.0, size=(k, m))
    scale = 0.1 * rng.uniform(0.6, 1.8, (n, 1)) * rng.uniform(0.6, 1.8, m)
    return W, H, W @ H + scale * rng.standard_normal((n, m)), scale


def test_the_density_is_one_and_its_tail_is_what_it_says():
    u = np.linspace(-60, 60, 1_200_001)
    density = np.exp(LOG_PEAK - surprise(u))
    assert_allclose(np.trapezoid(density, u), 1, rtol=1e-6)
    assert_allclose(np.trapezoid(density * (np.abs(u) > 4), u), tail_share(4.0), rtol=1e-3)
    assert_allclose(surprising(surprise(u)), np.abs(u), atol=1e-9)
    assert mean_spread(2.0) < mean_spread()


def test_scales_are_found_by_sample_and_feature():
    W, H, X, scale = noisy()
    learner = Learner(X)
    learner.learn(W @ H, np.zeros(X.shape, dtype=bool))
    found = learner.detector.scales
    assert np.corrcoef(np.log(learner.samples), np.log(scale.mean(axis=1)))[0, 1] > 0.9
    assert np.corrcoef(np.log(found.features), np.log(scale.mean(axis=0)))[0, 1] > 0.9
    assert_allclose(found.typical, np.exp(np.log(scale).mean()), rtol=0.15)


@pytest.mark.parametrize("share", [0.05, 0.3])
def test_a_value_that_stands_out_is_known_where_it_does_not(share):
    W, H, X, scale = noisy()
    X = np.round(X, 2)
    corrupt = np.random.default_rng(1).random(X.shape) < share
    value = float(np.round(np.median(X), 2))  # in the middle of what is usual
    X = np.where(corrupt, value, X)
    learner = Learner(X)
    limits = learner.learn(W @ H, None)
    limits = learner.learn(W @ H, learner.beyond(W @ H, limits))
    near = corrupt & (np.abs(X - W @ H) < 3 * scale) & (np.abs(X - W @ H) > 1.5 * scale)
    assert near.sum() > 20
    assert (np.abs(X - W @ H) > limits)[near].mean() > 0.7
    clean_near = ~corrupt & (np.abs(X - W @ H) < 3 * scale)
    assert (np.abs(X - W @ H) > limits)[clean_near].mean() < 0.01


def test_without_corruption_next_to_nothing_is_flagged():
    W, H, X, _ = noisy()
    learner = Learner(X)
    limits = learner.learn(W @ H, None)
    limits = learner.learn(W @ H, learner.beyond(W @ H, limits))
    assert learner.beyond(W @ H, limits).mean() < 0.001


@pytest.mark.parametrize("decimals", [1, 9], ids=["few values", "continuous"])
def test_every_value_has_a_class_and_atoms_their_own(decimals):
    rng = np.random.default_rng(0)
    X = np.round(rng.gamma(2.0, size=(80, 60)), decimals)
    X[rng.random(X.shape) < 0.1] = 7.25
    classes = Classes.of(X)
    class_of = classes.index_of(X)
    assert class_of.min() >= 0
    assert class_of.max() < len(classes.points)
    (atom,) = np.unique(class_of[X == 7.25])
    assert (X[class_of == atom] == 7.25).all()
    # New values, outside of all seen, too.
    assert_array_equal(classes.index_of(np.array([[-1.0, 99.0]])) >= 0, True)
    scaled = classes.rescaled(4.0)
    assert_array_equal(scaled.index_of(4 * X), class_of)


def test_the_loss_with_held_thresholds_never_rises_and_ends():
    rng = np.random.default_rng(0)
    _, _, X, _ = noisy()
    X[rng.random(X.shape) < 0.2] += 30
    limits = rng.uniform(0, 2, X.shape)
    start = rng.random((len(X), 3)), rng.random((3, X.shape[1]))
    solver = Hals(engine_for(X), TruncatedSquares(limits), *start)
    trace = run(solver, max_iter=3000, tol=1e-9)
    assert trace.converged
    assert (np.diff(trace.history["objective"]) <= 0).all()
    best = np.minimum((X - solver.W @ solver.H) ** 2, limits**2).sum()
    assert best <= trace.last * (1 + 1e-9)


def test_explaining_a_row_takes_that_row_alone():
    _, H, X, _ = noisy()
    rng = np.random.default_rng(3)
    X[rng.random(X.shape) < 0.1] += 20
    X[rng.random(X.shape) < 0.1] = np.nan
    learner = Learner(X)
    learner.learn(np.where(np.isnan(X), 0, X) @ H.T @ np.linalg.pinv(H @ H.T) @ H, None)
    all_rows = explain_rows(X, FirstFit.of(H), learner.detector)
    some = [3, 70, 1]
    few = explain_rows(X[some], FirstFit.of(H), learner.detector)
    assert_allclose(few.W, all_rows.W[some], rtol=1e-9)
    assert_array_equal(few.corrupt, all_rows.corrupt[some])
    assert not all_rows.corrupt[np.isnan(X)].any()


def test_outliers_are_far_from_the_rest_and_a_few_bad_entries_make_none():
    W, H, X, _ = noisy()
    limits = np.full(X.shape, 1.0)
    X[0, :8] += 1000
    assert not outlying(unexplained(X, W @ H, limits)).any()
    strange = np.random.default_rng(2).permutation(X[1])
    shares = unexplained(
        np.vstack([X, strange]), np.vstack([W @ H, (W @ H)[1]]), np.full((201, 80), 9.0)
    )
    assert_array_equal(np.flatnonzero(outlying(shares)), [200])
    assert not outlying(np.array([0.1, 0.9])).any()
    assert_array_equal(unexplained(np.ones((2, 3)), np.ones((2, 3)), np.ones((2, 3))), 0)
