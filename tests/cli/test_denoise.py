import json
from pathlib import Path

import numpy as np
import pytest
import tifffile
from click.testing import CliRunner
from PIL import Image

from robustnmf.cli.app import app
from robustnmf.datasets import corrupt
from scenes import draw_scene

RUNNER = CliRunner()
CLEAN = draw_scene(48, 48)
DIRTY = corrupt(CLEAN.reshape(1, -1), "salt_pepper", 0.05, high=255, random_state=0)[0].reshape(
    CLEAN.shape
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Image.fromarray(DIRTY).save("a.png", dpi=(300, 300))
    return tmp_path


def denoise(*arguments):
    return RUNNER.invoke(app, ["denoise", *arguments])


def read(name):
    with Image.open(name) as picture:
        return np.array(picture)


def test_a_picture_beside_its_clean_one():
    result = denoise("a.png")
    assert result.exit_code == 0, result.stderr
    assert "a-clean.png" in result.stdout
    assert result.stderr == ""
    clean = read("a-clean.png")
    assert np.abs(clean.astype(int) - CLEAN).mean() < 0.2 * np.abs(DIRTY.astype(int) - CLEAN).mean()
    assert (clean != DIRTY).mean() < 0.08
    np.testing.assert_array_equal(read("a.png"), DIRTY)
    assert sorted(path.name for path in Path().iterdir()) == ["a-clean.png", "a.png"]


def test_all_that_can_be_asked_for():
    result = denoise(
        *("a.png", "-o", "out.png", "--mask", "mask.png", "--noise", "noise.npy"),
        *("--compare", "look.png", "--json", "--seed", "3", "-k", "5", "--patch-size", "6"),
    )
    assert result.exit_code == 0, result.stderr
    (line,) = json.loads(result.stdout)
    out, mask, noise = read("out.png"), read("mask.png"), np.load("noise.npy")
    assert set(np.unique(mask)) <= {0, 255}
    np.testing.assert_array_equal(out + noise, DIRTY)
    np.testing.assert_array_equal((out != DIRTY) & (mask == 0), False)
    assert line["corrupt"] == (mask > 0).sum()
    assert (line["out"], line["mask"], line["shape"]) == ("out.png", "mask.png", [48, 48])
    assert line["error"] is None
    assert read("look.png").shape == (48, 3 * 48 + 16, 3)


def test_the_paper_mode_changes_most_pixels():
    assert denoise("a.png", "--mode", "paper", "-q").exit_code == 0
    assert (read("a-clean.png") != DIRTY).mean() > 0.5


def test_nothing_is_overwritten_without_force():
    Path("a-clean.png").write_bytes(b"mine")
    result = denoise("a.png")
    assert result.exit_code == 2
    assert "a-clean.png exists: add --force" in result.stderr
    assert Path("a-clean.png").read_bytes() == b"mine"
    assert denoise("a.png", "--force", "-q").exit_code == 0
    assert read("a-clean.png").shape == DIRTY.shape


def test_pages_and_depth_of_a_tiff():
    pages = np.stack([DIRTY, DIRTY[::-1]]).astype(np.uint16) * 16
    tifffile.imwrite("b.tif", pages, photometric="minisblack", description="two frames")
    result = denoise("b.tif", "--mask", "mask.tif", "--noise", "noise.tif")
    assert result.exit_code == 0, result.stderr
    assert "2 pages" in result.stdout
    with tifffile.TiffFile("b-clean.tif") as written, tifffile.TiffFile("b.tif") as before:
        assert len(written.pages) == 2
        assert written.pages[0].dtype == np.uint16
        assert written.pages[0].description == before.pages[0].description
        clean = np.stack([page.asarray() for page in written.pages])
    with tifffile.TiffFile("noise.tif") as written:
        noise = np.stack([page.asarray() for page in written.pages])
    np.testing.assert_array_equal(clean + noise, pages)


def test_one_bad_file_does_not_stop_the_others(folder):
    Path("b.png").write_bytes(b"")
    Path("c.png").write_bytes(Path("a.png").read_bytes()[:500])
    np.save("d.npy", DIRTY / 255)
    Image.fromarray(DIRTY[:1, :1]).save("e.png")
    result = denoise(".", "-o", "clean")
    assert result.exit_code == 1
    assert sorted(path.name for path in Path("clean").iterdir()) == ["a.png", "d.npy"]
    errors = result.stderr.splitlines()
    assert len(errors) == 3
    for word, line in zip(("empty", "whole PNG", "1x1"), errors, strict=True):
        assert word in line
    assert result.stdout.count("failed") == 3
    lines = json.loads(denoise(".", "-o", "clean", "--json", "--force").stdout)
    assert [bool(line["error"]) for line in lines] == [False, True, True, False, True]


def test_a_folder_is_not_cleaned_twice():
    assert denoise(".", "-q").exit_code == 0
    lines = json.loads(denoise(".", "--json", "--force").stdout)
    assert [line["file"] for line in lines] == ["a.png"]


def test_the_only_picture_of_a_folder_goes_to_a_folder():
    assert denoise(".", "-o", "new/", "--mask", "new/", "-q").exit_code == 0
    assert sorted(path.name for path in Path("new").iterdir()) == ["a-mask.png", "a.png"]


def test_patterns():
    Image.fromarray(DIRTY).save("b.png")
    lines = json.loads(denoise("[ab].png", "--json").stdout)
    assert [line["out"] for line in lines] == ["a-clean.png", "b-clean.png"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.png"], "missing.png does not exist"),
        (["*.tif"], "no file is named like *.tif"),
        (["a.png", "-o", "out.jpg"], "must end in .png"),
        (["a.png", "-o", "no/out.png"], "does not exist"),
        (["a.png", "--noise", "noise.png"], "must end in .tif, .tiff, .npy"),
        (["a.png", "--compare", "look.npy"], "must end in .png"),
        (["a.png", "--mask", "mask.txt"], "no picture that we know"),
        (["a.png", "--mask", "same.png", "-o", "same.png"], "written twice"),
        (["a.png", ".", "-o", "a.png"], "a.png is a file, and several pictures go to a folder"),
        (["empty"], "holds no picture"),
        (["a.png", "--patch-size", "1"], "--patch-size"),
        (["a.png", "-k", "99999999"], "--components"),
        ([], "IN"),
    ],
)
def test_bad_usage(arguments, words):
    Path("empty").mkdir()
    result = denoise(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert sorted(path.name for path in Path().iterdir()) == ["a.png", "empty"]


def test_pictures_of_one_name_are_not_written_over_each_other():
    for name in ("a", "b"):
        Path(name).mkdir()
        Image.fromarray(DIRTY).save(f"{name}/x.png")
    result = denoise("a/x.png", "b/x.png", "-o", "out")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: --out: out/x.png would be written twice, from a/x.png and from b/x.png: "
        "use a folder for each\n"
    )
    assert not Path("out").exists()


def test_a_picture_is_replaced_only_by_its_own_clean_self():
    before = Path("a.png").read_bytes()
    assert denoise("a.png", "--mask", "a.png", "--force").exit_code == 2
    Path("link.png").symlink_to("a.png")
    result = denoise("a.png", "-o", "link.png", "--force")
    assert result.exit_code == 2
    assert "link.png is one of the pictures to clean" in result.stderr
    assert Path("a.png").read_bytes() == before
    assert denoise("a.png", "-o", "a.png", "--force", "-q").exit_code == 0


def test_animations_are_refused():
    frames = [Image.fromarray(DIRTY), Image.fromarray(DIRTY[::-1].copy())]
    frames[0].save("b.png", save_all=True, append_images=frames[1:])
    frames[0].save("c.jpg", format="MPO", save_all=True, append_images=frames[1:])
    for name, kind in (("b.png", "PNG"), ("c.jpg", "JPEG")):
        result = denoise(name)
        assert result.exit_code == 1
        assert f"{name}: it is a {kind} of 2 pictures" in result.stderr
    assert denoise("x.gif").exit_code == 2


def test_a_file_of_another_kind_is_an_error_of_its_own():
    Path("a.txt").write_text("hello")
    result = denoise("a.txt", "a.png", "-o", "clean")
    assert result.exit_code == 1
    assert "a.txt is no picture that we know" in result.stderr
    assert Path("clean/a.png").exists()


def test_what_fails_leaves_no_half_file(monkeypatch):
    def fail(self, path, arrays):
        path.write_bytes(b"half")
        raise OSError("disk full")

    monkeypatch.setattr("robustnmf._picture_files.photo.PhotoFile._write", fail)
    result = denoise("a.png")
    assert result.exit_code == 1
    assert "a.png: disk full" in result.stderr
    assert [path.name for path in Path().iterdir()] == ["a.png"]
