"""Stacks that do not lie in memory, and answers that go elsewhere: the same to the last bit."""

import dask.array as da
import h5py
import numpy as np
import pytest
import zarr
from numpy.testing import assert_array_equal

from robustnmf._engines import kept, sources
from robustnmf._image import judge, pictures
from robustnmf.datasets import corrupt
from robustnmf.image import denoise_stack
from scenes import draw_scene

DETAILS = ("image", "mask", "background", "foreground")


class Frames:
    """Something of somebody else's, of which a few pictures can be had."""

    def __init__(self, stack):
        self._stack, self.shape, self.dtype = stack, stack.shape, stack.dtype

    def __getitem__(self, rows):
        return self._stack[rows]


def as_map(stack, folder):
    np.save(folder / "in.npy", stack)
    return np.load(folder / "in.npy", mmap_mode="r")


def as_zarr(stack, folder, name="in.zarr"):
    chunks = (3, *stack.shape[1:])
    made = zarr.create_array(folder / name, shape=stack.shape, dtype=stack.dtype, chunks=chunks)
    made[:] = stack
    return made


def as_hdf5(stack, folder, name="in.h5", **options):
    # Closed with the last that refers to it.
    return h5py.File(folder / name, "w").create_dataset("frames", data=stack, **options)


KINDS = {
    "map": as_map,
    "zarr": as_zarr,
    "hdf5": as_hdf5,
    "hdf5 in chunks": lambda stack, folder: as_hdf5(stack, folder, chunks=(4, *stack.shape[1:])),
    "dask": lambda stack, folder: da.from_array(stack, chunks=(7, *stack.shape[1:])),
    "other": lambda stack, folder: Frames(stack),
}


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Nothing is small: maps are read, rows lie in files, a few pictures are read at a time."""
    monkeypatch.setattr(sources, "MAPPED_BYTES", 1)
    monkeypatch.setattr(sources, "READ_BYTES", 3000)
    monkeypatch.setattr(kept, "IN_MEMORY", 100)
    monkeypatch.setattr(pictures, "STRIP_BYTES", 3000)
    constants = judge.StackSettings(learned_from=2 * 24 * 24, at_once=3 * 24 * 24)
    monkeypatch.setattr(judge, "STACK", constants)


def scenes(n=16, side=24):
    rng = np.random.default_rng(1)
    scene = draw_scene(side, side).astype(float)
    parts = np.stack([scene, scene[::-1].T, np.roll(scene, 9, axis=1)]).reshape(3, -1)
    return np.rint(rng.dirichlet([1, 1, 1], n) @ parts).reshape(n, side, side).astype(np.uint8)


def scattered():
    stack = scenes()
    return corrupt(stack.reshape(1, -1), "random", 0.1, high=255, random_state=0)[0].reshape(
        stack.shape
    )


def occluded():
    return corrupt(scenes(24, 32), "occlusion", 0.2, high=255, random_state=0)[0]


def with_gaps():
    stack = scattered().astype(np.float32) * 3.5 - 20
    stack[2, 4:9, 4:9] = stack[:, 3, 4] = stack[5] = np.nan
    return stack


def in_colour():
    return np.stack([scattered(), 255 - scattered()[::-1]], axis=-1)


STACKS = {
    "bytes": (scattered, {}),
    "occluded": (occluded, {}),
    "floats with gaps": (with_gaps, {}),
    "deep": (lambda: scattered().astype(np.uint16) * 16, {}),
    "colour": (in_colour, {"channel_axis": -1}),
    "channels first": (lambda: np.moveaxis(in_colour(), -1, 1), {"channel_axis": 1}),
}


def check(found, expected):
    for name in DETAILS:
        assert_array_equal(getattr(found, name)[:], getattr(expected, name))
    assert found.image.dtype == expected.image.dtype


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", STACKS)
def test_the_answer_is_the_same_wherever_the_stack_lies(kind, name, tmp_path):
    make, options = STACKS[name]
    expected = denoise_stack(make(), return_details=True, **options)
    assert expected.mask.any()
    stack = KINDS[kind](make(), tmp_path)
    found = denoise_stack(stack, return_details=True, **options)
    check(found, expected)
    assert found.measured is stack
    assert_array_equal(found.noise, expected.noise)
    assert_array_equal(denoise_stack(stack, **options), expected.image)


def new_map(folder, name, shape, dtype):
    return np.lib.format.open_memmap(folder / f"{name}.npy", "w+", dtype=dtype, shape=shape)


def new_zarr(folder, name, shape, dtype):
    return zarr.create_array(folder / name, shape=shape, dtype=dtype, chunks=(5, *shape[1:]))


def new_hdf5(folder, name, shape, dtype):
    return h5py.File(folder / name, "w").create_dataset("x", shape=shape, dtype=dtype)


TARGETS = {
    "array": lambda folder, name, shape, dtype: np.empty(shape, dtype),
    "strided": lambda folder, name, shape, dtype: np.empty((*shape, 2), dtype)[..., 1],
    "map": new_map,
    "zarr": new_zarr,
    "hdf5": new_hdf5,
}


@pytest.mark.parametrize("held", [True, False])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["bytes", "colour", "channels first"])
def test_answers_go_where_they_are_wanted(target, name, held, tmp_path):
    make, options = STACKS[name]
    stack = make() if held else Frames(make())
    expected = denoise_stack(make(), return_details=True, **options)
    out = {
        part: TARGETS[target](tmp_path, part, stack.shape, getattr(expected, part).dtype)
        for part in DETAILS
    }
    found = denoise_stack(stack, return_details=True, out=out, **options)
    for part in DETAILS:
        assert getattr(found, part) is out[part]
    check(found, expected)
    assert_array_equal(found.noise, expected.noise)
    alone = TARGETS[target](tmp_path, "alone", stack.shape, stack.dtype)
    assert denoise_stack(stack, out=alone, **options) is alone
    assert_array_equal(alone[:], expected.image)


def test_what_is_not_named_is_not_made(tmp_path):
    stack = scattered()
    expected = denoise_stack(stack, return_details=True)
    mask = np.zeros(stack.shape, dtype=bool)
    found = denoise_stack(Frames(stack), return_details=True, out={"mask": mask})
    assert_array_equal(mask, expected.mask)
    assert found.image is found.background is found.foreground is None
    with pytest.raises(ValueError, match="noise follows from image and mask"):
        found.noise  # noqa: B018


def test_channels_in_front_of_the_pictures_are_for_arrays():
    stack = np.moveaxis(in_colour(), -1, 0)
    expected = denoise_stack(stack, channel_axis=0)
    out = np.empty_like(stack)
    assert_array_equal(denoise_stack(stack, channel_axis=0, out=out), expected)
    with pytest.raises(ValueError, match="channel_axis=0: a stack that is no array in memory"):
        denoise_stack(Frames(stack), channel_axis=0)
    with pytest.raises(ValueError, match="out is no array in memory, and pictures are written"):
        denoise_stack(stack, channel_axis=0, out=Sink(stack.shape, stack.dtype))


class Sink:
    """Takes pictures in their order, and no others."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype, self.taken = shape, dtype, []

    def __getitem__(self, rows):
        raise AssertionError("it is only written to")

    def __setitem__(self, rows, values):
        assert rows.start == len(self.taken)
        self.taken.extend(values)


def test_pictures_come_in_their_order_and_each_once():
    stack = scattered()
    out = Sink(stack.shape, stack.dtype)
    denoise_stack(Frames(stack), out=out)
    assert_array_equal(np.stack(out.taken), denoise_stack(stack))


@pytest.mark.parametrize(("name", "least"), [("bytes", 3), ("floats with gaps", 5)])
def test_a_stack_is_read_as_often_as_is_said(name, least):
    read = 0

    class Counted(Frames):
        def __getitem__(self, rows):
            nonlocal read
            found = super().__getitem__(rows)
            read += len(found)
            return found

    stack = STACKS[name][0]()
    denoise_stack(Counted(stack))
    # Pictures to learn from are read once more.
    assert least <= read / len(stack) < least + 1
    read = 0
    denoise_stack(Counted(occluded()), return_details=True)
    assert read / len(occluded()) < 8


def test_whole_chunks_are_written(tmp_path):
    stack = scattered()
    written = []

    class Chunked(Sink):
        chunks = (5, 24, 24)

        def __setitem__(self, rows, values):
            written.append((rows.start, rows.stop))

    denoise_stack(stack, out=Chunked(stack.shape, stack.dtype))
    assert written == [(0, 5), (5, 10), (10, 15), (15, 16)]


def test_a_stack_may_be_replaced_by_itself(tmp_path):
    stack = scattered()
    found = as_hdf5(stack, tmp_path)
    denoise_stack(found, out=found)
    assert_array_equal(found[:], denoise_stack(stack))


def test_progress_goes_on_to_the_end():
    for stack in (scattered(), occluded()):
        heard = []
        denoise_stack(Frames(stack), progress=heard.append)
        assert heard == sorted(heard)
        assert (heard[0] < 0.2, heard[-1], len(set(heard)) > 10) == (True, 1, True)


FRAMES = (6, 9, 9)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"out": [0]}, TypeError, "out must be an array that rows can be written to"),
        ({"out": np.zeros((6, 9, 8))}, ValueError, r"out must have the shape \(6, 9, 9\)"),
        ({"out": np.zeros(FRAMES, np.int8)}, ValueError, "int8, which cannot hold uint8"),
        ({"out": np.broadcast_to(np.uint8(0), FRAMES)}, ValueError, "out cannot be written to"),
        ({"out": {"image": np.zeros(FRAMES)}}, ValueError, "goes with return_details=True"),
        ({"out": np.zeros(FRAMES), "return_details": True}, ValueError, "a dict with some of"),
        ({"out": {}, "return_details": True}, ValueError, "a dict with some of 'image', 'mask'"),
        (
            {"out": {"mask": np.zeros(FRAMES, np.float32), "noise": 0}, "return_details": True},
            ValueError,
            "a dict with some of",
        ),
        (
            {"out": {"foreground": np.zeros(FRAMES, np.float16)}, "return_details": True},
            ValueError,
            r"out\['foreground'\] has dtype float16, which cannot hold float32",
        ),
    ],
)
@pytest.mark.parametrize("kind", [np.asarray, Frames])
def test_bad_targets_are_named(options, error, message, kind):
    with pytest.raises(error, match=message):
        denoise_stack(kind(np.zeros(FRAMES, np.uint8)), **options)


def test_targets_that_are_only_read_are_refused(tmp_path):
    stack = np.zeros(FRAMES, np.uint8)
    as_hdf5(stack, tmp_path).file.close()
    as_zarr(stack, tmp_path)
    for target in (
        h5py.File(tmp_path / "in.h5", "r")["frames"],
        zarr.open_array(tmp_path / "in.zarr", mode="r"),
        as_map(stack, tmp_path),
    ):
        with pytest.raises(ValueError, match="out cannot be written to; map or open it in mode"):
            denoise_stack(stack, out=target)


@pytest.mark.parametrize(
    ("stack", "options", "error", "message"),
    [
        (np.zeros((9, 9)), {}, ValueError, "pictures along the first axis"),
        (np.zeros((4, 9, 9)), {"channel_axis": -1}, ValueError, "pictures along the first axis"),
        (np.zeros((4, 9, 9, 2)), {"channel_axis": 5}, ValueError, "channel_axis=5 is no axis"),
        (np.zeros((0, 9, 9)), {}, ValueError, r"has shape \(0, 9, 9\)"),
        (np.full((4, 9, 9), np.nan), {}, ValueError, "stack holds nothing but NaN"),
        (np.full((4, 9, 9), np.inf), {}, ValueError, "stack holds infinity"),
        (np.zeros((40, 30, 3), np.uint8), {}, ValueError, "one colour picture"),
        (np.zeros((4, 9, 9), complex), {}, TypeError, "stack has dtype complex128"),
        (np.zeros((4, 9, 9), bool), {}, TypeError, "stack is boolean"),
    ],
)
def test_bad_stacks_are_named_before_any_work(stack, options, error, message):
    with pytest.raises(error, match=message):
        denoise_stack(Frames(stack), **options)


def test_dask_must_know_how_many_pictures_there_are():
    stack = da.from_array(scattered(), chunks=(4, 24, 24))
    with pytest.raises(ValueError, match=r"call its compute_chunk_sizes\(\)"):
        denoise_stack(stack[da.from_array(np.arange(16) % 2 == 0, chunks=4)])
