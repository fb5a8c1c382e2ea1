"""WeightedNMF: weights, masks, missing values, both solvers."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.decomposition import NMF
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from conftest import low_rank
from robustnmf import RobustNMF, WeightedNMF

solvers = pytest.mark.parametrize("solver", ["hals", "mu"])


def model(**options):
    return WeightedNMF(**{"n_components": 3, "random_state": 0, "max_iter": 5000} | options)


@pytest.fixture
def weights():
    return np.random.default_rng(2).random((60, 40))


@solvers
@pytest.mark.parametrize("kind", ["mask", "weights"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_fit_keeps_the_promises(solver, kind, dtype, clean_data, weights):
    X = (clean_data * np.random.default_rng(0).lognormal(sigma=0.1, size=(60, 40))).astype(dtype)
    Q = weights > 0.3 if kind == "mask" else weights
    fitted = model(solver=solver)
    W = fitted.fit_transform(X, weights=Q)
    assert W.dtype == fitted.components_.dtype == dtype
    assert (W >= 0).all()
    assert (fitted.components_ >= 0).all()
    assert (np.diff(fitted.history_["objective"]) <= 0).all()
    expected = np.sum(Q * (X - W @ fitted.components_) ** 2)
    assert_allclose(fitted.objective_, expected, rtol=1e-4)
    assert_allclose(fitted.reconstruction_err_, np.sqrt(expected), rtol=1e-4)
    assert_allclose(fitted.score(X, weights=Q), -expected / np.count_nonzero(Q), rtol=1e-4)
    assert_allclose(fitted.transform(X, weights=Q), W, rtol=1e-4, atol=1e-4)


@solvers
def test_entries_of_weight_zero_do_not_matter(solver, clean_data, weights):
    truth = clean_data * np.random.default_rng(0).lognormal(sigma=0.1, size=(60, 40))
    Q = (weights > 0.2).astype(float)
    spoiled = np.where(Q > 0, truth, 1e6)
    missing = np.where(Q > 0, truth, np.nan)
    expected = model(solver=solver, init=_start(truth)).fit(missing).components_
    for X, q in ((spoiled, Q), (spoiled, Q > 0), (missing, Q), (missing, np.ones_like(Q))):
        fitted = model(solver=solver, init=_start(truth)).fit(X, weights=q)
        assert_allclose(fitted.components_, expected, rtol=1e-7, atol=1e-9)
    # And they do matter once they count.
    assert not np.allclose(
        model(solver=solver, init=_start(truth)).fit(spoiled).components_, expected
    )


def _start(X):
    rng = np.random.default_rng(0)
    level = np.sqrt(X.mean() / 3)
    return level * rng.random((len(X), 3)), level * rng.random((3, X.shape[1]))


@solvers
def test_missing_entries_are_filled_in(solver):
    truth = low_rank(80, 50, 3)
    X = truth * np.random.default_rng(0).lognormal(sigma=0.01, size=truth.shape)
    X[np.random.default_rng(1).random(truth.shape) < 0.3] = np.nan
    fitted = model(solver=solver, max_iter=20_000)
    filled = fitted.inverse_transform(fitted.fit_transform(X))
    hidden = np.isnan(X)
    error = np.linalg.norm((filled - truth)[hidden]) / np.linalg.norm(truth[hidden])
    assert error < 0.02


def test_without_weights_it_is_plain_nmf(clean_data):
    X = clean_data + np.random.default_rng(0).random(clean_data.shape)
    start = _start(X)
    plain = NMF(3, init="custom", tol=1e-6, max_iter=5000)
    plain.fit_transform(X, W=start[0].copy(), H=start[1].copy())
    ours = model(init=start, tol=1e-6).fit(X)
    assert ours.objective_ <= 1.001 * plain.reconstruction_err_**2


def test_the_refit_of_robust_nmf_is_this(dirty_data):
    X = dirty_data[0]
    robust = RobustNMF(3, lam=0.3, random_state=0, max_iter=2000).fit(X)
    refit = RobustNMF(3, lam=0.3, random_state=0, max_iter=2000, refit="wnmf").fit(X)
    clean = robust.noise_.toarray() == 0
    start = (robust.transform(X), robust.components_)
    # Next to nothing, because an entry of weight 0 is missing, and missing ones are held.
    weights = np.where(clean, 1, 1e-12)
    weighted = model(init=start, max_iter=2000).fit(X, weights=weights)
    assert_allclose(refit.components_, weighted.components_, rtol=1e-6)


def test_sparse_and_frame_weights(clean_data, weights):
    Q = np.where(weights > 0.5, weights, 0)
    expected = model().fit(clean_data, weights=Q).components_
    for kind in (sparse.csr_array, sparse.csc_matrix, pd.DataFrame, np.asfortranarray):
        assert_allclose(model().fit(clean_data, weights=kind(Q)).components_, expected, rtol=1e-9)
    assert_array_equal(model().fit(sparse.csr_array(clean_data), weights=Q).components_, expected)


def test_weights_are_routed_through_pipelines(clean_data, weights):
    with sklearn.config_context(enable_metadata_routing=True):
        step = model().set_fit_request(weights=True).set_transform_request(weights=True)
        pipeline = make_pipeline(FunctionTransformer(), step)
        W = pipeline.fit(clean_data, weights=weights).transform(clean_data, weights=weights)
    assert_allclose(W, model().fit_transform(clean_data, weights=weights))


def test_duplicate_entries_of_sparse_weights_are_added_up_before_they_are_checked(clean_data):
    i, j = (A.ravel() for A in np.indices((60, 40)))
    rows = np.argsort(np.tile(i, 2), kind="stable")
    twice = sparse.csr_array(
        (np.full(4800, 0.6), np.tile(j, 2)[rows], np.arange(0, 4801, 80)), shape=(60, 40)
    )
    with pytest.raises(ValueError, match=r"to 1\.2"):
        model().fit(clean_data, weights=twice)


@solvers
@pytest.mark.parametrize("factor", [1e-3, 1e-6, 1e-12])
def test_only_the_ratio_of_weights_matters(solver, factor, clean_data, weights):
    X = clean_data * np.random.default_rng(0).lognormal(sigma=0.1, size=(60, 40))
    one, other = (model(solver=solver).fit(X, weights=w) for w in (weights, factor * weights))
    assert_allclose(other.objective_ / factor, one.objective_, rtol=1e-3)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.ones((60, 39)), r"weights must have the shape of X, \(60, 40\); got \(60, 39\)"),
        (np.ones(60), "weights must be an array of numbers of the shape of X.*1D array"),
        (np.full((60, 40), 2.0), r"weights must lie in \[0, 1\]; got values from 2.0 to 2.0"),
        (np.full((60, 40), -0.5), r"weights must lie in \[0, 1\]"),
        (np.full((60, 40), np.nan), "weights contain NaN; use 0"),
        ("balanced", r"weights must be an array of numbers of the shape of X, \(60, 40\)"),
        (np.ma.ones((60, 40)), "weights is a masked array"),
        (np.zeros((60, 40)), "60 rows in which every value is NaN or of weight 0"),
        (np.repeat([[0.0] + [1.0] * 39], 60, axis=0), r"1 column in which .*column 0"),
    ],
)
def test_bad_weights_are_refused(bad, message, clean_data):
    with pytest.raises(ValueError, match=message):
        model().fit(clean_data, weights=bad)
