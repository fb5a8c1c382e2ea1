"""Predictions from the other cells of a row, against solving for each cell by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustnmf._tables.judging import gaussian
from robustnmf._tables.judging.gaussian import COVARIANCE, Gaussian, first_guess, learn

LEAST = COVARIANCE.shrinkages[0]


def conditional(mean, C, z, j, given_cells):
    """Mean and variance of cell j, from the definition."""
    b = [c for c in given_cells if c != j]
    if not b:
        return mean[j], C[j, j]
    weights = np.linalg.solve(C[np.ix_(b, b)], C[b, j])
    return mean[j] + weights @ (z[b] - mean[b]), C[j, j] - weights @ C[b, j]


@st.composite
def rows_and_models(draw):
    n, m = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    A = rng.normal(size=(m, m))
    model = Gaussian(rng.normal(size=m), A @ A.T + 0.1 * np.eye(m))
    use = rng.random((n, m)) < draw(st.sampled_from([0.0, 0.3, 0.8, 1.0]))
    return model, rng.normal(size=(n, m)), use


@given(rows_and_models())
def test_predictions(case):
    model, Z, use = case
    # What does not count may be anything.
    prediction, variance = model.predict(np.where(use, Z, 1e6), use)
    for i, row in enumerate(Z):
        for j in range(Z.shape[1]):
            mean, var = conditional(model.mean, model.covariance, row, j, np.flatnonzero(use[i]))
            assert prediction[i, j] == pytest.approx(mean, rel=1e-6, abs=1e-6)
            assert variance[i, j] == pytest.approx(var, rel=1e-6)


@given(rows_and_models())
def test_filling(case):
    model, Z, use = case
    filled, spread = model.filled(np.where(use, Z, 1e6), use)
    C, expected = model.covariance, np.zeros(model.covariance.shape)
    np.testing.assert_allclose(filled[use], Z[use], atol=1e-9)
    for i, row in enumerate(Z):
        a, b = np.flatnonzero(~use[i]), np.flatnonzero(use[i])
        for j in a:
            mean, _ = conditional(model.mean, C, row, j, b)
            assert filled[i, j] == pytest.approx(mean, rel=1e-6, abs=1e-6)
        inside = C[np.ix_(a, a)] - C[np.ix_(a, b)] @ np.linalg.solve(
            C[np.ix_(b, b)], C[np.ix_(b, a)]
        )
        expected[np.ix_(a, a)] += inside
    np.testing.assert_allclose(spread, expected, rtol=1e-6, atol=1e-8)


def test_batches_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(6, 6))
    model = Gaussian(np.zeros(6), A @ A.T + np.eye(6))
    Z, use = rng.normal(size=(50, 6)), rng.random((50, 6)) < 0.7
    whole = model.predict(Z, use)
    monkeypatch.setattr(gaussian, "BATCH_NUMBERS", 20)
    np.testing.assert_allclose(model.predict(Z, use), whole)


def drawn(n=4000):
    rng = np.random.default_rng(0)
    C = np.array([[1.0, 0.8, -0.3], [0.8, 1.0, 0.1], [-0.3, 0.1, 1.0]])
    mean = np.array([0.2, -0.1, 0.0])
    return rng.multivariate_normal(mean, C, n), mean, C


def test_a_covariance_is_learned_though_cells_are_missing():
    Z, mean, C = drawn()
    # Cells are missing more often where the first column is large, which would bias a mere mean.
    use = np.random.default_rng(1).random(Z.shape) > np.where(Z[:, :1] > 0.5, [0, 0.6, 0.6], 0.1)
    use[:, 0] = True
    Z = np.where(use, Z, 99.0)
    model = learn(Z, use, first_guess(Z, use, LEAST), LEAST, rounds=30)
    np.testing.assert_allclose(model.mean, mean, atol=0.06)
    np.testing.assert_allclose(model.covariance, C, atol=0.08)


def test_giants_hardly_matter_before_anything_is_suspected():
    Z, _, C = drawn()
    Z[::50, 0] = 40
    model = first_guess(Z, np.ones(Z.shape, dtype=bool), LEAST)
    assert abs(model.covariance[0, 1] - C[0, 1]) < 0.15


@pytest.mark.parametrize("m", [1, 2, 5])
def test_the_same_column_again_and_a_constant_one_can_be_inverted(m):
    Z = np.repeat(np.random.default_rng(0).normal(size=(50, 1)), m, axis=1)
    Z[:, -1] = 0
    use = np.ones(Z.shape, dtype=bool)
    model = learn(Z, use, first_guess(Z, use, LEAST), LEAST, 5)
    prediction, variance = model.predict(Z, use)
    assert np.isfinite(prediction).all()
    assert (variance > 0).all()


def test_shrinkage_draws_correlations_towards_nothing():
    Z, _, _ = drawn()
    use = np.ones(Z.shape, dtype=bool)
    weak, strong = (first_guess(Z, use, s).covariance[0, 1] for s in (0.005, 0.6))
    assert strong == pytest.approx(weak * 0.4 / 0.995)
