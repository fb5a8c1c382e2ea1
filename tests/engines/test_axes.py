"""Arrays of many axes as rows, and rows that are written where somebody wants them."""

import h5py
import numpy as np
import pytest
import zarr
from numpy.testing import assert_array_equal

from robustnmf._engines import Written, flattened, lies_elsewhere, sources


@pytest.fixture
def X():
    return np.random.default_rng(0).integers(0, 255, (23, 4, 5)).astype(np.uint8)


def stores(X, folder):
    np.save(folder / "x.npy", X)
    chunked = zarr.create_array(folder / "x.zarr", shape=X.shape, dtype=X.dtype, chunks=(3, 2, 5))
    chunked[:] = X
    file = h5py.File(folder / "x.h5", "w")
    return {
        "map": np.load(folder / "x.npy", mmap_mode="r+"),
        "part of a map": np.load(folder / "x.npy", mmap_mode="r+")[2:20],
        "zarr": chunked,
        "hdf5": file.create_dataset("x", data=X),
        "hdf5 in chunks": file.create_dataset("y", data=X, chunks=(4, 4, 1)),
    }


NAMES = ("map", "part of a map", "zarr", "hdf5", "hdf5 in chunks")


@pytest.mark.parametrize("name", NAMES)
def test_rows_come_and_go(name, X, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MAPPED_BYTES", 1)
    monkeypatch.setattr(sources, "READ_BYTES", 100)
    store = stores(X, tmp_path)[name]
    expected = np.array(store[:])
    assert lies_elsewhere(store)
    rows = flattened(store)
    assert rows.shape == (len(expected), 20)
    for part in (slice(0, 3), slice(5, 18), slice(0, len(expected))):
        assert_array_equal(rows.read(part), expected[part].reshape(-1, 20))
    Written(store).put(slice(4, 9), 255 - expected[4:9])
    expected[4:9] = 255 - expected[4:9]
    assert_array_equal(store[:], expected)


def test_what_was_written_through_a_map_stays(X, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MAPPED_BYTES", 1)
    store = stores(X, tmp_path)["map"]
    store[0] = 7
    Written(store).put(slice(1, 2), np.full((1, 4, 5), 8))
    store.flush()
    assert (np.load(tmp_path / "x.npy")[:2] == np.array([7, 8])[:, None, None]).all()


def test_arrays_in_memory_are_here(X, tmp_path):
    np.save(tmp_path / "x.npy", X)
    small, private = (np.load(tmp_path / "x.npy", mmap_mode=mode) for mode in "rc")
    for here in (X, X.tolist(), np.ma.array(X), small, private, None, "text"):
        assert not lies_elsewhere(here)
