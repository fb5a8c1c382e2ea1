"""Data frames of Dask are to partitions what those of pandas are to arrays."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robustnmf import RobustNMF


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    clean = rng.exponential(size=(200, 3)) @ rng.exponential(size=(3, 12))
    X = np.where(rng.random(clean.shape) < 0.05, clean + 20, clean)
    names = [f"band {j}" for j in range(12)]
    return pd.DataFrame(X, columns=names, index=pd.RangeIndex(1000, 1200, name="day"))


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="sync"):
        yield


def test_names_are_kept_and_answers_are_frames(frame):
    D = dd.from_pandas(frame, npartitions=3)
    expected, model = (RobustNMF(3, random_state=0).fit(data) for data in (frame, D))
    assert_array_equal(model.feature_names_in_, frame.columns)
    assert_allclose(model.components_, expected.components_, rtol=1e-8)
    for name in ("denoise", "detect"):
        found = getattr(model, name)(D)
        assert isinstance(found, dd.DataFrame)
        pd.testing.assert_frame_equal(found.compute(), getattr(expected, name)(frame))
    noise = model.estimate_noise(D).compute()
    assert_allclose(noise, expected.estimate_noise(frame))
    assert noise.index.equals(frame.index)
    found = model.decompose(D)
    assert isinstance(found.W, da.Array)
    assert_allclose(found.W.compute(), expected.transform(frame), rtol=1e-6)
    pd.testing.assert_frame_equal(found.restored.compute(), expected.denoise(frame))


def test_other_names_are_refused(frame):
    model = RobustNMF(3, random_state=0).fit(dd.from_pandas(frame, npartitions=2))
    other = dd.from_pandas(frame.rename(columns={"band 3": "band x"}), npartitions=2)
    with pytest.raises(ValueError, match="feature names should match"):
        model.detect(other)


def test_missing_numbers_of_any_kind(frame):
    frame.iloc[3, 4] = np.nan
    nullable = frame.astype({"band 4": "Float64"}).astype({"band 5": "float32"})
    expected = RobustNMF(3, random_state=0).fit(nullable.to_numpy(float, na_value=np.nan))
    model = RobustNMF(3, random_state=0).fit(dd.from_pandas(nullable, npartitions=3))
    assert_allclose(model.components_, expected.components_, rtol=1e-7)
    single = dd.from_pandas(frame.astype("float32"), npartitions=3)
    assert model.denoise(single).dtypes["band 0"] == np.float32


def test_columns_without_numbers_are_refused(frame):
    D = dd.from_pandas(frame.assign(place="here", when=pd.Timestamp(0)), npartitions=2)
    with pytest.raises(TypeError, match="columns of numbers; place, when are not"):
        RobustNMF(3).fit(D)
