"""Small files that declare to be huge are refused before anything is read."""

import zipfile

import h5py
import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from scipy.io import loadmat, savemat

from robustnmf._common.memory import in_words, memory_left
from robustnmf._tables.repaired import RepairedTable
from robustnmf.tables import TableError, read_table, write_table

MB = 10**6


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr("robustnmf._tables.room.memory_left", lambda: MB)


def refused(path, *words):
    with pytest.raises(TableError) as caught:
        read_table(path)
    for word in (path.name, *words):
        assert word in str(caught.value)


def test_memory_is_known_here():
    left = memory_left()
    assert left is None or 10 * MB < left < 10**15
    assert in_words(1_500_000) == "1.5 MB"


@pytest.mark.parametrize("shape", [(10**6, 10**6), (10**12, 2), (2, 10**12)])
def test_hdf5_of_cells_that_are_only_declared(tmp_path, shape):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", shape, "f8", chunks=(min(shape[0], 100), min(shape[1], 100)))
    assert (tmp_path / "a.h5").stat().st_size < MB
    refused(tmp_path / "a.h5", "cells", "the array has", "000,000")


def test_zarr_of_cells_that_are_only_declared(tmp_path):
    import zarr

    group = zarr.open_group(str(tmp_path / "a.zarr"), mode="w")
    group.create_array("x", shape=(10**7, 10**6), dtype="f4", chunks=(1000, 1000))
    refused(tmp_path / "a.zarr", "10,000,000 × 1,000,000 = 10,000,000,000,000 cells", "TMPDIR")


def npz(path, shape, n_bytes):
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("x.npy", "w") as f,
    ):
        np.lib.format.write_array_header_1_0(
            f, {"descr": "<f8", "fortran_order": False, "shape": shape}
        )
        f.write(bytes(n_bytes))


def test_npz_that_unpacks_to_much_more(tmp_path, little_memory):
    npz(tmp_path / "a.npz", (1000, 1000), 8 * MB)
    assert (tmp_path / "a.npz").stat().st_size < MB / 10
    refused(tmp_path / "a.npz", "to 8.0 MB", "1.0 MB are left")


def test_npz_that_declares_more_than_it_holds(tmp_path):
    npz(tmp_path / "a.npz", (10**6, 10**6), 1000)
    refused(tmp_path / "a.npz", "array 'x' declares 8.0 TB but has 1.1 kB")


def test_workbook_that_unpacks_to_much_more(tmp_path, little_memory):
    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, 2], [3, 4]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    assert read_table(tmp_path / "a.xlsx").shape == (2, 2)
    with zipfile.ZipFile(tmp_path / "a.xlsx", "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet2.xml", bytes(5 * MB))
    refused(tmp_path / "a.xlsx", "to 5.0 MB", "40.1 MB of memory")


def test_parquet_of_one_value_many_times(tmp_path, little_memory):
    table = pa.table({name: pa.array(np.zeros(50_000)) for name in "ab"})
    pq.write_table(table, tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 10_000
    refused(tmp_path / "a.parquet", "50,000 × 2 = 100,000 cells", "1.6 MB")


def test_mat_that_unpacks_to_much_more(tmp_path, little_memory):
    savemat(tmp_path / "a.mat", {"x": np.zeros((300, 300))}, do_compression=True)
    assert (tmp_path / "a.mat").stat().st_size < 10_000
    refused(tmp_path / "a.mat", "variable 'x' has 300 × 300 = 90,000 cells")


def test_text_larger_than_the_memory(tmp_path, little_memory):
    # A hole at its end takes no room on the disk.
    with (tmp_path / "a.csv").open("wb") as file:
        file.write(b"a,b\n1,2\n3,4\n")
        file.truncate(MB)
    refused(tmp_path / "a.csv", "1.0 MB of text", "NPY or HDF5")


def test_sparse_mat(tmp_path, given):
    X = sparse.random_array((20, 6), density=0.3, rng=0, format="csc") * 9
    savemat(tmp_path / "a.mat", {"S": X, "note": "kept"})
    table = read_table(tmp_path / "a.mat")
    np.testing.assert_array_equal(table.block(slice(0, 20)), X.toarray())
    write_table(RepairedTable(table, given(table, {(3, 2): 5.0, (4, 4): 0.0})), tmp_path / "b.mat")
    found = loadmat(tmp_path / "b.mat")
    assert sparse.issparse(found["S"])
    expected = X.toarray()
    expected[3, 2], expected[4, 4] = 5, 0
    np.testing.assert_array_equal(found["S"].toarray(), expected)
    assert found["note"] == "kept"


def test_sparse_mat_too_large_to_be_dense(tmp_path):
    X = sparse.csc_array((np.ones(1), ([0], [0])), shape=(2**31 - 2, 20_000))
    savemat(tmp_path / "a.mat", {"S": X})
    refused(tmp_path / "a.mat", "sparse matrix 'S' has 2,147,483,646 × 20,000", "of memory")
