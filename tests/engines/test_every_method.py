"""Every public method on rows that are read in order says what it says of the same rows in memory.

Weights are read along with X, whatever kind each of them is.
"""

import warnings

import dask.array as da
import h5py
import numpy as np
import pyarrow as pa
import pytest
import zarr
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from robustnmf import RobustNMF, WeightedNMF, robust_nmf
from robustnmf._engines import kept, sources
from robustnmf._engines.sources import source_of
from robustnmf._engines.stream import StreamEngine

N, M = 330, 60
KINDS = ["array", "csr", "blocks", "memmap", "zarr", "hdf5", "arrow"]
STREAMS = KINDS[2:]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    # Several reads and blocks, and row arrays in files, although the data are small.
    monkeypatch.setattr(sources, "READ_BYTES", 50 * M * 8)
    monkeypatch.setattr(sources, "MAPPED_BYTES", 1)
    monkeypatch.setattr(kept, "IN_MEMORY", 1000)


@pytest.fixture
def put(tmp_path, request):
    """Return a function that puts an array somewhere."""

    def store(X, kind):
        name = f"{kind}-{len(list(tmp_path.iterdir()))}"
        if kind == "array":
            return X
        if kind == "csr":
            return sparse.csr_array(X)
        if kind == "blocks":
            return [X[:100], X[100:101], X[101:]]
        if kind == "arrow":
            return pa.table(list(X.T), names=[f"f{j}" for j in range(X.shape[1])])
        if kind == "memmap":
            np.save(tmp_path / f"{name}.npy", X)
            return np.load(tmp_path / f"{name}.npy", mmap_mode="r")
        if kind == "zarr":
            chunks = (64, X.shape[1])
            found = zarr.create_array(tmp_path / name, shape=X.shape, dtype=X.dtype, chunks=chunks)
            found[:] = X
            return found
        file = h5py.File(tmp_path / f"{name}.h5", "w")
        request.addfinalizer(file.close)
        return file.create_dataset("x", data=X)

    return store


def data(dtype=float):
    rng = np.random.default_rng(0)
    clean = rng.exponential(size=(N, 3)) @ rng.exponential(size=(3, M))
    return np.where(rng.random(clean.shape) < 0.05, clean + 20, clean).astype(dtype)


@pytest.fixture(scope="module")
def model():
    return RobustNMF(3, random_state=0).fit(data())


@pytest.mark.parametrize("kind", STREAMS)
def test_methods_of_a_robust_model(model, put, kind):
    X, there = data(), put(data(), kind)
    with warnings.catch_warnings(action="ignore"):  # names of columns that the model has not seen
        for answer in (
            lambda X: model.transform(X),
            lambda X: model.detect(X),
            lambda X: model.estimate_noise(X).toarray(),
            lambda X: model.denoise(X),
            lambda X: model.denoise(X, keep_clean=False),
            lambda X: model.decompose(X).restored,
            lambda X: model.score(X),
            lambda X: RobustNMF(3, random_state=0).fit_transform(X),
            lambda X: robust_nmf(X, 3, random_state=0)[0],
        ):
            assert_allclose(answer(there), answer(X), rtol=1e-8, atol=1e-10)
    W = model.transform(X)
    expected = model.inverse_transform(W)
    assert_allclose(model.inverse_transform(put(W, kind)), expected, rtol=1e-12)
    out = np.empty(X.shape)
    assert model.inverse_transform(W=put(W, kind), out=out) is out
    assert_allclose(out, expected, rtol=1e-12)
    assert model.inverse_transform(W, out=out) is out


def test_w_that_is_no_w(model, put):
    W = model.transform(data())
    W[200, 1] = np.nan
    with pytest.raises(ValueError, match=r"W has NaN or infinity in rows \d+ to \d+"):
        model.inverse_transform(put(W, "zarr"))
    with pytest.raises(ValueError, match="W has 60 columns, but the model has 3 components"):
        model.inverse_transform(put(data(), "zarr"))


@pytest.mark.parametrize("kind", ["array", "blocks"])
@pytest.mark.parametrize("lam", [0.04, "auto"])
def test_w_of_a_fit_goes_where_there_is_room(put, kind, lam, tmp_path):
    X = data()
    expected = RobustNMF(3, lam=lam, random_state=0).fit_transform(X)
    out = zarr.create_array(tmp_path / "W", shape=(N, 3), dtype=float, chunks=(50, 3))
    model = RobustNMF(3, lam=lam, random_state=0)
    assert model.fit_transform(put(X, kind), out=out) is out
    assert_allclose(out[:], expected, rtol=1e-8)


def test_room_for_w_is_looked_at_before_anything_is_learned(model):
    fresh = RobustNMF(3)
    with pytest.raises(ValueError, match=r"out must have the shape \(330, 3\); got \(330, 4\)"):
        fresh.fit_transform(data(), out=np.empty((N, 4)))
    with pytest.raises(ValueError, match=r"out cannot be had before .* transform\(X, out="):
        RobustNMF("auto").fit_transform(data(), out=np.empty((N, 4)))
    with pytest.raises(ValueError, match=r"out must have the shape \(330, 3\)"):
        WeightedNMF(3).fit_transform(data(), out=np.empty((N, 4)))
    assert not hasattr(fresh, "components_")


@pytest.fixture(scope="module")
def weights():
    rng = np.random.default_rng(1)
    return np.where(rng.random((N, M)) < 0.1, 0, rng.random((N, M)))


def weighted(**options):
    return WeightedNMF(3, random_state=0, **options)


@pytest.mark.parametrize("solver", ["hals", "mu"])
@pytest.mark.parametrize(
    ("of_x", "of_weights"),
    [("array", kind) for kind in STREAMS]
    + [
        ("csr", "zarr"),
        ("blocks", "array"),
        ("blocks", "csr"),
        ("hdf5", "zarr"),
        ("arrow", "arrow"),
    ],
)
def test_weights_are_read_along(put, weights, of_x, of_weights, solver):
    options = {"solver": solver} | ({"max_iter": 30, "tol": 1e-3} if solver == "mu" else {})
    X, there, q = data(), put(data(), of_x), put(weights, of_weights)
    with warnings.catch_warnings(action="ignore"):
        whole, found = weighted(**options), weighted(**options)
        expected = whole.fit_transform(X, weights=weights)
        assert_allclose(found.fit_transform(there, weights=q), expected, rtol=1e-8, atol=1e-10)
        assert found.objective_ == pytest.approx(whole.objective_, rel=1e-10)
        assert_allclose(found.transform(there, weights=q), whole.transform(X, weights=weights))
        assert found.score(there, weights=q) == pytest.approx(whole.score(X, weights=weights))
        out = np.empty((N, 3))
        assert found.transform(there, weights=q, out=out) is out
        assert_allclose(out, found.transform(there, weights=q), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, bool, np.uint8])
def test_weights_of_any_type(put, dtype):
    X, mask = data(), (np.random.default_rng(2).random((N, M)) < 0.8).astype(dtype)
    expected = weighted().fit(X, weights=mask).components_
    found = weighted().fit(X, weights=put(mask, "hdf5")).components_
    assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("kind", ["array", *STREAMS])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.nan, "weights contain NaN; use 0"),
        (2.0, r"weights must lie in \[0, 1\]; got values from .* to 2.0"),
        (-0.5, r"weights must lie in \[0, 1\]; got values from -0.5"),
    ],
)
def test_weights_that_are_none(put, weights, kind, value, message):
    bad = weights.copy()
    bad[300, 7] = value
    with pytest.raises(ValueError, match=message):
        weighted().fit(data(), weights=put(bad, kind))


def test_weights_of_another_shape_or_kind(put, weights):
    for kind in STREAMS:
        with pytest.raises(ValueError, match=r"weights must have the shape of X, \(330, 60\); got"):
            weighted().fit(data(), weights=put(weights[1:], kind))
    with pytest.raises(TypeError, match="weights is a generator, which can be read only once"):
        weighted().fit(data(), weights=(block for block in [weights]))
    with pytest.raises(TypeError, match="weights: column 'a' holds string, not numbers"):
        weighted().fit(data(), weights=pa.table({"a": ["x"] * N}))
    with pytest.raises(TypeError, match="weights must hold real numbers; got dtype complex"):
        weighted().fit(data(), weights=[weights.astype(complex)])


def test_weights_that_are_read_in_order_do_not_go_with_partitions(put, weights):
    X = da.from_array(data(), chunks=(100, M))
    with pytest.raises(
        TypeError, match=r"weights are read a part at a time, .* give weights as an"
    ):
        weighted().fit(X, weights=put(weights, "zarr"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda blocks: blocks.pop(), "weights had 330 rows when it was looked at first, and 101"),
        (lambda blocks: blocks.append(blocks[0]), "weights had 330 rows .*, and more now"),
    ],
)
def test_weights_that_change_meanwhile(put, weights, change, message):
    there = put(weights, "blocks")
    q = source_of(there, "weights")
    engine = StreamEngine(source_of([data()]), q, dtype=float, block_entries=40 * M)
    change(there)
    with pytest.raises(ValueError, match=message):
        engine.fold(lambda rows, X, q: float((X * q).sum()), lambda a, b: a + b)


class Counted:
    """Blocks that note which of them are read, in order."""

    def __init__(self, blocks):
        self.blocks, self.read = blocks, []

    def __iter__(self):
        for i, block in enumerate(self.blocks):
            self.read.append(i)
            yield block


def test_each_iteration_reads_each_row_of_both_once_and_in_order(put, weights):
    X, q = (Counted(put(A, "blocks")) for A in (data(), weights))
    engine = StreamEngine(source_of(X), source_of(q, "weights"), dtype=float)
    X.read.clear(), q.read.clear()
    for _ in range(2):
        engine.fold(lambda rows, X, q: float((X * q).sum()), lambda a, b: a + b)
    assert X.read == q.read == [0, 1, 2] * 2
    rows = np.array([3, 99, 100, 101, 329])
    sample = engine.sample(rows)
    assert X.read == q.read == [0, 1, 2] * 3
    ((x_found, q_found),) = sample.map(lambda rows, X, q: (X, q))
    assert_array_equal(x_found, data()[rows])
    assert_array_equal(q_found, weights[rows])
