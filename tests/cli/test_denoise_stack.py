"""`robustnmf denoise --stack`: the pictures of a file restored together, a few in memory."""

import json
from pathlib import Path

import h5py
import numpy as np
import pytest
import tifffile
import zarr
from click.testing import CliRunner
from numpy.testing import assert_array_equal
from PIL import Image

from robustnmf._engines import kept, sources
from robustnmf._image import pictures
from robustnmf.cli.app import app
from robustnmf.datasets import corrupt
from robustnmf.image import denoise_stack
from scenes import draw_scene

RUNNER = CliRunner()
RNG = np.random.default_rng(0)
CLEAN = (draw_scene(24, 24) * RNG.uniform(0.4, 1, (12, 1, 1))).astype(np.uint8)
DIRTY = corrupt(CLEAN.reshape(1, -1), "salt_pepper", 0.05, high=255, random_state=0)[0].reshape(
    CLEAN.shape
)
COLOUR = np.stack([DIRTY, DIRTY[::-1], 255 - DIRTY], axis=-1)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """We are in an empty folder, and whatever can lie in files does."""
    monkeypatch.setattr(sources, "MAPPED_BYTES", 1)
    monkeypatch.setattr(kept, "IN_MEMORY", 100)
    monkeypatch.setattr(pictures, "STRIP_BYTES", 3000)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def denoise(*arguments):
    return RUNNER.invoke(app, ["denoise", *arguments, "--stack"])


def pages(name):
    with tifffile.TiffFile(name) as file:
        return np.stack([page.asarray() for page in file.pages])


def write_tiff(name, stack, **options):
    with tifffile.TiffWriter(name) as writer:
        for i, picture in enumerate(stack):
            writer.write(
                picture,
                contiguous=False,
                metadata=None,
                description=f"frame {i}",
                resolution=(300, 300),
                **options,
            )


def write_hdf5(name, stack, dataset="a/frames"):
    with h5py.File(name, "w") as file:
        file.create_dataset(dataset, data=stack, chunks=(5, *stack.shape[1:]))[:].sum()
        file[dataset].attrs["camera"] = "left"
        file["times"] = np.arange(len(stack))


def write_zarr(name, stack):
    group = zarr.open_group(name, mode="w")
    chunks = (5, *stack.shape[1:])
    group.create_array("frames", shape=stack.shape, dtype=stack.dtype, chunks=chunks)[:] = stack
    group.create_array("times", shape=len(stack), dtype=float)[:] = np.arange(len(stack))


FILES = {
    "x.npy": (np.save, np.load),
    "x.tif": (write_tiff, pages),
    "x.h5": (write_hdf5, lambda name: h5py.File(name)["a/frames"][:]),
    "x.zarr": (write_zarr, lambda name: zarr.open_group(name, mode="r")["frames"][:]),
}


def clean(name):
    path = Path(name)
    return f"{path.stem}-clean{path.suffix}"


@pytest.mark.parametrize("stack", [DIRTY, COLOUR, DIRTY.astype(np.uint16) * 16])
@pytest.mark.parametrize("name", FILES)
def test_the_pictures_of_a_file_are_restored_together(name, stack):
    write, read = FILES[name]
    write(name, stack)
    result = denoise(name, "--mask", "mask.tif", "--noise", "noise.npy", "--json")
    assert result.exit_code == 0, result.stderr
    axis = -1 if stack.ndim == 4 else None
    expected = denoise_stack(stack, channel_axis=axis, return_details=True)
    assert read(clean(name)).dtype == stack.dtype
    assert_array_equal(read(clean(name)), expected.image)
    assert_array_equal(read(name), stack)
    assert_array_equal(pages("mask.tif"), np.uint8(255) * expected.mask)
    assert_array_equal(np.load("noise.npy"), expected.noise)
    (line,) = json.loads(result.stdout)
    assert (line["pages"], tuple(line["shape"])) == (12, stack.shape[1:])
    assert (line["corrupt"], line["missing"]) == (expected.mask.sum(), 0)
    assert line["pixels"] == stack.size
    assert sorted(path.name for path in Path().iterdir()) == sorted(
        [name, clean(name), "mask.tif", "noise.npy"]
    )


def test_what_belongs_to_the_file_is_kept():
    write_tiff("x.tif", DIRTY, compression="zlib", datetime="2024:01:02 03:04:05")
    write_hdf5("x.h5", DIRTY)
    write_zarr("x.zarr", DIRTY)
    assert denoise(*FILES.keys() - {"x.npy"}, "-o", "new", "-q").exit_code == 0
    with tifffile.TiffFile("new/x.tif") as after, tifffile.TiffFile("x.tif") as before:
        assert len(after.pages) == len(before.pages)
        for one, other in zip(after.pages, before.pages, strict=True):
            for tag in ("ImageDescription", "Compression", "XResolution", "DateTime"):
                assert one.tags[tag].value == other.tags[tag].value
    with h5py.File("new/x.h5") as file:
        assert file["a/frames"].attrs["camera"] == "left"
        assert file["a/frames"].chunks == (5, 24, 24)
        assert file["times"][3] == 3
    assert zarr.open_group("new/x.zarr", mode="r")["times"][3] == 3


def test_opacity_stays():
    opacity = RNG.integers(0, 255, DIRTY.shape).astype(np.uint8)
    write_tiff("x.tif", np.stack([DIRTY, opacity], -1), extrasamples=["unassalpha"])
    assert denoise("x.tif", "-q").exit_code == 0
    found = pages("x-clean.tif")
    assert_array_equal(found[..., 0], denoise_stack(DIRTY))
    assert_array_equal(found[..., 1], opacity)


def test_gaps_are_counted_apart_and_are_no_noise():
    stack = DIRTY.astype(np.float32)
    stack[3, 4:8, 4:8] = np.nan
    np.save("x.npy", stack)
    result = denoise("x.npy", "--noise", "noise.tif", "--mask", "mask.npy", "--json")
    expected = denoise_stack(stack, return_details=True)
    (line,) = json.loads(result.stdout)
    assert (line["missing"], line["corrupt"]) == (16, expected.mask.sum() - 16)
    assert_array_equal(pages("noise.tif"), expected.noise)
    assert_array_equal(np.load("mask.npy"), np.uint8(255) * expected.mask)


def test_a_look_at_the_first_picture_and_a_table():
    np.save("x.npy", DIRTY)
    result = denoise("x.npy", "--compare", "look.png")
    assert result.exit_code == 0
    assert "24×24, 12 pages" in result.stdout
    with Image.open("look.png") as picture:
        assert picture.size == (3 * 24 + 16, 24)


def test_a_folder_of_stacks():
    Path("in").mkdir()
    for name, (write, _) in FILES.items():
        write(f"in/{name}", DIRTY)
    Image.fromarray(DIRTY[0]).save("in/photo.png")
    lines = json.loads(denoise("in", "-o", "new", "--mask", "new", "--json").stdout)
    assert len(lines) == len(FILES)
    assert not any(line["error"] for line in lines)
    for name, (_, read) in FILES.items():
        assert_array_equal(read(f"new/{name}"), denoise_stack(DIRTY))
        assert_array_equal(
            pages(f"new/x-{Path(name).suffix[1:]}-mask.tif") > 0, read(f"new/{name}") != DIRTY
        )


def test_a_file_may_be_replaced_by_its_clean_self():
    for name, (write, read) in FILES.items():
        write(name, DIRTY)
        assert denoise(name, "-o", name).exit_code == 2
        result = denoise(name, "-o", name, "--force", "-q")
        assert result.exit_code == 0, result.stderr
        assert_array_equal(read(name), denoise_stack(DIRTY))


def test_the_number_of_components_and_the_seed_are_those_of_the_stack():
    np.save("x.npy", DIRTY)
    assert denoise("x.npy", "-k", "2", "--seed", "3", "-q").exit_code == 0
    expected = denoise_stack(DIRTY, n_components=2, random_state=3)
    assert_array_equal(np.load("x-clean.npy"), expected)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["x.npy", "--mode", "paper"], "--mode paper is for single pictures"),
        (["x.npy", "--patch-size", "8"], "--patch-size is for --mode paper"),
        (["x.npy", "--mask", "mask.png"], "mask.png must end in .tif, .tiff, .npy"),
        (["x.npy", "-o", "out.tif"], "out.tif must end in .npy"),
        (["x.zarr", "-o", "x.zarr/in.zarr"], "lie one in the other"),
        (["x.zarr", "-o", "other.zarr", "--force"], "is a folder of other things"),
        (["x.zarr", "-o", "file.zarr", "--force"], "is a file, and a Zarr store is a folder"),
        (["empty"], "holds no picture: .tif, .tiff, .npy, .h5, .hdf5, .zarr are known"),
    ],
)
def test_bad_usage(arguments, words):
    np.save("x.npy", DIRTY)
    write_zarr("x.zarr", DIRTY)
    Path("empty").mkdir()
    Path("other.zarr").mkdir()
    Path("other.zarr/mine.txt").write_text("mine")
    Path("file.zarr").write_text("mine")
    before = sorted(Path().rglob("*"))
    result = denoise(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert sorted(Path().rglob("*")) == before


def test_a_dataset_goes_with_a_stack():
    np.save("x.npy", DIRTY)
    result = RUNNER.invoke(app, ["denoise", "x.npy", "--dataset", "a"])
    assert result.exit_code == 2
    assert "--dataset goes with --stack" in result.stderr


def two_stacks(name):
    with h5py.File(name, "w") as file:
        file["left"], file["right"], file["table"] = DIRTY, DIRTY[::-1], np.ones((3, 3))


def test_one_of_several_datasets():
    two_stacks("x.h5")
    assert denoise("x.h5", "--dataset", "right", "-q").exit_code == 0
    with h5py.File("x-clean.h5") as file:
        assert_array_equal(file["right"], denoise_stack(DIRTY[::-1].copy()))
        assert_array_equal(file["left"], DIRTY)


def damaged(name):
    write_tiff("whole.tif", DIRTY)
    Path(name).write_bytes(Path("whole.tif").read_bytes()[:3000])


def of_two_sizes(name):
    with tifffile.TiffWriter(name) as writer:
        for picture in (DIRTY[0], DIRTY[1, :20]):
            writer.write(picture, contiguous=False)


@pytest.mark.parametrize(
    ("name", "write", "words"),
    [
        ("x.npy", lambda name: np.save(name, DIRTY[0]), r"its shape (24, 24) is no stack"),
        ("x.npy", lambda name: np.save(name, COLOUR[0]), "one colour picture"),
        ("x.npy", lambda name: np.save(name, DIRTY > 9), "holds bool, and no grey levels"),
        ("x.npy", lambda name: np.save(name, np.full((3, 9, 9), np.inf)), "holds infinity"),
        ("x.npy", lambda name: Path(name).write_bytes(b""), "the file is empty"),
        ("x.npy", lambda name: Path(name).write_bytes(b"hello"), "no array can be read"),
        ("x.tif", damaged, "it is no whole TIFF file"),
        ("x.tif", of_two_sizes, "they differ in size or kind (20×24, 24×24)"),
        ("x.h5", two_stacks, "2 stacks of pictures (left, right): say which with --dataset"),
        ("x.h5", lambda name: Path(name).write_bytes(b"hello"), "no whole HDF5 file"),
        ("x.h5", lambda name: write_hdf5(name, DIRTY[0]), "0 stacks of pictures (none)"),
        ("x.zarr", lambda name: Path(name).mkdir(), "no Zarr store in this folder"),
        ("x.png", lambda name: Image.fromarray(DIRTY[0]).save(name), "no stack of pictures that"),
    ],
)
def test_bad_files_are_named_and_nothing_is_written(name, write, words):
    write(name)
    before = sorted(Path().rglob("*"))
    result = denoise(name)
    assert result.exit_code == 1
    assert words in result.stderr
    assert result.stderr.startswith(f"error: {name}: ")
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize("name", FILES)
def test_what_fails_leaves_no_half_file(name, monkeypatch):
    FILES[name][0](name, DIRTY)

    def fail(self, pictures, values):
        if pictures.start > 0:
            raise OSError("disk full")

    monkeypatch.setattr("robustnmf._engines.axes.Written.put", fail)
    result = denoise(name, "--mask", "mask.npy")
    assert result.exit_code == 1
    assert f"{name}: disk full" in result.stderr
    assert [path.name for path in Path().iterdir()] == [name]
