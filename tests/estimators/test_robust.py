"""What RobustNMF promises, on data whose truth is known."""

import os
import pickle
import subprocess
import sys
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import reference
from conftest import low_rank, spoil
from robustnmf import RobustNMF, WeightedNMF, robust_nmf
from robustnmf._fitting import factorize as _factorize
from robustnmf.metrics import detection_scores

# Every variant that must keep every promise.
VARIANTS = {
    "default": {},
    "mu": {"solver": "mu", "max_iter": 1000, "tol": 1e-3},
    "squared_l0": {"penalty": "squared_l0", "lam": 0.5},
    "refit": {"refit": "wnmf"},
    "mu refit": {"solver": "mu", "refit": "wnmf", "max_iter": 1000, "tol": 1e-3},
    "nndsvda": {"init": "nndsvda"},
    "restarts": {"n_init": 3},
}
variants = pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)


def model(**options):
    return RobustNMF(
        **{"n_components": 3, "lam": 0.3, "random_state": 0, "max_iter": 2000} | options
    )


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


KINDS = {
    "F order": np.asfortranarray,
    "list": lambda X: X.tolist(),
    "pandas": pd.DataFrame,
    "polars": lambda X: pl.DataFrame(X, schema=[str(j) for j in range(X.shape[1])]),
    "csr_matrix": sparse.csr_matrix,
    "csr_array": sparse.csr_array,
    "csc_matrix": sparse.csc_matrix,
    "csc_array": sparse.csc_array,
    "coo_array": sparse.coo_array,
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data_gives_the_same_answer(kind, dirty_data):
    X = dirty_data[0]
    expected = model().fit(X)
    data = KINDS[kind](X)
    fitted = model()
    assert_allclose(fitted.fit_transform(data), expected.transform(X), rtol=1e-9, atol=1e-9)
    found, restored = fitted.detect(data), fitted.denoise(data)
    assert sparse.issparse(found) == sparse.issparse(restored) == sparse.issparse(data)
    if sparse.issparse(data):
        found, restored = found.toarray(), restored.toarray()
    assert_array_equal(found, expected.detect(X))
    assert_allclose(restored, expected.denoise(X), rtol=1e-9, atol=1e-9)


def test_missing_values_in_sparse_data_and_frames(dirty_data):
    X = dirty_data[0].copy()
    X[3, :4] = np.nan
    expected = model().fit(X).components_
    frame = pd.DataFrame(X).astype("Float64")
    assert frame.isna().sum().sum() == 4
    for data in (sparse.csr_array(X), frame, pl.DataFrame(X).fill_nan(None)):
        assert_allclose(model().fit(data).components_, expected, rtol=1e-9, atol=1e-12)


def test_integers_are_the_same_as_their_floats(faces):
    pixels = faces[:30].astype(np.uint8)
    one, other = (model(n_components=5, lam=0.04).fit(A) for A in (pixels, faces[:30]))
    assert_array_equal(one.components_, other.components_)


@pytest.mark.parametrize("kind", ["uint8", "csr", "float32 F order"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_data_are_converted_block_by_block(kind):
    rng = np.random.default_rng(0)
    X = (rng.random((20_000, 400)) < 0.05).astype(np.uint8)
    X = {"uint8": lambda: X, "csr": lambda: sparse.csr_array(X)}.get(
        kind, lambda: np.asfortranarray(X, dtype=np.float32)
    )()
    fitted = model(n_components=2, lam=100.0, max_iter=2)
    fitted.fit(X[:100])  # the compiler's memory is not ours
    tracemalloc.start()
    fitted.fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Two threads hold some ten blocks of a megabyte each; the whole would be 64 MB.
    assert peak < 0.35 * 8 * 20_000 * 400


@variants
def test_data_are_never_written_to(options, dirty_data, tmp_path):
    X = dirty_data[0]
    path = tmp_path / "X.npy"
    np.save(path, X)
    mapped = np.load(path, mmap_mode="r")
    fitted = model(**options).fit(mapped)
    fitted.denoise(mapped)
    fitted.detect(mapped)
    assert_array_equal(mapped, X)
    readonly = sparse.csr_array(X)
    readonly.data.flags.writeable = False
    model(**options).fit(readonly)


def test_names_of_columns(dirty_data):
    frame = pd.DataFrame(dirty_data[0]).add_prefix("f")
    fitted = model().fit(frame)
    assert list(fitted.feature_names_in_[:2]) == ["f0", "f1"]
    assert list(fitted.get_feature_names_out()) == ["robustnmf0", "robustnmf1", "robustnmf2"]
    for kind, expected in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
        out = model().set_output(transform=kind).fit_transform(frame)
        assert isinstance(out, expected)
        assert list(out.columns) == ["robustnmf0", "robustnmf1", "robustnmf2"]
    with pytest.raises(ValueError, match="feature names"):
        fitted.transform(frame.rename(columns={"f0": "other"}))


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


def test_restarts_keep_the_best(dirty_data):
    X = dirty_data[0]
    rng = np.random.RandomState(5)
    singles = [model(random_state=rng, max_iter=30, tol=1e-2).fit(X) for _ in range(4)]
    best = model(random_state=np.random.RandomState(5), max_iter=30, tol=1e-2, n_init=4).fit(X)
    last = [m.history_["objective"][-1] for m in singles]
    assert best.history_["objective"][-1] == min(last)
    assert len(set(last)) > 1


def test_the_same_seed_gives_the_same_answer(dirty_data):
    X = dirty_data[0]
    first, second = model(random_state=7).fit(X), model(random_state=7).fit(X)
    assert_array_equal(first.components_, second.components_)
    assert not np.array_equal(first.components_, model(random_state=8).fit(X).components_)


@pytest.mark.slow
def test_the_number_of_threads_does_not_change_a_bit():
    script = """
import sys, numpy as np
from robustnmf import RobustNMF, WeightedNMF, robust_nmf
X = np.random.default_rng(0).random((1500, 300))
model = RobustNMF(5, random_state=0, max_iter=20, tol=0.5).fit(X)
sys.stdout.write(model.components_.tobytes().hex())
"""
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    ]
    assert len(outputs[0]) > 1000
    assert outputs[0] == outputs[1]


def test_unfinished_fits_say_what_to_change(dirty_data):
    with pytest.warns(ConvergenceWarning, match=r"max_iter=3.*Raise max_iter.*tol"):
        fitted = model(max_iter=3).fit(dirty_data[0])
    assert (fitted.n_iter_, fitted.converged_) == (3, False)


def test_an_unfinished_refit_says_so_too(dirty_data):
    X = dirty_data[0]
    settled = model().fit(X)
    start = settled.transform(X), settled.components_
    # From its own answer the robust fit has nothing left to do, but the refit has.
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        fitted = model(init=start, refit="wnmf", max_iter=12).fit(X)
    assert len(fitted.history_["objective"]) < 12
    assert not fitted.converged_


def test_the_warning_points_at_the_users_own_line(dirty_data):
    for fit in (model(max_iter=3).fit, lambda X: robust_nmf(X, 3, max_iter=3)):
        with pytest.warns(ConvergenceWarning) as caught:
            fit(dirty_data[0])
        assert caught[0].filename == __file__


def test_history(dirty_data):
    history = model().fit(dirty_data[0]).history_
    assert list(history) == ["iteration", "objective", "seconds"]
    assert history["iteration"] == list(range(len(history["iteration"])))
    assert (np.diff(history["seconds"]) >= 0).all()


def test_verbose_shows_how_it_goes(dirty_data, capsys):
    model(verbose=1, n_init=2, refit="wnmf").fit(dirty_data[0])
    shown = capsys.readouterr().err
    for part in ("fit 1/2: iteration 1/2000, objective", "fit 2/2", "refit", "converged after"):
        assert part in shown
    model().fit(dirty_data[0])
    assert capsys.readouterr().err == ""


def test_a_given_start_is_used_and_kept(dirty_data):
    X = dirty_data[0]
    rng = np.random.default_rng(0)
    W, H = rng.random((60, 3)), rng.random((3, 40))
    before = W.copy(), H.copy()
    fitted = model(init=(W, H)).fit(X)
    assert_array_equal(W, before[0])
    assert_array_equal(H, before[1])
    first = fitted.history_["objective"][0]
    expected = sum(
        reference.clean(x, p, 0.3, "squared_l1")[1] for x, p in zip(X, W @ H, strict=True)
    )
    assert_allclose(first, expected)


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
    names = set(_factorize.Settings.__dataclass_fields__) - {"start_is_ours"}
    assert names <= set(RobustNMF().get_params()) & (set(WeightedNMF().get_params()) | {"lam"})
