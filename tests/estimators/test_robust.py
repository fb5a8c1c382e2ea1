"""What RobustNMF promises, on data whose truth is known."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.decomposition import NMF
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import reference
from conftest import low_rank, spoil
from robustnmf import RobustNMF, WeightedNMF
from robustnmf._fitting import factorize as _factorize
from robustnmf.metrics import detection_scores
from variants import model, variants


def test_exact_factorization_with_five_percent_corruption_is_recovered():
    clean = low_rank(n=300, m=100, k=4)
    X, mask = spoil(clean)
    for options in ({"lam": 0.04, "refit": "wnmf"}, {"penalty": "squared_l0", "lam": 1.0}):
        fitted = model(n_components=4, tol=1e-6, **options).fit(X)
        assert detection_scores(mask, fitted.detect(X)).f1 >= 0.99
        error = np.linalg.norm(fitted.denoise(X) - clean) / np.linalg.norm(clean)
        assert error <= 0.01


@pytest.mark.filterwarnings(
    "ignore:Maximum number of iterations:sklearn.exceptions.ConvergenceWarning"
)
@pytest.mark.parametrize("data", ["faces", "synthetic"])
def test_without_noise_it_is_as_good_as_scikit_learns_nmf(data, faces):
    X = faces if data == "faces" else spoil(low_rank(200, 50, 5))[0]
    rng = np.random.default_rng(0)
    k = 10
    W, H = (np.sqrt(X.mean() / k) * rng.random(s) for s in ((len(X), k), (k, X.shape[1])))
    plain = NMF(k, init="custom", solver="cd", tol=1e-6, max_iter=5000)
    plain.fit_transform(X, W=W.copy(), H=H.copy())
    ours = RobustNMF(k, lam=1e12, init=(W, H), tol=1e-6, max_iter=5000).fit(X)
    assert ours.objective_ <= 1.01 * plain.reconstruction_err_**2


@variants
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_fit_keeps_the_promises_of_the_method(options, missing, dtype, dirty_data):
    X = dirty_data[0].astype(dtype)
    if missing:
        X[np.random.default_rng(3).random(X.shape) < 0.1] = np.nan
    fitted = model(**options)
    W = fitted.fit_transform(X)
    H, E = fitted.components_, fitted.noise_
    assert W.dtype == H.dtype == E.dtype == dtype
    assert (W >= 0).all()
    assert (H >= 0).all()
    assert np.nanmin(X - E.toarray()) >= -1e-5 * np.nanmax(X)
    assert not E.toarray()[np.isnan(X)].any()
    objectives = fitted.history_["objective"]
    assert (np.diff(objectives) <= 0).all()
    assert len(objectives) == fitted.n_iter_ or fitted.refit
    assert fitted.converged_
    expected = reference.objective(X, W, H, E.toarray(), fitted.lam_, fitted.penalty)
    assert_allclose(fitted.objective_, expected, rtol=1e-3 if dtype == np.float32 else 1e-9)
    misfit = np.where(np.isnan(X), 0, X - W @ H - E.toarray())
    # An exact fit leaves rounding, which is summed up in another order here.
    rounding = np.finfo(dtype).eps * np.linalg.norm(np.nan_to_num(X))
    assert_allclose(fitted.reconstruction_err_, np.linalg.norm(misfit), rtol=1e-3, atol=rounding)


@variants
def test_fit_transform_is_transform(options, dirty_data):
    X = dirty_data[0]
    fitted = model(**options)
    W = fitted.fit_transform(X)
    assert_allclose(fitted.transform(X), W, rtol=1e-9, atol=1e-9)
    assert_allclose(fitted.estimate_noise(X).toarray(), fitted.noise_.toarray(), atol=1e-9)


@variants
def test_a_sample_does_not_depend_on_its_batch_mates(options, dirty_data):
    X = dirty_data[0]
    fitted = model(**options).fit(X)
    alone = np.vstack([fitted.transform(x[None]) for x in X[:10]])
    assert_allclose(fitted.transform(X)[:10], alone, atol=1e-7)


@variants
def test_the_size_of_blocks_does_not_change_the_answer(options, dirty_data, monkeypatch):
    X = dirty_data[0]
    whole = model(**options).fit(X)
    monkeypatch.setattr("robustnmf._engines.memory.default_block_rows", lambda *size: 7)
    blocks = model(**options).fit(X)
    assert blocks.n_iter_ == whole.n_iter_
    assert_allclose(blocks.components_, whole.components_, rtol=1e-10, atol=1e-10)
    assert_allclose(blocks.objective_, whole.objective_, rtol=1e-10)


@given(power=st.floats(-6, 6), options=st.sampled_from([{}, {"refit": "wnmf"}]))
@settings(max_examples=15)
def test_the_unit_of_the_data_does_not_matter(power, options):
    X, _ = spoil(low_rank())
    c = 10.0**power
    one, other = model(**options).fit(X), model(**options).fit(c * X)
    assert_array_equal(one.detect(X), other.detect(c * X))
    assert_allclose(other.denoise(c * X), c * one.denoise(X), rtol=1e-6)
    assert_allclose(other.noise_.toarray(), c * one.noise_.toarray(), rtol=1e-6, atol=c * 1e-9)


def test_float32_and_float64_agree(dirty_data):
    X = dirty_data[0]
    single, double = model().fit(X.astype(np.float32)), model().fit(X)
    assert_allclose(single.objective_, double.objective_, rtol=1e-3)
    agreement = (single.detect(X.astype(np.float32)) == double.detect(X)).mean()
    assert agreement > 0.99


def test_noise_of_the_l1_model_is_underestimated_and_the_refit_mends_it(dirty_data):
    X, mask, clean = dirty_data
    truth = (X - clean)[mask]
    plain, refit = (model(lam=0.04, refit=r, tol=1e-6).fit(X) for r in (None, "wnmf"))
    shrunk, mended = (m.noise_.toarray()[mask] for m in (plain, refit))
    assert np.mean(shrunk / truth) < 0.97
    assert abs(np.mean(mended / truth) - 1) < 0.01


def test_denoise_keeps_clean_entries_as_measured(dirty_data):
    X, _, clean = dirty_data
    X = X.copy()
    X[5, 5] = np.nan
    fitted = model().fit(X)
    restored, smooth = fitted.denoise(X), fitted.denoise(X, keep_clean=False)
    replaced = fitted.detect(X) | np.isnan(X)
    assert_array_equal(restored[~replaced], X[~replaced])
    assert_array_equal(restored[replaced], smooth[replaced])
    assert abs(restored[5, 5] - clean[5, 5]) < 0.3 * clean.mean()
    assert_allclose(smooth, fitted.inverse_transform(fitted.transform(X)))


def test_score_is_minus_the_objective_per_known_entry(dirty_data):
    X = dirty_data[0].copy()
    X[0, :3] = np.nan
    fitted = model().fit(X)
    assert_allclose(fitted.score(X), -fitted.objective_ / (X.size - 3), rtol=1e-9)


def test_pickling_and_cloning(dirty_data):
    X = dirty_data[0]
    fitted = model().fit(X)
    again = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(again.transform(X), fitted.transform(X))
    assert not hasattr(clone(fitted), "components_")


def test_pipeline_and_grid_search(dirty_data):
    X = dirty_data[0]
    pipeline = make_pipeline(MinMaxScaler(clip=True), model())
    assert pipeline.fit_transform(X).shape == (60, 3)
    search = GridSearchCV(model(), {"n_components": [1, 3]}, cv=3).fit(X)
    assert search.best_params_ == {"n_components": 3}


def test_a_fit_without_refit_forgets_an_earlier_one_with_it(dirty_data):
    X = dirty_data[0]
    fitted = model(refit="wnmf").fit(X)
    assert hasattr(fitted, "screening_components_")
    fitted.set_params(refit=None).fit(X)
    assert not hasattr(fitted, "screening_components_")
    assert_array_equal(fitted.transform(X), model().fit(X).transform(X))


def test_a_fitted_model_does_not_change_with_its_parameters(dirty_data):
    X = dirty_data[0]
    fitted = model().fit(X)
    before = fitted.detect(X)
    assert_array_equal(fitted.set_params(lam=100.0).detect(X), before)


def test_numba_is_not_needed(dirty_data, monkeypatch):
    """Where Numba is absent the portable kernels give the same model."""
    from robustnmf import _kernels as kernels

    X = dirty_data[0]
    fused = model().fit(X)
    monkeypatch.setattr(kernels, "_numpy_kernels", lambda: kernels.portable)
    plain = model().fit(X)
    assert_allclose(plain.objective_, fused.objective_, rtol=1e-6)
    assert_array_equal(plain.detect(X), fused.detect(X))


def test_exact_data_have_no_noise_and_end_the_run():
    X = np.outer(np.arange(1.0, 9.0), np.arange(1.0, 6.0))
    fitted = RobustNMF(1, random_state=0, tol=0.0).fit(X)
    assert fitted.converged_
    assert fitted.noise_.nnz == 0
    assert_allclose(fitted.denoise(X, keep_clean=False), X, rtol=1e-6)


def test_settings_are_checked_in_one_place():
    names = set(_factorize.Settings.__dataclass_fields__) - {"start_is_ours", "checkpoint"}
    assert names <= set(RobustNMF().get_params()) & (set(WeightedNMF().get_params()) | {"lam"})
