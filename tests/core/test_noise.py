import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

import reference
from robustnmf._core.held import Held
from robustnmf._core.noise import NoNoise, SquaredL0, SquaredL1, TruncatedSquares, of_rows
from robustnmf._core.noise.squared_l1 import HIGHEST_LAM
from robustnmf._core.penalties import PENALTIES, penalty_class
from robustnmf._kernels.portable.noise import threshold_squared_l1

LAMBDAS = st.floats(-8, 8).map(lambda power: 10.0**power)
SCALES = st.sampled_from([1e-12, 1e-3, 1.0, 255.0, 1e9])


@st.composite
def residual_rows(draw, max_rows=4, max_columns=30):
    """Rows with ties and zeros at any scale."""
    shape = draw(st.tuples(st.integers(1, max_rows), st.integers(1, max_columns)))
    values = st.sampled_from([0.0, 1.0, -1.0, 2.5]) | st.floats(-100, 100, width=32)
    return draw(hnp.arrays(np.float64, shape, elements=values)) * draw(SCALES)


@st.composite
def blocks(draw):
    """X and a prediction P of the same shape, both nonnegative, X with missing entries."""
    R = draw(residual_rows())
    P = np.abs(draw(hnp.arrays(np.float64, R.shape, elements=st.floats(0, 10)))) * np.abs(R).max()
    X = np.maximum(P + R, 0)
    missing = draw(hnp.arrays(np.bool_, R.shape))
    return np.where(missing, np.nan, X), P


@given(residual_rows(), LAMBDAS)
def test_threshold_of_squared_l1_is_that_of_sorting(R, lam):
    expected = [reference.threshold_l1(r, lam) for r in R]
    assert_allclose(threshold_squared_l1(np.abs(R), lam, np.zeros(len(R))), expected, rtol=1e-12)


@given(residual_rows(), LAMBDAS)
def test_threshold_solves_its_equation(R, lam):
    thresholds = threshold_squared_l1(np.abs(R), lam, np.zeros(len(R)))
    for r, tau in zip(np.abs(R), thresholds, strict=True):
        e = np.maximum(r - tau, 0)
        # tau is a difference of nearly equal numbers when lam is huge.
        assert_allclose(tau, lam * e.sum(), rtol=1e-9, atol=1e-14 * lam * r.sum())


@pytest.mark.parametrize("name", PENALTIES)
@given(block=blocks(), lam=LAMBDAS)
def test_cleaned_rows_and_loss_match_the_reference(name, block, lam):
    X, P = block
    scale = max(1e-300, np.nanmax(X, initial=0), P.max())
    model = penalty_class(name)(lam).rescaled(scale)
    cleaned = model.clean(X, P.copy(), None, np.zeros(len(X)))
    for x, p, rows, loss in zip(X, P, cleaned.rows, cleaned.loss, strict=True):
        expected_row, expected_loss = reference.clean(x, p, model.lam, name)
        # Ties may be broken either way, which changes rows but not the loss.
        assert_allclose(loss, expected_loss, rtol=1e-9, atol=1e-18 * scale**2)
        if model.convex:
            assert_allclose(rows, expected_row, atol=1e-12 * scale)


@pytest.mark.parametrize("name", PENALTIES)
@given(block=blocks(), lam=LAMBDAS)
def test_noise_is_consistent_with_cleaning(name, block, lam):
    X, P = block
    model = penalty_class(name)(lam)
    E = model.noise(X, P)
    missing = np.isnan(X)
    assert_array_equal(E[missing], 0)
    cleaned = model.clean(X, P.copy(), None, np.zeros(len(X))).rows
    scale = max(1e-300, np.nanmax(X, initial=0), P.max())
    assert_allclose(np.where(missing, P, X - E), cleaned, atol=1e-12 * scale)
    assert (cleaned >= -1e-13 * scale).all()


@given(residual_rows(max_rows=1, max_columns=6), st.floats(-3, 3).map(lambda p: 10.0**p))
def test_squared_l1_is_no_worse_than_a_general_optimiser(R, lam):
    r = R[0] / max(np.abs(R).max(), 1e-300)
    e = SquaredL1(lam).noise(np.maximum(r, 0)[None], np.maximum(-r, 0)[None])[0]

    def loss_and_gradient(parts):
        # e = p − q with p, q ≥ 0 makes the problem smooth, as in the paper's eq. 6.
        p, q = np.split(parts, 2)
        rest, mass = r - p + q, lam * parts.sum()
        gradient = 2 * np.concatenate([mass - rest, mass + rest])
        return rest @ rest + lam * parts.sum() ** 2, gradient

    best = minimize(
        loss_and_gradient,
        np.concatenate([np.maximum(r, 0), np.maximum(-r, 0)]) / 2,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * 2 * len(r),
        options={"ftol": 1e-15, "gtol": 1e-12, "maxiter": 10_000},
    )
    # One-sided: where the optimiser stops early, ours is the better one.
    assert reference.loss_l1(r, e, lam) <= best.fun + 1e-7


@given(residual_rows(max_rows=1, max_columns=9), LAMBDAS)
def test_squared_l0_is_the_best_of_all_supports(R, lam):
    r = R[0]
    e = SquaredL0(lam).noise(np.maximum(r, 0)[None], np.maximum(-r, 0)[None])[0]
    supports = np.array(np.meshgrid(*[[0, 1]] * len(r))).reshape(len(r), -1).T
    best = min(reference.loss_l0(r, support * r, lam) for support in supports)
    assert_allclose(reference.loss_l0(r, e, lam), best, rtol=1e-12, atol=1e-300)


@given(residual_rows(), LAMBDAS)
def test_squared_l1_meets_the_optimality_conditions(R, lam):
    """0 ∈ ∂: 2(e − r) + 2λ‖e‖₁·sign(e) = 0 where e ≠ 0, and |2r| ≤ 2λ‖e‖₁ where e = 0."""
    E = SquaredL1(lam).noise(np.maximum(R, 0), np.maximum(-R, 0))
    for r, e in zip(R, E, strict=True):
        pull = lam * np.abs(e).sum()
        slack = 1e-9 * np.abs(r).max() + 1e-13 * lam * np.abs(r).sum()
        assert_allclose((r - e)[e != 0], (pull * np.sign(e))[e != 0], atol=slack)
        assert (np.abs(r[e == 0]) <= pull + slack).all()


def test_float32_agrees_with_float64():
    rng = np.random.default_rng(0)
    X, P = rng.random((20, 50)), rng.random((20, 50))
    for model in (SquaredL1(0.1), SquaredL0(0.05), NoNoise()):
        double = model.clean(X, P.copy(), None, np.zeros(20))
        single = model.clean(
            X.astype(np.float32), P.astype(np.float32), None, np.zeros(20, np.float32)
        )
        assert single.rows.dtype == np.float32
        assert_allclose(single.rows, double.rows, atol=1e-6)
        assert_allclose(single.loss, double.loss, rtol=1e-5)


def test_penalties():
    E = np.array([[1.0, -2.0, 0.0], [0.0, 0.0, 0.0]])
    assert_allclose(SquaredL1(0.5).penalty(E), [4.5, 0.0])
    assert_allclose(SquaredL0(0.5).penalty(E), [2.0, 0.0])
    assert_allclose(NoNoise().penalty(E), [0.0, 0.0])


def test_only_squared_l0_knows_a_unit():
    X, P = np.array([[1.0, 5.0, 2.0]]), np.array([[1.0, 1.0, 1.0]])
    for model in (SquaredL1(0.3), SquaredL0(0.3)):
        assert_allclose(model.rescaled(8.0).noise(8 * X, 8 * P), 8 * model.noise(X, P))


def test_rounding_is_not_noise():
    X = np.full((1, 5), 1 / 3)
    P = X * (1 + 4 * np.finfo(float).eps * np.array([0, 1, 0, -1, 1]))
    for model in (SquaredL1(1e-3), SquaredL0(1e-40)):
        assert not model.noise(X, P).any()


def test_noise_models_refuse_weights():
    X = np.ones((2, 3))
    with pytest.raises(TypeError, match="weights"):
        SquaredL1(1.0).clean(X, X, X, np.zeros(2))
    with pytest.raises(TypeError, match="weights"):
        TruncatedSquares(X).clean(X, X, X, np.zeros(2))


@given(block=blocks(), seed=st.integers(0, 10**6))
def test_truncated_squares_are_the_best_noise_at_the_price_of_each_entry(block, seed):
    X, P = block
    rng = np.random.default_rng(seed)
    R = np.where(np.isnan(X), 0, X - P)
    thresholds = rng.choice([0.0, 0.5, 1.0, 2.0], X.shape) * np.abs(R).max()
    model = TruncatedSquares(thresholds)
    E = model.noise(X, P)
    loss = ((R - E) ** 2).sum(axis=1) + model.penalty(E)
    assert_allclose(loss, np.minimum(R**2, thresholds**2).sum(axis=1))
    cleaned = model.clean(X, P.copy(), None, np.zeros(len(X)))
    assert_allclose(cleaned.loss, loss)
    rounding = 1e-12 * max(np.abs(P).max(), np.abs(R).max())
    assert_allclose(cleaned.rows, np.where(np.isnan(X), P, X - E), atol=rounding)


def test_truncated_squares_of_some_rows_and_in_another_unit():
    rng = np.random.default_rng(0)
    X, P, thresholds = rng.random((3, 6, 4))
    model = TruncatedSquares(thresholds)
    E = model.noise(X, P)
    assert_array_equal(of_rows(model, [4, 1]).noise(X[[4, 1]], P[[4, 1]]), E[[4, 1]])
    assert_array_equal(of_rows(model, slice(2, 5)).penalty(E[2:5]), model.penalty(E)[2:5])
    assert_array_equal(model.rescaled(8.0).noise(8 * X, 8 * P), 8 * E)
    assert_allclose(model.rescaled(8.0).penalty(8 * E), 64 * model.penalty(E))


@pytest.mark.parametrize("line", [0.5, 2.0])
def test_the_equivalent_lam_draws_the_line_where_it_was_asked_to(line):
    """In rows that are all alike, so that "on average" is in each of them."""
    sizes = np.array([3.0, 4.0, 7.0])
    given_ = line, 2, 6, 2 * float((sizes - line).sum())
    model = SquaredL1(SquaredL1.equivalent_lam(*given_))
    assert_allclose(
        model.noise(np.append(sizes, 0.1)[None], np.zeros((1, 4))), [[*sizes - line, 0]]
    )
    # An entry at the line itself, give or take a little, is the last that is corrupt.
    model = SquaredL0(SquaredL0.equivalent_lam(*given_))
    for size, count in ((1.001 * line, 3), (0.999 * line, 2)):
        assert (model.noise(np.array([[4.0, 7.0, size]]), np.zeros((1, 3))) != 0).sum() == count


def test_without_corruption_lam_is_high():
    assert penalty_class("squared_l1").equivalent_lam(2.0, 0, 0, 0.0) == HIGHEST_LAM
    assert penalty_class("squared_l0").equivalent_lam(2.0, 0, 0, 0.0) == 4.0


def test_what_nothing_would_pull_at_far_from_a_fit_begins_with_an_easier_model():
    assert SquaredL0(1.0).is_hard(10)
    assert SquaredL1(0.009).is_hard(10)
    assert not SquaredL1(0.011).is_hard(10)
    assert not NoNoise().is_hard(10)
    assert Held(SquaredL0(1.0), np.ones((1, 1)), np.ones((1, 1))).is_hard(10)
