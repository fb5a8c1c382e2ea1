"""What `robustnmf clean` may write to, and what it must not."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from robustnmf.cli.app import app

TEXT = "who,a,b,c\n" + "".join(f"r{i},{i + 1},{2 * i + 2},{3 * i + 3}\n" for i in range(12))


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TEXT)
    return tmp_path


def clean(*arguments):
    return CliRunner().invoke(app, ["clean", *arguments, "-k", "1"])


def store(name):
    import zarr

    zarr.open_group(name, mode="w").create_array("data", data=np.arange(12.0).reshape(4, 3) + 1)


def refused(result, words):
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert words in result.stderr


@pytest.mark.parametrize("name", [".", "..", "sub", "/"])
def test_a_folder_is_no_table(name):
    Path("sub").mkdir()
    refused(clean(name), f"DATA: {name} is a folder: name a file in it, or a Zarr store")
    refused(clean(name, "--format", "csv"), "is a folder")


def test_a_store_can_be_where_we_are(monkeypatch):
    store("s.zarr")
    monkeypatch.chdir("s.zarr")
    assert clean(".", "--format", "zarr", "-q").exit_code == 0
    assert Path("../s-clean.zarr/zarr.json").exists()


def test_the_input_is_replaced_only_by_its_own_name():
    Path("link.csv").symlink_to("t.csv")
    refused(clean("t.csv", "-o", "link.csv", "--force"), "--out: link.csv is DATA itself")
    refused(clean("t.csv", "--mask", "t.csv", "--force"), "--mask: t.csv is DATA itself")
    assert Path("t.csv").read_text() == TEXT
    assert clean("t.csv", "-o", "t.csv", "--force", "-q").exit_code == 0


def test_a_store_and_its_own_inside():
    store("a.zarr")
    store("a.zarr/inner.zarr")
    inside = sorted(Path("a.zarr").rglob("*"))
    refused(clean("a.zarr", "-o", "a.zarr/new.zarr"), "lie one in the other")
    refused(clean("a.zarr/inner.zarr", "-o", "a.zarr", "--force"), "lie one in the other")
    assert sorted(Path("a.zarr").rglob("*")) == inside


def test_folders_of_other_things_are_not_replaced():
    Path("photos.zarr").mkdir()
    Path("photos.zarr/me.png").touch()
    Path("x.csv").mkdir()
    store("a.zarr")
    refused(clean("a.zarr", "-o", "photos.zarr", "--force"), "folder of other things")
    refused(clean("t.csv", "-o", "x.csv", "--force"), "folder of other things")
    Path("file.zarr").touch()
    refused(clean("a.zarr", "-o", "file.zarr", "--force"), "file.zarr is a file")
    assert Path("photos.zarr/me.png").exists()


def test_more_parts_than_there_is_room_for():
    result = CliRunner().invoke(app, ["clean", "t.csv", "-k", "99999999"])
    assert result.exit_code == 1
    assert "99,999,999 parts of a table of 12 × 3 cells were asked for" in result.stderr
    assert "fewer than 3 parts are needed" in result.stderr
