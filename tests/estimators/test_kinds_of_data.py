"""RobustNMF on dense, sparse, integer, framed and mapped data: the same answer for all."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from variants import model, variants

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
