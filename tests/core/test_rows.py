"""Given components, each row's problem is solved to the optimum, by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog, minimize

import reference
from robustnmf._core.noise import NoNoise, SquaredL0, SquaredL1
from robustnmf._core.rows import solve_rows

SEEDS = st.integers(0, 2**32 - 1)


def problem(seed, missing=0.0):
    rng = np.random.default_rng(seed)
    b, m, k = rng.integers(1, 6), rng.integers(3, 40), rng.integers(1, 5)
    W, H = rng.random((b, k)), rng.random((k, m))
    X = W @ H * rng.lognormal(sigma=0.2, size=(b, m))
    X[rng.random((b, m)) < 0.1] *= 20
    X[rng.random((b, m)) < missing] = np.nan
    return X, H


@given(SEEDS, st.floats(-8, 4).map(lambda p: 10.0**p), st.sampled_from([0.0, 0.5]))
def test_squared_l1_meets_the_optimality_conditions(seed, lam, missing):
    X, H = problem(seed, missing)
    W = solve_rows(X, H, SquaredL1(lam))
    assert (W >= 0).all()
    for x, w in zip(X, W, strict=True):
        r = np.where(np.isnan(x), 0, x - w @ H)
        # The loss is smooth in w once e is at its best: its slope is that of Σ(r − e)².
        slope = -2 * H @ (r - reference.noise_l1(r, lam))
        scale = 2 * np.abs(H) @ np.nan_to_num(x) + 1e-12
        assert (slope >= -1e-7 * scale).all()
        assert_allclose(slope[w > 1e-12] / scale[w > 1e-12], 0, atol=1e-7)


@given(SEEDS)
def test_squared_l1_is_no_worse_than_a_general_optimiser(seed):
    X, H = problem(seed)
    lam = 0.3
    W = solve_rows(X, H, SquaredL1(lam))
    for x, w in zip(X, W, strict=True):

        def loss(w, x=x):
            r = x - w @ H
            return reference.loss_l1(r, reference.noise_l1(r, lam), lam)

        best = minimize(loss, w + 0.1, method="L-BFGS-B", bounds=[(0, None)] * len(w))
        assert loss(w) <= best.fun * (1 + 1e-9) + 1e-12


@given(SEEDS)
def test_weighted_rows_solve_weighted_least_squares(seed):
    X, H = problem(seed, missing=0.2)
    Q = np.random.default_rng(seed + 1).random(X.shape)
    W = solve_rows(X, H, NoNoise(), Q)
    q, x = np.where(np.isnan(X), 0, Q), np.nan_to_num(X)
    slope = -2 * (q * (x - W @ H)) @ H.T
    scale = 2 * (q * x) @ H.T + 1e-12
    assert (slope >= -1e-8 * scale).all()
    assert_allclose(slope[W > 1e-12] / scale[W > 1e-12], 0, atol=1e-8)


@pytest.mark.parametrize("unit", [1e3, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("noise", [SquaredL1(0.2), NoNoise()])
@pytest.mark.parametrize("hidden", ["missing", "weightless"])
def test_what_is_hidden_does_not_matter_however_large(unit, noise, hidden):
    rng = np.random.default_rng(0)
    H = rng.random((3, 12))
    H[:, 0] *= unit
    X = np.array([[1.0, 2.0, 3.0]]) @ H
    if hidden == "missing" or isinstance(noise, SquaredL1):
        X[0, 0], weights = np.nan, None
    else:
        weights = np.ones_like(X)
        weights[0, 0] = 0
    assert_allclose(solve_rows(X, H, noise, weights), [[1.0, 2.0, 3.0]], rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("lam", [1e-8, 1e-6, 1e-4])
def test_tiny_prices_come_near_least_absolute_deviations(lam, dtype):
    """As λ → 0 the loss of a row becomes λ‖r‖₁²; a linear programme gives the least of that."""
    rng = np.random.default_rng(0)
    k, m = 4, 60
    H = rng.random((k, m))
    X = rng.random((5, k)) @ H * rng.lognormal(sigma=0.3, size=(5, m))
    W = solve_rows(X.astype(dtype), H.astype(dtype), SquaredL1(lam))
    for x, w in zip(X, W.astype(float), strict=True):
        cost = np.concatenate([np.zeros(k), np.ones(m)])
        above, below = np.hstack([-H.T, -np.eye(m)]), np.hstack([H.T, -np.eye(m)])
        best = linprog(cost, np.vstack([above, below]), np.concatenate([-x, x]))
        slack = 0.05 if dtype == np.float32 else 2 * lam * m + 1e-7
        assert np.abs(x - w @ H).sum() <= best.fun * (1 + slack)


@pytest.mark.parametrize("noise", [SquaredL1(0.2), SquaredL0(0.5), NoNoise()])
@given(seed=SEEDS)
def test_a_row_does_not_depend_on_its_batch_mates(noise, seed):
    X, H = problem(seed, missing=0.2)
    X[np.isnan(X).all(axis=1), 0] = 1.0
    together = solve_rows(X, H, noise)
    alone = np.vstack([solve_rows(x[None], H, noise) for x in X])
    assert_allclose(together, alone, atol=1e-9)


def test_squared_l0_leaves_no_better_support():
    X, H = problem(3)
    noise = SquaredL0(0.5)
    W = solve_rows(X, H, noise)
    again = solve_rows(X - noise.noise(X, W @ H), H, NoNoise())
    assert_allclose(again, W, atol=1e-6)


def test_float32_agrees_and_keeps_its_dtype():
    X, H = problem(7, missing=0.1)
    double = solve_rows(X, H, SquaredL1(0.1))
    single = solve_rows(X.astype(np.float32), H.astype(np.float32), SquaredL1(0.1))
    assert single.dtype == np.float32
    assert_allclose(single, double, rtol=1e-3, atol=1e-4)


def test_components_of_zeros_give_weights_of_zero():
    W = solve_rows(np.ones((2, 3)), np.zeros((2, 3)), SquaredL1(0.1))
    assert_array_equal(W, np.zeros((2, 2)))
