import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

import reference
from conftest import low_rank, spoil
from robustnmf import RobustNMF, robust_nmf
from robustnmf._core.noise import SquaredL1

OPTIONS = {"lam": 0.3, "random_state": 0, "max_iter": 2000}


@pytest.mark.parametrize("scale", [1.0, 1e200])
def test_hals_returns_its_factors_with_their_exact_noise(dirty_data, scale):
    X = dirty_data[0]
    if scale != 1:
        X = np.float32(1e25) * X.astype(np.float32)
    W, H, E, n_iter = robust_nmf(X, 3, **OPTIONS)
    assert n_iter > 10
    assert_allclose(
        E.toarray() / X.mean(), SquaredL1(0.3).noise(X / X.mean(), W @ H / X.mean()), atol=1e-5
    )
    fitted = RobustNMF(3, **OPTIONS).fit(X)
    assert_allclose(H, fitted.components_, rtol=1e-6)


def test_mu_returns_the_papers_own_iterates():
    X, _ = spoil(low_rank(20, 15, 2))
    rng = np.random.default_rng(0)
    W, H = rng.random((20, 2)), rng.random((2, 15))
    with pytest.warns(ConvergenceWarning):
        found = robust_nmf(X, 2, solver="mu", init=(W, H), max_iter=7, tol=0)
    Ep = np.minimum(np.full(X.shape, 0.1 * X.mean()), X + 0.1 * X.mean())
    En = np.full(X.shape, 0.1 * X.mean())
    for _ in range(7):
        W, H, Ep, En = reference.paper_step(X, W, H, Ep, En, 0.04)
    assert_allclose(found[0], W, rtol=1e-9)
    assert_allclose(found[1], H, rtol=1e-9)
    E = Ep - En
    assert_allclose(
        found[2].toarray(), np.where(np.abs(E) > 0.01 * X.mean(), E, 0), rtol=1e-9, atol=1e-12
    )
    assert found[3] == 7


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", ["hals", "mu"])
def test_refit_leaves_the_whole_residual_in_the_noise(dirty_data, solver):
    X, _, clean = dirty_data
    options = OPTIONS | {"solver": solver, "lam": 0.04, "tol": 1e-3, "max_iter": 2000}
    *_, E, _ = robust_nmf(X, 3, **options)
    W, H, refit_E, _ = robust_nmf(X, 3, refit="wnmf", **options)
    support = E.toarray() != 0
    assert_allclose(refit_E.toarray(), np.where(support, X - W @ H, 0))
    assert np.linalg.norm(W @ H - clean) < 0.2 * np.linalg.norm(clean)


def test_bad_arguments_are_refused_like_those_of_the_estimator(dirty_data):
    with pytest.raises(ValueError, match="lam must be"):
        robust_nmf(dirty_data[0], 3, lam=-1.0)
    with pytest.raises(ValueError, match="Negative values"):
        robust_nmf(-dirty_data[0], 3)


def test_verbose(dirty_data, capsys):
    robust_nmf(dirty_data[0], 3, verbose=1, **OPTIONS)
    assert "iteration 1/2000" in capsys.readouterr().err
