"""Missing entries held by a guess: the loss, its bound, and what is minimised."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from robustnmf._core.held import HOLD, Held, hint_for
from robustnmf._core.noise import NoNoise, SquaredL0, SquaredL1, TruncatedSquares, of_rows
from robustnmf._core.rows import solve_rows
from robustnmf._kernels import cpu, portable

MODELS = {"l1": SquaredL1(0.3), "l0": SquaredL0(0.5), "plain": NoNoise()}


def problem(seed, b=5, m=9, k=3):
    """Data with gaps, components, the guess, and W somewhere."""
    rng = np.random.default_rng(seed)
    X = rng.gamma(1.0, size=(b, m))
    X[rng.random(X.shape) < 0.5] = np.nan
    X[:, 0] = 1.0
    H, W = rng.gamma(1.0, size=(k, m)), rng.gamma(1.0, size=(b, k))
    return X, H, W, rng.gamma(1.0, size=(b, 1)), rng.gamma(1.0, size=(1, m))


def slow_loss(model, X, P, levels, profiles, hint):
    """The objective as it is written down."""
    E = model.noise(X, P)
    known = np.where(np.isnan(X), 0, X - P - E)
    pull = np.where(np.isnan(X), levels @ profiles - P, 0)
    return (known**2).sum(axis=1) + model.penalty(E) + hint * (pull**2).sum(axis=1)


@pytest.mark.parametrize("name", MODELS)
@given(seed=st.integers(0, 10**6), hint=st.floats(0.001, 1))
def test_the_cleaned_rows_touch_the_loss_and_bound_it(name, seed, hint):
    model = MODELS[name]
    X, H, W, levels, profiles = problem(seed)
    held = Held(model, levels, profiles, hint)
    zero = np.zeros(len(X))
    P = W @ H
    cleaned = held.clean(X, P.copy(), None, zero)
    assert_allclose(cleaned.loss, slow_loss(model, X, P, levels, profiles, hint), rtol=1e-9)
    other = np.random.default_rng(seed + 1).gamma(1.0, size=W.shape) @ H
    at_P, at_other = (((cleaned.rows - A) ** 2).sum(axis=1) for A in (P, other))
    bound = cleaned.loss + at_other - at_P
    assert (held.clean(X, other.copy(), None, zero).loss <= bound * (1 + 1e-9) + 1e-9).all()


@pytest.mark.parametrize("name", ["l1", "plain"])
@pytest.mark.parametrize("seed", range(5))
def test_rows_are_solved_to_the_optimum(name, seed):
    model = MODELS[name]
    X, H, _, levels, profiles = problem(seed, k=4)
    held = Held(model, levels, profiles, 0.05)
    W = solve_rows(X, H, held)
    found = slow_loss(model, X, W @ H, levels, profiles, 0.05)
    for i, w in enumerate(W):
        row = slice(i, i + 1)

        def loss(v, row=row):
            return slow_loss(model, X[row], (v @ H)[None], levels[row], profiles, 0.05)[0]

        best = minimize(loss, w + 0.1, bounds=[(0, None)] * 4, tol=1e-12).fun
        assert found[i] <= best * (1 + 1e-6) + 1e-9


def test_a_step_that_overshoots_is_shortened_with_the_pull_in_account():
    """With a tiny λ most entries count as large, and whole steps are too long."""
    rng = np.random.default_rng(3)
    X, H = rng.gamma(0.3, size=(40, 30)), rng.gamma(0.3, size=(6, 30))
    X[rng.random(X.shape) < 0.6] = np.nan
    X[:, 0] = 1.0
    levels, profiles = np.ones((40, 1)), np.ones((1, 30))
    model = SquaredL1(1e-4)
    W = solve_rows(X, H, Held(model, levels, profiles, 0.3))
    loss = slow_loss(model, X, W @ H, levels, profiles, 0.3)
    for step in (1e-3, -1e-3):
        for place in range(6):
            near = W.copy()
            near[:, place] = np.maximum(near[:, place] * (1 + step) + max(step, 0), 0)
            assert (slow_loss(model, X, near @ H, levels, profiles, 0.3) >= loss - 1e-9).all()


def test_weights_of_zero_are_missing_and_the_unit_of_weights_does_not_matter():
    X, H, _, levels, profiles = problem(0)
    full, weights = np.where(np.isnan(X), 7.0, X), np.where(np.isnan(X), 0.0, 1.0)
    held = Held(NoNoise(), levels, profiles, 0.1)
    expected = solve_rows(X, H, held)
    for scale in (1.0, 0.01):
        assert_allclose(solve_rows(full, H, held, scale * weights), expected, rtol=1e-9)
    filled, q = held.filled(full, weights)
    assert_allclose(solve_rows(filled, H, NoNoise(), q), expected, rtol=1e-9)


def test_a_row_without_room_for_any_residual_has_no_missing_entries_that_count():
    X, H, W, levels, profiles = problem(4)
    thresholds = np.full(X.shape, 0.5)
    thresholds[1] = 0
    thresholds[2, 0] = 0
    P = W @ H
    model = TruncatedSquares(thresholds)
    plain = model.clean(X, P.copy(), None, np.zeros(5))
    cleaned = Held(model, levels, profiles, 0.1).clean(X, P.copy(), None, np.zeros(5))
    moved = np.where(np.isnan(X), 0.1 * (levels @ profiles - P), 0)
    # A row without room for any residual pulls at nothing, nor do its missing entries.
    moved[1] = 0
    assert_allclose(cleaned.rows, plain.rows + moved)
    assert_allclose(cleaned.loss - plain.loss, (moved**2).sum(axis=1) / 0.1, atol=1e-12)


def test_rows_without_gaps_are_not_touched():
    X, H, *_ = problem(1)
    X = np.nan_to_num(X, nan=2.0)
    held = Held(SquaredL1(0.3), np.full((5, 1), 99.0), np.ones((1, 9)))
    assert_allclose(solve_rows(X, H, held), solve_rows(X, H, SquaredL1(0.3)), rtol=1e-12)


def test_some_of_the_rows_and_another_unit():
    X, H, W, levels, profiles = problem(2)
    held = Held(SquaredL1(0.3), levels, profiles)
    whole = held.clean(X, W @ H, None, np.zeros(5))
    part = of_rows(held, slice(2, 4)).clean(X[2:4], W[2:4] @ H, None, np.zeros(2))
    assert_allclose(part.rows, whole.rows[2:4])
    assert of_rows(SquaredL1(0.3), slice(2)) == SquaredL1(0.3)
    doubled = held.rescaled(2.0).clean(2 * X, 2 * W @ H, None, np.zeros(5))
    assert_allclose(doubled.rows, 2 * whole.rows)


def test_the_hint_grows_as_less_is_known():
    free = [hint_for(1.0, 50.0, 100, used) for used in (0, 50, 80, 95, 200)]
    assert free == sorted(free)
    assert free[0] == 0.02
    assert free[-1] == HOLD.most_hint
    assert hint_for(0.0, 50.0, 100, 10) == 0
    assert hint_for(1.0, 0.0, 100, 10) == HOLD.most_hint


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=20)
def test_the_fast_step_is_the_readable_one(dtype, rank, weighted, seed):
    rng = np.random.default_rng(seed)
    X, _, _, _, _ = problem(seed)
    weights = (rng.random(X.shape) * (rng.random(X.shape) < 0.6)).astype(dtype)
    weights = weights if weighted else None
    levels, profiles = rng.random((5, rank)).astype(dtype), rng.random((rank, 9)).astype(dtype)
    cleaned, price = rng.random(X.shape).astype(dtype), rng.random(5).astype(dtype)
    given_ = (weights, levels, profiles, price, 2.0)
    slow = portable.hold_missing(X.astype(dtype), cleaned, *given_)
    fast = cpu.hold_missing(X.astype(dtype), cleaned.copy(), *given_)
    # A gap may be a difference of nearly equal numbers, of which only so many digits are left.
    exact = {"rtol": 1e-5, "atol": 1e-10} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-28}
    for one, other in zip(fast, slow, strict=True):
        assert_allclose(one, other, **exact)
