"""Stacks of pictures: what each pixel costs, and how much memory the whole takes."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf._engines import sources
from robustnmf.image import denoise_image, denoise_stack
from robustnmf_studies.bench.plan import FULL, Plan
from robustnmf_studies.bench.results import OF_INPUT, PER_PIXEL, SHARE, Row, compared
from robustnmf_studies.bench.timing import Tell, alternate
from robustnmf_studies.common.processes import in_new_process, peak_bytes, reset_peak

Stack = NDArray[Any]
Shape = tuple[int, int, int]

AMOUNT = 0.1
# Something that moves: its side, and its steps down and to the right.
_SIDE, _DOWN, _RIGHT = 16, 3, 5
_MEMORY = """
import json
from robustnmf_studies.bench.stacks import risen
print(json.dumps(risen({shape!r}, {dtype!r})))
"""
_RESTORE = """
import json
from robustnmf_studies.bench.stacks import restored
print(json.dumps(restored({folder!r}, {way!r})))
"""


def video(shape: Shape, dtype: str = "uint8") -> Stack:
    """Make frames of a fixed camera, a tenth of their values black or white.

    scikit-image's picture of a photographer in light that changes, with grain, and something that
    moves before it.
    """
    frames = np.empty(shape, dtype)
    film(frames)
    return frames


def film(frames: Stack) -> None:
    """Fill an array, which may be a map of a file, with such frames."""
    height, width = frames.shape[1:]
    scene = import_extra("skimage.data", "image", "the pictures need").camera()
    scene = np.resize(scene[100:], (height, 512))[:, 100 : 100 + width].astype(np.float32)
    rng = np.random.default_rng(0)
    across = np.linspace(0, 1, width, dtype=np.float32)
    for i, frame in enumerate(frames):
        light = 0.7 + 0.2 * np.sin(i / 7) + 0.1 * np.cos(i / 11) * across
        picture = scene * light
        top, left = (_DOWN * i) % (height - _SIDE), (_RIGHT * i) % (width - _SIDE)
        picture[top : top + _SIDE, left : left + _SIDE] = 200
        picture += rng.normal(0, 2, picture.shape)
        drawn = rng.random(picture.shape, dtype=np.float32)
        picture[drawn < AMOUNT] = 255
        picture[drawn < AMOUNT / 2] = 0
        frame[:] = np.clip(np.rint(picture), 0, 255)


def measure(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Measure one of the cases."""
    if case == "speed":
        return _speed(plan, tell)
    if case == "stored":
        return _stored(plan, tell)
    return [_memory(plan, case)]


def _speed(plan: Plan, tell: Tell) -> list[Row]:
    """Restore a stack, and each of its pictures by itself."""
    frames = video(plan.stack)
    _warm_up(frames)
    sides = [partial(denoise_stack, frames), partial(_apart, frames)]
    rounds = alternate(
        plan.repeat, *(partial(_per_pixel, side, frames.size) for side in sides), tell=tell
    )
    what = f"processor time to restore a stack, {_named(plan.stack)}"
    ours = [one[0] for one in rounds]
    exact = plan.stack == FULL.stack
    return [
        Row("stacks.speed", what, PER_PIXEL, ours, ours=median(ours), unit="µs", exact=exact),
        compared(
            "stacks.speed-apart",
            what,
            SHARE,
            rounds,
            unit="µs",
            rival="denoise_image of each picture",
            exact=exact,
        ),
    ]


def _apart(frames: Stack) -> None:
    for frame in frames:
        denoise_image(frame)


def _per_pixel(function: Callable[[], Any], n_pixels: int) -> float:
    """Return microseconds of processor time, on all threads, for each pixel."""
    began = time.process_time()
    function()
    return 1e6 * (time.process_time() - began) / n_pixels


def _memory(plan: Plan, case: str) -> Row:
    dtype = case.removeprefix("memory-")
    found = in_new_process(_MEMORY.format(shape=plan.stack, dtype=dtype))
    return Row(
        f"stacks.{case}",
        f"peak memory beyond a stack of {dtype}, what is returned included; {_named(plan.stack)}",
        OF_INPUT,
        [found["risen"] / found["input"]],
        ours=found["risen"] / 2**20,
        theirs=found["input"] / 2**20,
        unit="MB",
        rival="the stack",
        exact=plan.stack == FULL.stack,
    )


def risen(shape: Shape, dtype: str) -> dict[str, int]:
    """Return by how much the peak of memory rises while a stack is restored."""
    frames = video(shape, dtype)
    _warm_up(frames)
    reset_peak()
    before = peak_bytes()
    denoise_stack(frames)
    return {"input": frames.nbytes, "risen": peak_bytes() - before}


def _stored(plan: Plan, tell: Tell) -> list[Row]:
    """Restore a stack from one file into another, and in memory, each in a process of its own."""
    shape = plan.stored_stack
    found = {}
    with tempfile.TemporaryDirectory(prefix="robustnmf-bench-") as folder:
        path = Path(folder) / "in.npy"
        frames = np.lib.format.open_memmap(path, "w+", dtype=np.uint8, shape=shape)
        film(frames)
        frames.flush()
        del frames
        for turn, way in enumerate(("read", "held")):
            tell((turn + 0.1) / 2)
            found[way] = in_new_process(_RESTORE.format(folder=folder, way=way))
    there, held = found["read"], found["held"]
    what = f"from one file into another, {_named(shape)}"
    exact = shape == FULL.stored_stack
    return [
        Row(
            "stacks.stored",
            f"peak memory to restore a stack {what}",
            OF_INPUT,
            [there["risen"] / there["input"]],
            ours=there["risen"] / 2**20,
            theirs=there["input"] / 2**20,
            unit="MB",
            rival="the stack",
            exact=exact,
            note=f"in memory {held['risen'] / 2**20:.0f} MB, the stack itself among them",
        ),
        Row(
            "stacks.stored-time",
            f"time to restore a stack {what}",
            SHARE,
            [there["seconds"] / held["seconds"]],
            ours=there["seconds"],
            theirs=held["seconds"],
            rival="the stack in memory",
            exact=exact,
        ),
    ]


def restored(folder: str, way: str) -> dict[str, float]:
    """Restore a file into another, read as it lies there or held; tell time and peak of memory."""
    # However small the file: what is measured is how it is read.
    sources.MAPPED_BYTES = 1
    frames = np.load(Path(folder) / "in.npy", mmap_mode="r")
    _warm_up(np.array(frames[:8, :32, :32]))
    reset_peak()
    before, began = peak_bytes(), time.perf_counter()
    if way == "read":
        new = {"dtype": frames.dtype, "shape": frames.shape}
        out = np.lib.format.open_memmap(Path(folder) / "out.npy", "w+", **new)
        denoise_stack(frames, out=out)
    else:
        np.save(Path(folder) / "held.npy", denoise_stack(np.array(frames)))
    gone = time.perf_counter() - began
    return {"input": frames.nbytes, "risen": peak_bytes() - before, "seconds": gone}


def _warm_up(frames: Stack) -> None:
    # Imports and kernels are the library's, whatever the stack; they come first.
    denoise_stack(frames[:8, :32, :32])
    denoise_image(frames[0, :32, :32])


def _named(shape: Shape) -> str:
    n, height, width = shape
    return f"{n} pictures of {height}×{width}"
