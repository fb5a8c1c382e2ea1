import numpy as np
import pytest
from scipy import stats

from robustnmf._tables.judging.density import DENSITY, CleanDensity, learn_density, log_wrong

RNG = np.random.default_rng(0)


def column(values):
    return np.asarray(values, dtype=float)[:, None]


@pytest.mark.parametrize("below", [(0.5, 1.5), (1.0, 8.0), (2.0, 3.0)])
@pytest.mark.parametrize("above", [(1.0, 4.0), (0.2, 2.0)])
def test_the_density_of_clean_cells_is_one(below, above):
    density = CleanDensity(column([below[0], above[0]]), column([below[1], above[1]]))
    # Far out with even steps of the logarithm, as the tails are heavy.
    x = np.concatenate([-np.geomspace(1e6, 1e-6, 40_000), np.geomspace(1e-6, 1e6, 40_000)])
    logs = density.log(column(x), np.ones((len(x), 1)), np.zeros((len(x), 1)))[:, 0]
    assert np.trapezoid(np.exp(logs), x) == pytest.approx(1, abs=0.01)


def test_with_two_equal_sides_it_is_students_t():
    density = CleanDensity(np.full((2, 1), 0.7), np.full((2, 1), 4.0))
    x = np.linspace(-9, 9, 101)
    logs = density.log(column(x), np.full((101, 1), 2.0), np.zeros((101, 1)))[:, 0]
    np.testing.assert_allclose(logs, stats.t.logpdf(x, 4, scale=1.4))


def test_the_density_of_wrong_cells_is_one():
    x = np.concatenate([-np.geomspace(1e6, 1e-6, 40_000), np.geomspace(1e-6, 1e6, 40_000)])
    assert np.trapezoid(np.exp(log_wrong(x)), x) == pytest.approx(1, abs=0.01)


def test_no_residual_is_told_finer_than_it_can_be_written():
    density = CleanDensity(np.full((2, 1), 1.0), np.full((2, 1), 4.0))
    one = np.full((1, 1), 1e-9)
    fine = density.log(0 * one, one, 0 * one)
    assert fine[0, 0] == pytest.approx(stats.t.logpdf(0, 4, scale=DENSITY.least_spread))
    coarse = density.log(0 * one, one, np.full((1, 1), 3.0))
    assert coarse[0, 0] == pytest.approx(stats.t.logpdf(0, 4, scale=1.5))


def test_spread_and_tails_are_learned():
    n = 20_000
    residual = np.stack(
        [stats.t.rvs(3, scale=0.5, size=n, random_state=1), RNG.normal(0, 2, n)], axis=1
    )
    density = learn_density(residual, np.ones((n, 2)), np.ones((n, 2), dtype=bool))
    np.testing.assert_allclose(density.tails[:, 0], 3, rtol=0.15)
    np.testing.assert_allclose(density.spread[:, 0], 0.5, rtol=0.05)
    # A Gaussian has the lightest tails that there are.
    np.testing.assert_allclose(density.tails[:, 1], DENSITY.tails[-1], rtol=0.1)
    np.testing.assert_allclose(density.spread[:, 1] * 0.706, 2 * 0.6745, rtol=0.05)


def test_each_side_has_its_own():
    n = 20_000
    residual = np.where(np.arange(n) % 2, RNG.exponential(3, n), -RNG.exponential(1, n))
    density = learn_density(column(residual), np.ones((n, 1)), np.ones((n, 1), dtype=bool))
    assert density.spread[1, 0] > 2 * density.spread[0, 0]


def test_what_the_prediction_promised_counts():
    n = 5000
    promised = np.where(np.arange(n) % 2, 1.0, 10.0)
    residual = RNG.normal(size=n) * promised * 3
    density = learn_density(column(residual), column(promised), np.ones((n, 1), dtype=bool))
    np.testing.assert_allclose(density.spread * 0.706, 3 * 0.6745, rtol=0.1)


def test_suspects_do_not_count():
    residual = np.append(RNG.normal(size=5000), np.full(5000, 30.0))
    clean = np.arange(10_000) < 5000
    with_them, without = (
        learn_density(column(residual), np.ones((10_000, 1)), column(mask).astype(bool))
        for mask in (np.ones(10_000), clean)
    )
    assert with_them.spread[1, 0] > 5 * without.spread[1, 0]


@pytest.mark.parametrize("n", [0, 1, 5])
def test_few_residuals_teach_nothing_and_break_nothing(n):
    density = learn_density(np.ones((n, 2)), np.ones((n, 2)), np.ones((n, 2), dtype=bool))
    assert np.isfinite(density.spread).all()
    assert ((density.tails >= DENSITY.tails[0]) & (density.tails <= DENSITY.tails[-1])).all()


def test_residuals_of_nothing():
    zeros = np.zeros((100, 1))
    density = learn_density(zeros, zeros + 1, np.ones((100, 1), dtype=bool))
    assert np.isfinite(density.log(zeros, zeros + 1, zeros)).all()


def test_one_column_alone():
    density = CleanDensity(np.array([[1.0, 2], [3, 4]]), np.array([[2.0, 3], [4, 5]]))
    x = RNG.normal(size=(10, 2))
    whole = density.log(x, np.ones((10, 2)), np.zeros((10, 2)))
    one = density.column(1).log(x[:, 1:], np.ones((10, 1)), np.zeros((10, 1)))
    np.testing.assert_array_equal(whole[:, 1:], one)


def test_densities_are_those_of_student():
    spread, tails = RNG.uniform(0.2, 3, (2, 5)), RNG.uniform(1.5, 8, (2, 5))
    residual, promised = RNG.normal(size=(50, 5)), RNG.uniform(0.5, 2, (50, 5))
    found = np.exp(CleanDensity(spread, tails).log(residual, promised, np.zeros((50, 5))))
    scale = promised[..., None] * spread.T
    # Two halves that meet at 0, each as high there as the other.
    heights = stats.t.pdf(0, tails.T)
    share = scale / heights / (scale / heights).sum(axis=-1, keepdims=True)
    half = 2 * share * stats.t.pdf(residual[..., None] / scale, tails.T) / scale
    assert found == pytest.approx(np.where(residual < 0, half[..., 0], half[..., 1]), rel=1e-9)
