"""Fits to rows that are read in order give what fits to the same rows in memory give."""

import warnings

import h5py
import numpy as np
import pytest
import zarr
from numpy.testing import assert_allclose, assert_array_equal

from robustnmf import RobustNMF, WeightedNMF, robust_nmf
from robustnmf._engines import kept, sources
from robustnmf._engines.stream import StreamEngine

N, M = 900, 400


def data(dtype=float):
    rng = np.random.default_rng(0)
    clean = rng.exponential(size=(N, 3)) @ rng.exponential(size=(3, M))
    return np.where(rng.random(clean.shape) < 0.05, clean + 20, clean).astype(dtype)


def blocks_of(X):
    return [X[:500], X[500:501], X[501:]]


@pytest.fixture(params=["blocks", "memmap", "zarr", "hdf5"])
def stored(request, tmp_path, monkeypatch):
    """Return a function that puts an array somewhere."""

    def put(X):
        if request.param == "blocks":
            return blocks_of(X)
        if request.param == "memmap":
            monkeypatch.setattr(sources, "MAPPED_BYTES", 1)
            np.save(tmp_path / "x.npy", X)
            return np.load(tmp_path / "x.npy", mmap_mode="r")
        if request.param == "zarr":
            found = zarr.create_array(
                tmp_path / "x.zarr", shape=X.shape, dtype=X.dtype, chunks=(64, M)
            )
            found[:] = X
            return found
        file = h5py.File(tmp_path / "x.h5", "w")
        request.addfinalizer(file.close)
        return file.create_dataset("x", data=X)

    return put


@pytest.fixture(autouse=True)
def in_files(monkeypatch):
    # W and thresholds lie in files even where they are small.
    monkeypatch.setattr(kept, "IN_MEMORY", 1000)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_any_place_gives_the_same_answer(stored, dtype):
    X = data(dtype)
    there = stored(X)
    whole = RobustNMF(3, random_state=0).fit(X)
    model = RobustNMF(3, random_state=0).fit(there)
    assert_allclose(model.components_, whole.components_, rtol=1e-8, atol=1e-8)
    assert model.objective_ == pytest.approx(whole.objective_, rel=1e-10)
    found, expected = model.decompose(there), whole.decompose(X)
    assert_allclose(found.W, expected.W, rtol=1e-6, atol=1e-8)
    assert_array_equal(found.mask, expected.mask)
    assert_allclose(found.restored, expected.restored, rtol=1e-6)


@pytest.mark.parametrize(
    "options",
    [
        {"solver": "mu", "max_iter": 30},
        {"penalty": "squared_l0", "lam": 0.5},
        {"refit": "wnmf"},
        {"init": "nndsvda"},
        {"n_init": 2},
        {"lam": "auto"},
        {"lam": "auto", "n_components": "auto"},
    ],
    ids=str,
)
def test_every_option_does_what_it_does_in_memory(options):
    X = data()
    options = {"n_components": 3, "random_state": 0} | options
    with warnings.catch_warnings(action="ignore"):
        whole, model = RobustNMF(**options).fit(X), RobustNMF(**options).fit(blocks_of(X))
    assert_allclose(model.components_, whole.components_, rtol=1e-8, atol=1e-8)
    assert_array_equal(model.detect(blocks_of(X)), whole.detect(X))


def test_missing_entries_and_weights():
    X = data()
    X[3, 4] = X[600, 7] = np.nan
    whole, model = RobustNMF(3, random_state=0).fit(X), RobustNMF(3, random_state=0)
    assert_allclose(model.fit(blocks_of(X)).denoise(blocks_of(X)), whole.denoise(X), rtol=1e-6)
    weights = np.random.default_rng(1).random(X.shape)
    weighted = WeightedNMF(3, random_state=0)
    expected = weighted.fit_transform(X, weights=weights)
    assert_allclose(weighted.fit_transform(blocks_of(X), weights=weights), expected, rtol=1e-6)


def test_the_function_takes_them_too():
    X = data()
    found, expected = (robust_nmf(rows, 3, random_state=0)[1] for rows in (blocks_of(X), X))
    assert_allclose(found, expected, rtol=1e-8)


class Counted:
    """Blocks that note when they are read."""

    def __init__(self, blocks):
        self.blocks, self.read = blocks, []

    def __iter__(self):
        for i, block in enumerate(self.blocks):
            self.read.append(i)
            yield block


def test_each_iteration_reads_each_row_once_and_in_order():
    rows = Counted(blocks_of(data()))
    engine = StreamEngine(StreamEngine.adopt(rows), dtype=np.float64)
    rows.read.clear()
    engine.fold(lambda rows, X, weights: X.sum(), np.add)
    assert rows.read == [0, 1, 2]
    beside = []
    for max_iter in (4, 8):
        with warnings.catch_warnings(action="ignore"):
            model = RobustNMF(3, random_state=0, tol=0, max_iter=max_iter).fit(rows)
        # Whether they give blocks at all is asked of the first.
        passes = rows.read.count(2)
        assert [i for i in rows.read if i] == [1, 2] * passes
        beside.append(passes - model.n_iter_)
        rows.read.clear()
    # A look at all values, the samples of the head start, one solve at the end.
    assert max(beside) <= 6


def test_data_that_change_meanwhile_are_noticed():
    blocks = blocks_of(data())
    engine = StreamEngine(StreamEngine.adopt(blocks), dtype=np.float64)
    blocks.pop()
    with pytest.raises(ValueError, match="X had 900 rows when it was looked at first, and 501 now"):
        engine.map(lambda rows, X, weights: None)


def test_they_are_checked_like_arrays():
    X = data()
    X[700, 2] = -1
    with pytest.raises(ValueError, match=r"Negative values.*X\[700, 2\]"):
        RobustNMF(3).fit(blocks_of(X))
    model = RobustNMF(3, random_state=0).fit(blocks_of(data()))
    with pytest.raises(ValueError, match="X has 399 features, but RobustNMF is expecting 400"):
        model.transform(blocks_of(data()[:, 1:]))


def test_an_error_of_whoever_gives_the_rows_comes_through():
    class Broken:
        asked = 0

        def __iter__(self):
            Broken.asked += 1
            yield data()
            if Broken.asked > 3:
                raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        RobustNMF(3, random_state=0).fit(Broken())


def test_the_noise_of_the_training_data_is_not_kept():
    X = data()
    model = RobustNMF(3, random_state=0).fit(X)
    assert model.noise_.nnz
    assert not hasattr(model.fit(blocks_of(X)), "noise_")
    refitted = RobustNMF(3, refit="wnmf", random_state=0).fit(blocks_of(X))
    assert not hasattr(refitted, "noise_")
