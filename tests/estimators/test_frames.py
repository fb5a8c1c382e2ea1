"""Frames in, frames out, with index and columns kept."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from robustnmf import RobustNMF, WeightedNMF

METHODS = ["detect", "denoise", "estimate_noise", "noise_probability"]
COLUMNS = [f"c{j}" for j in range(40)]


@pytest.fixture(scope="module")
def fitted():
    from conftest import low_rank, spoil

    X = spoil(low_rank(), size=5.0)[0]
    X[3, 4] = np.nan
    index = [f"sample {i}" for i in range(len(X))]
    frame = pd.DataFrame(X, columns=COLUMNS, index=index)
    return RobustNMF(3, lam="auto", random_state=0).fit(frame), frame


@pytest.mark.parametrize("method", METHODS)
def test_pandas_in_pandas_out(fitted, method):
    model, frame = fitted
    found = getattr(model, method)(frame)
    assert isinstance(found, pd.DataFrame)
    pd.testing.assert_index_equal(found.index, frame.index)
    pd.testing.assert_index_equal(found.columns, frame.columns)
    with pytest.warns(UserWarning, match="valid feature names"):
        plain = getattr(model, method)(frame.to_numpy())
    plain = plain.toarray() if sparse.issparse(plain) else plain
    assert_array_equal(found.to_numpy(), plain)


@pytest.mark.parametrize("method", METHODS)
def test_polars_in_polars_out(fitted, method):
    model, frame = fitted
    found = getattr(model, method)(pl.DataFrame(frame.to_numpy(), schema=COLUMNS))
    assert isinstance(found, pl.DataFrame)
    assert found.columns == COLUMNS
    assert_array_equal(found.to_numpy(), getattr(model, method)(frame).to_numpy())


def test_the_answers_are_of_use_as_frames(fitted):
    model, frame = fitted
    restored, flagged = model.denoise(frame), model.detect(frame)
    assert all(kind == np.dtype(bool) for kind in flagged.dtypes)
    kept = ~flagged & frame.notna()
    pd.testing.assert_frame_equal(restored.where(kept), frame.where(kept))
    assert restored.notna().all().all()
    whole = model.denoise(frame, keep_clean=False)
    assert isinstance(whole, pd.DataFrame)


def test_sparse_frames_stay_sparse(fitted):
    X = fitted[1].fillna(0)
    frame = X.where(X > 1, 0).astype(pd.SparseDtype(float, 0.0))
    model = RobustNMF(3, random_state=0).fit(frame)
    restored = model.denoise(frame)
    assert isinstance(restored.dtypes.iloc[0], pd.SparseDtype)
    dense = RobustNMF(3, random_state=0).fit(frame.sparse.to_dense())
    assert_allclose(restored.sparse.to_dense(), dense.denoise(frame.sparse.to_dense()), atol=1e-9)


def test_arrays_and_sparse_matrices_stay_what_they_are(fitted):
    X = fitted[1].fillna(0).to_numpy()
    model = RobustNMF(3, random_state=0).fit(X)
    assert type(model.detect(X)) is np.ndarray
    assert sparse.issparse(model.denoise(sparse.csr_array(X)))
    assert sparse.issparse(model.estimate_noise(X))


@pytest.mark.parametrize("estimator", [RobustNMF(3), WeightedNMF(3)])
def test_set_output_is_about_transform(fitted, estimator):
    frame = fitted[1].fillna(0)
    W = estimator.set_output(transform="pandas").fit_transform(frame)
    assert list(W.columns) == list(estimator.get_feature_names_out())
    pd.testing.assert_index_equal(W.index, frame.index)


@pytest.mark.parametrize("estimator", [RobustNMF(3, random_state=0), WeightedNMF(3)])
def test_inverse_transform_by_keyword_as_scikit_learn_calls_it(fitted, estimator):
    X = fitted[1].fillna(0).to_numpy()
    pipeline = make_pipeline(FunctionTransformer(check_inverse=False), estimator)
    W = pipeline.fit_transform(X)
    expected = estimator.inverse_transform(W)
    assert_array_equal(estimator.inverse_transform(X=W), expected)
    assert_array_equal(estimator.inverse_transform(W=W), expected)
    assert_array_equal(pipeline.inverse_transform(X=W), expected)
    for wrong in ({}, {"X": W, "W": W}):
        with pytest.raises(TypeError, match="one array"):
            estimator.inverse_transform(**wrong)
