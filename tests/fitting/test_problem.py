import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from tests.conftest import low_rank, spoil

from robustnmf import RobustNMF
from robustnmf._core.noise import SquaredL1
from robustnmf._fitting import problem
from robustnmf._fitting.data import examine
from robustnmf._fitting.problem import Problem

NOISE = SquaredL1(0.04)


def data(scale=1.0, exact=False):
    clean = low_rank(n=500, m=240, k=4)
    rough = clean * np.random.default_rng(2).normal(1.0, 0.05, clean.shape).clip(0.5)
    return scale * (clean if exact else spoil(rough)[0])


def fitted(X, single, monkeypatch, **settings):
    least = 0 if single else X.size + 1
    monkeypatch.setattr(problem, "SINGLE", problem.SINGLE._replace(least_entries=least))
    return RobustNMF(4, random_state=0, **settings).fit(X)


@pytest.mark.parametrize("scale", [1.0, 1e-25, 1e25, 1e-120, 1e100])
@pytest.mark.parametrize("penalty", ["squared_l1", "squared_l0"])
def test_ends_as_low_as_double_precision_alone(monkeypatch, scale, penalty):
    X = data(scale)
    lam = 0.04 if penalty == "squared_l1" else 0.5 * float(X.mean()) ** 2
    rough, whole = (
        fitted(X, single, monkeypatch, penalty=penalty, lam=lam) for single in (True, False)
    )
    assert rough.objective_ <= whole.objective_ * (1 + 1e-4)
    assert rough.components_.dtype == np.float64


@pytest.mark.parametrize("max_iter", [1, 2, 7, 500])
def test_the_history_is_that_of_one_run(monkeypatch, max_iter):
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        model = fitted(data(), True, monkeypatch, max_iter=max_iter)
    objective = model.history_["objective"]
    assert len(objective) == model.n_iter_ <= max_iter
    assert model.history_["iteration"] == [*range(model.n_iter_)]
    assert np.all(np.diff(objective) <= 1e-12 * np.abs(objective[:-1]))
    assert np.all(np.diff(model.history_["seconds"]) >= 0)


def test_what_has_an_exact_answer_is_still_fitted_to_the_digits_of_double(monkeypatch):
    X = data(exact=True)
    model = fitted(X, True, monkeypatch, tol=0.0, max_iter=1_500)
    misfit = np.abs(X - model.transform(X) @ model.components_ - model.noise_.toarray())
    # Far below what single precision could tell.
    assert misfit.mean() <= 1e-9 * X.mean()


def test_small_or_single_data_are_left_as_they_are():
    for X in (data()[:50], data().astype(np.float32)):
        summary = examine(X, None, "a test", columns=True)
        assert Problem.in_single(X, None, summary, NOISE) is None


def test_factors_move_between_precisions_unchanged():
    X = data(1e20)
    summary = examine(X, None, "a test", columns=True)
    double = Problem.of(X, None, summary, NOISE)
    single = Problem.in_single(X, None, summary, NOISE)
    rng = np.random.default_rng(3)
    W, H = (rng.random(shape).astype(np.float32) for shape in ((500, 4), (4, 240)))
    moved = single.moved(W, H, double)
    expected = (W @ H).astype(np.float64) / single.units.factor
    np.testing.assert_allclose(moved[0] @ moved[1] / double.units.factor, expected, rtol=1e-5)
    back = double.moved(*moved, single)
    np.testing.assert_array_equal(back[0], W)
    np.testing.assert_array_equal(back[1], H)
