"""Every format: what does not change stays, what changes is found again."""

import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from robustnmf._tables.formats import write_frame, write_like
from robustnmf._tables.registry import FORMATS, format_named, format_of
from robustnmf._tables.repaired import RepairedTable
from robustnmf._tables.table import Frame
from robustnmf.tables import TableError, read_table, write_table

DATA = np.arange(1.0, 21).reshape(5, 4)
SHEETS = [kind for kind in FORMATS if format_named(kind).holds_words]
ARRAYS = [kind for kind in FORMATS if kind not in SHEETS]
SUFFIX_OF = {kind: format_named(kind).suffixes[0] for kind in FORMATS}


@pytest.fixture
def file(tmp_path):
    """Write DATA, with words and a gap where the format has room for them."""

    def make(kind, data=DATA):
        path = tmp_path / f"in{SUFFIX_OF[kind]}"
        if kind in SHEETS:
            columns = [["p", "q", "r", "s", "t"], *data.T, ["x", "", "y", "z", "w"]]
            write_frame(Frame(["name", "a", "b", "c", "d", "words"], columns), path)
        else:
            write_frame(Frame(["a", "b", "c", "d"], list(data.T)), path)
        return path

    return make


@pytest.mark.parametrize("kind", FORMATS)
def test_a_changed_cell_is_found_again_and_no_other(kind, file, given, tmp_path, small_blocks):
    path = file(kind)
    table = read_table(path)
    assert table.shape == DATA.shape
    assert_array_equal(table.block(slice(0, 5)), DATA)
    out = tmp_path / f"out{path.suffix}"
    write_table(RepairedTable(table, given(table, {(4, 1): 99.0, (0, 3): 7.0})), out)
    expected = DATA.copy()
    expected[4, 1], expected[0, 3] = 99, 7
    again = read_table(out)
    assert_array_equal(again.block(slice(0, 5)), expected)
    if kind in SHEETS:
        assert again.names == table.names
        assert [again.cell(i, 5) for i in range(5)] == ["x", "", "y", "z", "w"]
        assert again.row_name(2) == "r"
    # Nothing is left beside the two files.
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([path.name, out.name])


@pytest.mark.parametrize("kind_in", ["csv", "parquet", "npy", "hdf5"])
@pytest.mark.parametrize("kind_out", FORMATS)
def test_any_format_into_any_other(kind_in, kind_out, file, given, tmp_path):
    table = read_table(file(kind_in))
    out = tmp_path / f"out{SUFFIX_OF[kind_out]}"
    changes = given(table, {(2, 2): 50.0})
    if kind_in in SHEETS and kind_out in ARRAYS:
        with pytest.raises(TableError, match="column 'name' does not"):
            write_table(RepairedTable(table, changes), out)
        assert not out.exists()
        return
    write_table(RepairedTable(table, changes), out)
    expected = DATA.copy()
    expected[2, 2] = 50
    again = read_table(out)
    # A row of headings that count is an index to us.
    assert_array_equal(again.block(slice(0, 5)), expected)


@pytest.mark.parametrize("kind", FORMATS)
def test_missing_cells_are_nan(kind, file):
    data = DATA.copy()
    data[1, 2] = np.nan
    assert_array_equal(read_table(file(kind, data)).block(slice(0, 5)), data)


@pytest.mark.parametrize("kind", FORMATS)
def test_masks_are_written_like_the_table(kind, file, tmp_path, small_blocks):
    table = read_table(file("csv"))
    path = tmp_path / f"mask{SUFFIX_OF[kind]}"
    mask = (DATA > 7).astype(np.uint8)
    write_like(table, lambda rows: mask[rows], np.uint8, path)
    found = read_table(path)
    assert_array_equal(found.block(slice(0, 5)), mask)
    if kind in SHEETS:
        assert found.names == ["name", "a", "b", "c", "d"]


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, np.float16, np.bool_])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_keeps_its_type_and_order(dtype, order, given, tmp_path):
    data = np.asarray(DATA, dtype=dtype, order=order)
    np.save(tmp_path / "a.npy", data)
    table = read_table(tmp_path / "a.npy")
    write_table(
        RepairedTable(table, given(table, {(0, 0): 0.4, (1, 1): 300.0})), tmp_path / "b.npy"
    )
    new = np.load(tmp_path / "b.npy")
    assert new.dtype == dtype
    assert new.flags.fnc == (order == "F")
    # Rounded, and kept inside what the type can hold.
    most = {np.uint8: 255, np.bool_: True}.get(dtype, 300)
    assert new[1, 1] == most
    assert new[0, 0] == np.asarray(0.4, dtype if new.dtype.kind == "f" else float).round(
        1 if new.dtype.kind == "f" else 0
    ).astype(dtype)
    assert_array_equal(new[2:], data[2:])


def test_npy_is_not_read_whole(tmp_path):
    np.save(tmp_path / "a.npy", DATA)
    assert isinstance(read_table(tmp_path / "a.npy").data, np.memmap)


def test_other_arrays_are_carried_along(given, tmp_path):
    np.savez(tmp_path / "a.npz", X=DATA, y=np.arange(5), names=np.array(["a", "b"]))
    table = read_table(tmp_path / "a.npz")
    write_table(RepairedTable(table, given(table, {(0, 0): 3.0})), tmp_path / "b.npz")
    with np.load(tmp_path / "b.npz") as arrays:
        assert_array_equal(arrays["y"], np.arange(5))
        assert list(arrays["names"]) == ["a", "b"]
        assert arrays["X"][0, 0] == 3


def test_whatever_else_is_in_an_archive_comes_back_byte_for_byte(given, tmp_path):
    import io
    import zipfile

    def npy(array):
        file = io.BytesIO()
        np.save(file, array, allow_pickle=True)
        return file.getvalue()

    members = {
        # A name that the arguments of NumPy's own function have, too.
        "file.npy": npy(DATA),
        "objects.npy": npy(np.array([{"a": 1}], dtype=object)),
        "read me.txt": b"hello",
    }
    with zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    table = read_table(tmp_path / "a.npz")
    write_table(RepairedTable(table, given(table, {(0, 0): 3.0})), tmp_path / "b.npz")
    with zipfile.ZipFile(tmp_path / "b.npz") as archive:
        assert archive.namelist() == list(members)
        for name in ("objects.npy", "read me.txt"):
            assert archive.read(name) == members[name]
        assert archive.testzip() is None
    assert read_table(tmp_path / "b.npz").block(slice(0, 1))[0, 0] == 3


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
def test_sparse_matrices_of_scipy(layout, given, tmp_path):
    from scipy import sparse

    X = sparse.random_array((12, 5), density=0.4, rng=0, format=layout)
    sparse.save_npz(tmp_path / "a.npz", X)
    table = read_table(tmp_path / "a.npz")
    assert_array_equal(table.block(slice(0, 12)), X.toarray())
    write_table(RepairedTable(table, given(table, {(1, 2): 3.0})), tmp_path / "b.npz")
    found = sparse.load_npz(tmp_path / "b.npz")
    expected = X.toarray()
    expected[1, 2] = 3
    assert found.format == layout
    assert_array_equal(found.toarray(), expected)


def test_mat_keeps_the_classes_of_matlab(given, tmp_path):
    from scipy.io import loadmat, savemat, whosmat

    variables = {
        "X": np.arange(12.0).reshape(4, 3),
        "yes": np.array([[True, False]]),
        "small": np.arange(3, dtype=np.int8),
        "waves": np.array([[1 + 2j]]),
        "words": "text",
        "fields": {"a": 1.5},
        "cells": np.array([["a", 1.0]], dtype=object),
    }
    savemat(tmp_path / "a.mat", variables)
    table = read_table(tmp_path / "a.mat")
    write_table(RepairedTable(table, given(table, {(0, 0): 3.0})), tmp_path / "b.mat")
    before, after = (
        {name: kind for name, _, kind in whosmat(tmp_path / f"{name}.mat")} for name in "ab"
    )
    assert after == before
    assert after["yes"] == "logical"
    assert loadmat(tmp_path / "b.mat")["waves"] == 1 + 2j


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint64, np.float16, np.float32])
@pytest.mark.parametrize("value", [300.0, -5.0, 1e300])
@pytest.mark.parametrize("kind", ["parquet", "npy"])
def test_new_numbers_fit_into_the_type(dtype, value, kind, given, tmp_path):
    path = tmp_path / f"a.{kind}"
    if kind == "npy":
        np.save(path, np.array([[1, 2], [3, 5]], dtype))
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"a": np.array([1, 3], dtype), "b": np.array([2.0, 5])}), path)
    table = read_table(path)
    write_table(RepairedTable(table, given(table, {(1, 0): value})), tmp_path / f"b.{kind}")
    found = read_table(tmp_path / f"b.{kind}").block(slice(0, 2))[1, 0]
    ends = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else np.finfo(dtype)
    top = 2.0**63 if dtype is np.uint64 and kind == "npy" else float(ends.max)
    assert found == pytest.approx(np.clip(value, float(ends.min), top), rel=1e-3)


@pytest.mark.parametrize("kind", ["hdf5", "zarr"])
def test_rows_without_a_change_are_not_written_again(kind, file, given, small_blocks):
    """A filter that loses digits would lose more of them each time."""
    from robustnmf._tables import chunked

    class Recorder(dict):
        def __setitem__(self, rows, new):
            super().__setitem__(rows.start, new)

    table = read_table(file(kind))
    written = Recorder()
    chunked._change(table, written, given(table, {(2, 1): 5.0}))
    assert list(written) == [2]
    assert_array_equal(written[2][0], [9, 5, 11, 12])


def test_a_folder_without_a_store(tmp_path):
    (tmp_path / "a.zarr").mkdir()
    with pytest.raises(TableError, match="no Zarr store in this folder"):
        read_table(tmp_path / "a.zarr")


def test_several_tables_ask_which(tmp_path):
    np.savez(tmp_path / "a.npz", X=DATA, Z=DATA + 1)
    with pytest.raises(TableError, match=r"2 tables of numbers \(X, Z\): say which with --dataset"):
        read_table(tmp_path / "a.npz")
    table = read_table(tmp_path / "a.npz", dataset="Z")
    assert table.block(slice(0, 1))[0, 0] == 2
    with pytest.raises(TableError, match="no dataset 'Q'"):
        read_table(tmp_path / "a.npz", dataset="Q")


def test_hdf5_keeps_groups_attributes_and_compression(given, tmp_path):
    import h5py

    with h5py.File(tmp_path / "a.h5", "w") as file:
        data = file.create_dataset("deep/er/data", data=DATA, compression="gzip")
        data.attrs["unit"] = "mm"
        file["other"] = np.arange(3)
    table = read_table(tmp_path / "a.h5")
    write_table(RepairedTable(table, given(table, {(0, 0): 3.0})), tmp_path / "b.h5")
    with h5py.File(tmp_path / "b.h5") as file:
        assert file["deep/er/data"].attrs["unit"] == "mm"
        assert file["deep/er/data"].compression == "gzip"
        assert file["deep/er/data"][0, 0] == 3
        assert_array_equal(file["other"], np.arange(3))


def test_zarr_store_replaces_another(file, given, tmp_path):
    table = read_table(file("zarr"))
    for value in (3.0, 4.0):
        write_table(RepairedTable(table, given(table, {(0, 0): value})), tmp_path / "b.zarr")
        assert read_table(tmp_path / "b.zarr").block(slice(0, 1))[0, 0] == value
    assert sorted(p.name for p in tmp_path.iterdir()) == ["b.zarr", "in.zarr"]


def test_parquet_keeps_types_and_notes(given, tmp_path):
    import pandas as pd

    frame = pd.DataFrame(
        {
            "big": np.array([2**60 + 1, 2, 3], dtype=np.int64),
            "small": np.array([1, 2, 3], dtype=np.int16),
            "single": np.array([1.5, np.nan, 3], dtype=np.float32),
            "when": pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"]),
        },
        index=pd.Index(["x", "y", "z"], name="who"),
    )
    frame.to_parquet(tmp_path / "a.parquet", compression="gzip")
    table = read_table(tmp_path / "a.parquet")
    assert [c.name for c in table.columns] == ["big", "small", "single"]
    changes = given(table, {(1, 0): 7.6, (0, 1): 4.4, (1, 2): 2.5})
    write_table(RepairedTable(table, changes), tmp_path / "b.parquet")
    new = pd.read_parquet(tmp_path / "b.parquet")
    frame.iloc[1, 0], frame.iloc[0, 1], frame.iloc[1, 2] = 8, 4, 2.5
    pd.testing.assert_frame_equal(new, frame)


def test_excel_keeps_sheets_formats_and_formulas(given, tmp_path):
    import openpyxl
    from openpyxl.styles import Font

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "prices"
    for row in (["what", "net", "count"], ["a", 1.25, 3], ["b", 2.5, 4], ["c", None, 5]):
        sheet.append(row)
    sheet["B2"].font = Font(bold=True)
    sheet["D1"] = "sum"
    sheet["D2"] = "=B2*C2"
    book.create_sheet("notes")["A1"] = "keep me"
    book.save(tmp_path / "a.xlsx")
    table = read_table(tmp_path / "a.xlsx")
    # Formulas that no program has worked out yet have no value.
    assert [c.name for c in table.columns] == ["net", "count"]
    write_table(
        RepairedTable(table, given(table, {(0, 0): 7.123, (1, 1): 8.7})), tmp_path / "b.xlsx"
    )
    book = openpyxl.load_workbook(tmp_path / "b.xlsx")
    assert book["notes"]["A1"].value == "keep me"
    sheet = book["prices"]
    assert sheet["B2"].font.bold
    assert sheet["D2"].value == "=B2*C2"
    assert (sheet["B2"].value, sheet["C3"].value, sheet["B3"].value) == (7.12, 9, 2.5)
    with pytest.raises(TableError, match="no worksheet 'x' in the file; it has prices, notes"):
        read_table(tmp_path / "a.xlsx", dataset="x")


@pytest.mark.parametrize("kind", ["parquet", "excel", "npy", "npz", "mat", "hdf5"])
@pytest.mark.parametrize("damage", ["truncated", "other", "empty"])
def test_damaged_files_are_refused_in_words(kind, damage, file):
    path = file(kind)
    content = path.read_bytes()
    bad = {"truncated": content[: len(content) // 3], "other": b"not what it says", "empty": b""}
    path.write_bytes(bad[damage])
    with pytest.raises(TableError, match=path.name) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.arange(3.0), r"shape \(3,\)"),
        (np.ones((2, 2, 2)), "robustnmf denoise"),
        (np.ones((0, 3)), "nothing in it"),
        (np.ones((2, 2), complex), "not real numbers"),
        (np.array([["a", "b"]]), "not real numbers"),
    ],
)
def test_arrays_that_are_no_tables(data, message, tmp_path):
    np.save(tmp_path / "a.npy", data)
    with pytest.raises(TableError, match=message):
        read_table(tmp_path / "a.npy")


def test_unknown_suffixes_are_named():
    with pytest.raises(ValueError, match=r"what kind of table is 'a.doc'"):
        format_of(Path("a.doc"))
    with pytest.raises(ValueError, match=r"save it as .xlsx"):
        format_of(Path("a.xls"))


@pytest.mark.parametrize(
    ("kind", "module"),
    [("parquet", "pyarrow.parquet"), ("excel", "openpyxl"), ("hdf5", "h5py"), ("zarr", "zarr")],
)
def test_missing_extra_is_named(kind, module, file, monkeypatch):
    path = file(kind)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r"pip install 'robustnmf\[tables\]'"):
        read_table(path)


def test_an_interruption_leaves_no_half_file(file, tmp_path):
    class Interrupted:
        def block(self, rows):
            raise KeyboardInterrupt

    for kind in FORMATS:
        table = read_table(file(kind))
        before = sorted(tmp_path.iterdir())
        with pytest.raises(KeyboardInterrupt):
            write_table(RepairedTable(table, Interrupted()), tmp_path / f"out{SUFFIX_OF[kind]}")
        assert sorted(tmp_path.iterdir()) == before


def test_the_guide_tells_of_every_format():
    guide = (Path(__file__).parents[2] / "docs" / "tables.md").read_text(encoding="utf-8")
    table = guide.partition("## Formats")[2].partition("\n## ")[0]
    for name in FORMATS:
        found = format_named(name)
        (row,) = [line for line in table.splitlines() if found.suffixes[0] in line.split()]
        assert found.title in row
        assert set(found.suffixes) <= set(row.split())
