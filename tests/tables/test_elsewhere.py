"""Files whose cells lie in other files: nothing but the file to write may change."""

import os
from pathlib import Path

import h5py
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from robustnmf._tables.repaired import RepairedTable
from robustnmf.tables import TableError, read_table, write_table

DATA = np.arange(1.0, 21).reshape(5, 4)


def contents(*paths):
    return [Path(path).read_bytes() for path in paths]


def clean(path, given, out, **reading):
    table = read_table(path, **reading)
    write_table(RepairedTable(table, given(table, {(1, 2): 99.0})), out)
    expected = DATA.copy()
    expected[1, 2] = 99
    again = read_table(out, **reading)
    assert_array_equal(again.block(slice(0, 5)), expected)
    return table, again


def test_raw_file_of_an_hdf5_dataset_is_not_written_to(tmp_path, given):
    raw = tmp_path / "raw.bin"
    DATA.tofile(raw)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        data = file.create_dataset(
            "deep/data", DATA.shape, DATA.dtype, external=[(str(raw), 0, h5py.h5f.UNLIMITED)]
        )
        data.attrs["unit"] = "mm"
        data.attrs["range"] = np.arange(2, dtype=np.int16)
        data.attrs["nothing"] = h5py.Empty("f")
        file["deep/data-new"] = "in the way"
    before = contents(raw, tmp_path / "a.h5")
    table, again = clean(tmp_path / "a.h5", given, tmp_path / "b.h5")
    assert contents(raw, tmp_path / "a.h5") == before
    assert "raw.bin" in table.notes[0]
    assert again.data.external is None
    assert again.data.attrs["unit"] == "mm"
    assert again.data.attrs["range"].dtype == np.int16
    assert isinstance(again.data.attrs["nothing"], h5py.Empty)
    with h5py.File(tmp_path / "b.h5") as file:
        assert sorted(file["deep"]) == ["data", "data-new"]


def test_sources_of_a_virtual_dataset_are_not_written_to(tmp_path, given):
    layout = h5py.VirtualLayout(DATA.shape, DATA.dtype)
    for half, rows in enumerate((slice(0, 3), slice(3, 5))):
        with h5py.File(tmp_path / f"half{half}.h5", "w") as file:
            file["x"] = DATA[rows]
        layout[rows] = h5py.VirtualSource(f"half{half}.h5", "x", DATA[rows].shape)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_virtual_dataset("data", layout)
    sources = [tmp_path / "half0.h5", tmp_path / "half1.h5", tmp_path / "a.h5"]
    before = contents(*sources)
    _, again = clean(tmp_path / "a.h5", given, tmp_path / "b.h5")
    assert contents(*sources) == before
    assert not again.data.is_virtual


def test_virtual_cells_whose_file_is_gone_are_no_zeros(tmp_path):
    layout = h5py.VirtualLayout(DATA.shape, DATA.dtype)
    layout[:] = h5py.VirtualSource("gone.h5", "x", DATA.shape)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_virtual_dataset("data", layout)
    with pytest.raises(TableError, match=r"from gone.h5, which is not there"):
        read_table(tmp_path / "a.h5")


def test_links_of_an_hdf5_file(tmp_path, given):
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = DATA
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["own"] = DATA
        file["soft"] = h5py.SoftLink("/own")
        file["out"] = h5py.ExternalLink("other.h5", "x")
        file["nowhere"] = h5py.SoftLink("/not/there")
        file["empty"] = h5py.Empty("f")
    before = contents(tmp_path / "other.h5", tmp_path / "a.h5")
    clean(tmp_path / "a.h5", given, tmp_path / "b.h5", dataset="soft")
    with h5py.File(tmp_path / "b.h5") as file:
        assert file.get("soft", getlink=True).path == "/own"
    with pytest.raises(TableError, match=r"'out' is a link to other.h5: clean that file"):
        read_table(tmp_path / "a.h5", dataset="out")
    with pytest.raises(TableError, match="no dataset 'nowhere'"):
        read_table(tmp_path / "a.h5", dataset="nowhere")
    assert contents(tmp_path / "other.h5", tmp_path / "a.h5") == before


def test_a_zarr_store_of_links_becomes_one_of_files(tmp_path, given):
    import zarr

    group = zarr.open_group(str(tmp_path / "real.zarr"), mode="w")
    group.create_array("data", data=DATA)
    (tmp_path / "a.zarr").mkdir()
    for path in (tmp_path / "real.zarr").iterdir():
        (tmp_path / "a.zarr" / path.name).symlink_to(path, target_is_directory=path.is_dir())
    real = sorted(path for path in (tmp_path / "real.zarr").rglob("*") if path.is_file())
    before = contents(*real)
    clean(tmp_path / "a.zarr", given, tmp_path / "b.zarr")
    assert contents(*real) == before
    assert not any(path.is_symlink() for path in (tmp_path / "b.zarr").rglob("*"))


@pytest.mark.parametrize("suffix", ["npy", "h5"])
def test_another_name_of_the_input_keeps_what_it_was(tmp_path, given, suffix):
    """A hard link shares the cells, so they must not be written in place."""
    path, second = tmp_path / f"a.{suffix}", tmp_path / f"second.{suffix}"
    if suffix == "npy":
        np.save(path, DATA)
    else:
        with h5py.File(path, "w") as file:
            file["data"] = DATA
    os.link(path, second)
    before = contents(path)
    clean(path, given, second)
    assert contents(path) == before
