"""Rows that are read in order: from files, from stores, from blocks that somebody gives."""

import h5py
import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from robustnmf._engines import sources
from robustnmf._engines.sources import regrouped, source_of


@pytest.fixture
def X():
    return np.random.default_rng(0).random((53, 7)).astype(np.float32)


def all_rows(X):
    return np.concatenate(list(source_of(X).pieces()))


@pytest.fixture
def small_reads(monkeypatch):
    monkeypatch.setattr(sources, "READ_BYTES", 200)


@pytest.mark.parametrize("chunks", [None, (10, 7), (53, 2), (1, 1)])
def test_hdf5(X, tmp_path, small_reads, chunks):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        data = file.create_dataset("x", data=X, chunks=chunks)
        assert_array_equal(all_rows(data), X)


@pytest.mark.parametrize("chunks", [(10, 7), (53, 2), (1, 7)])
def test_zarr(X, tmp_path, small_reads, chunks):
    data = zarr.create_array(tmp_path / "x.zarr", shape=X.shape, dtype=X.dtype, chunks=chunks)
    data[:] = X
    assert_array_equal(all_rows(data), X)


def test_whole_chunks_are_read(small_reads):
    asked = []

    class Store:
        shape, dtype, chunks = (53, 7), np.dtype(np.float32), (10, 7)

        def __getitem__(self, rows):
            asked.append(rows)
            return np.zeros((len(range(*rows.indices(53))), 7))

    list(sources.StoredRows(Store()).pieces())
    assert [rows.start for rows in asked] == [0, 10, 20, 30, 40, 50]


@pytest.fixture(params=["array", "map", "hdf5", "zarr"])
def readable(request, X, tmp_path, monkeypatch):
    """Return what reads any rows of X, which lies in one place or another."""
    monkeypatch.setattr(sources, "READ_BYTES", 200)
    if request.param == "map":
        monkeypatch.setattr(sources, "MAPPED_BYTES", 1)
        np.save(tmp_path / "x.npy", X)
        return sources.stored(np.load(tmp_path / "x.npy", mmap_mode="r"))
    if request.param == "hdf5":
        # Closed with the last that refers to it.
        file = h5py.File(tmp_path / "x.h5", "w")
        return sources.stored(file.create_dataset("x", data=X, chunks=(10, 7)))
    if request.param == "zarr":
        shape = {"shape": X.shape, "dtype": X.dtype, "chunks": (4, 7)}
        found = zarr.create_array(tmp_path / "x.zarr", **shape)
        found[:] = X
        return sources.stored(found)
    return sources.stored(X)


def test_any_rows(readable, X):
    for first in range(0, 53, 4):
        for count in (1, 3, 8, 11, 25, 60):
            rows = slice(first, first + count)
            assert_array_equal(readable.read(rows), X[rows])
    assert_array_equal(np.concatenate(list(readable.pieces())), X)


def test_rows_of_a_sparse_matrix(X):
    found = sources.stored(sparse.csr_array(X))
    assert_array_equal(found.read(slice(3, 9)), X[3:9])
    assert_array_equal(np.concatenate(list(found.pieces())), X)


def test_who_reads_on_unpacks_no_chunk_twice(small_reads):
    unpacked = []

    class Store:
        shape, dtype, chunks = (53, 7), np.dtype(np.float32), (10, 7)

        def __getitem__(self, rows):
            unpacked.append(rows.start)
            first, stop, _ = rows.indices(53)
            return np.arange(first, stop)[:, None] * np.ones(7)

    rows = sources.StoredRows(Store())
    for first in range(0, 53, 4):
        # With some on either side, as tables are judged.
        around = slice(max(0, first - 3), min(53, first + 7))
        assert_array_equal(rows.read(around)[:, 0], np.arange(around.start, around.stop))
    assert unpacked == [0, 10, 20, 30, 40, 50]


class TestMaps:
    @pytest.fixture(autouse=True)
    def any_size(self, monkeypatch, small_reads):
        monkeypatch.setattr(sources, "MAPPED_BYTES", 1)

    @pytest.fixture
    def path(self, X, tmp_path):
        np.save(tmp_path / "x.npy", X)
        return tmp_path / "x.npy"

    def test_a_map(self, X, path):
        assert_array_equal(all_rows(np.load(path, mmap_mode="r")), X)

    def test_parts_of_a_map(self, X, path):
        part = np.load(path, mmap_mode="r")[7:40]
        assert_array_equal(all_rows(part), X[7:40])
        assert_array_equal(all_rows(part[2:9]), X[9:16])

    def test_what_was_written_through_the_map_is_read(self, X, path):
        data = np.load(path, mmap_mode="r+")
        data[50, 3] = 99
        assert all_rows(data)[50, 3] == 99

    def test_what_the_file_does_not_show_is_an_array(self, X, path):
        private = np.load(path, mmap_mode="c")
        columns = np.load(path, mmap_mode="r")[:, 2:5]
        for other in (private, columns, columns.T, X):
            assert source_of(other) is None

    def test_a_file_that_became_shorter(self, X, path):
        data = source_of(np.load(path, mmap_mode="r"))
        with path.open("r+b") as file:
            file.truncate(500)
        with pytest.raises(ValueError, match="has become shorter than the 53×7 values"):
            list(data.pieces())


def test_small_maps_are_arrays(X, tmp_path):
    np.save(tmp_path / "x.npy", X)
    assert source_of(np.load(tmp_path / "x.npy", mmap_mode="r")) is None


@pytest.mark.parametrize(
    "give",
    [
        list,
        tuple,
        lambda blocks: [sparse.csr_array(block) for block in blocks],
        lambda blocks: Again(blocks),
    ],
)
def test_blocks(X, give):
    data = source_of(give([X[:20], X[20:21], X[21:21], X[21:]]))
    assert (data.shape, data.dtype) == (X.shape, X.dtype)
    for _ in range(2):
        assert_array_equal(np.concatenate(list(data.pieces())), X)


class Again:
    def __init__(self, blocks):
        self.blocks = blocks

    def __iter__(self):
        return iter(self.blocks)


def test_what_can_be_read_once_only_is_refused(X):
    with pytest.raises(TypeError, match="X is a generator, which can be read only once"):
        source_of(block for block in [X])


@pytest.mark.parametrize("other", [[[1.0, 2.0]], [[1, 2], [3, 4]], [], "text", {"a": 1}, 5, None])
def test_all_else_is_no_source(other):
    assert source_of(other) is None


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([np.ones((2, 3)), np.ones((2, 4))], r"must have the same features; got \[3, 4\]"),
        ([np.ones((0, 3))], r"at least one row and one column; got \(0, 3\)"),
        ([np.ones((2, 3)), np.ones(3)], r"two dimensions; got one of shape \(3,\)"),
    ],
)
def test_bad_blocks(blocks, message):
    with pytest.raises(ValueError, match=message):
        source_of(blocks)


def test_bad_numbers(X):
    with pytest.raises(TypeError, match="must hold real numbers; got dtype complex"):
        source_of([X.astype(complex)])


@given(st.lists(st.integers(0, 9), max_size=8), st.integers(1, 12))
def test_rows_are_regrouped_in_order(sizes, size):
    X = np.arange(sum(sizes))[:, None]
    pieces = np.split(X, np.cumsum(sizes)[:-1]) if sizes else []
    blocks = list(regrouped(pieces, size))
    assert all(len(block) == size for block in blocks[:-1])
    assert all(len(block) for block in blocks)
    assert_array_equal(np.concatenate([X[:0], *blocks]), X)
