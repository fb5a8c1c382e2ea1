"""What restoring a stack that lies elsewhere holds in memory does not grow with its pictures.

Some numbers for each picture may be held (a sample of its pixels, W); its pixels may not.
"""

import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from robustnmf._engines import kept, sources
from robustnmf._image import background, judge, pictures
from robustnmf.image import denoise_stack

SIDE, FEW, MANY = 80, 40, 100


class Frames:
    """Frames of a fixed camera, each made when somebody asks for it."""

    dtype = np.dtype(np.uint8)

    def __init__(self, n, side=SIDE, covered=False):
        self.shape, self._covered = (n, side, side), covered
        self._scene = np.add.outer(np.arange(side), np.arange(side) % 7 * 9) % 120 + 60.0

    def __getitem__(self, rows):
        return np.stack([self._frame(i) for i in range(*rows.indices(self.shape[0]))])

    def _frame(self, i):
        rng = np.random.default_rng(i)
        frame = self._scene * rng.uniform(0.7, 1.3) + rng.normal(0, 2, self._scene.shape)
        frame[rng.random(frame.shape) < 0.05] = 255
        if self._covered:
            frame[2:50, 4:64] = 0
        return np.clip(frame, 0, 255).astype(np.uint8)


class Nowhere:
    """Takes answers, and forgets them."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, np.dtype(dtype)

    def __setitem__(self, rows, values):
        pass


@pytest.mark.parametrize("covered", [False, True])
def test_memory_does_not_grow_with_the_pictures(covered, monkeypatch):
    monkeypatch.setattr(kept, "IN_MEMORY", 1000)
    monkeypatch.setattr(sources, "READ_BYTES", 2**15)
    monkeypatch.setattr(pictures, "STRIP_BYTES", 2**15)
    constants = judge.StackSettings(learned_from=2 * SIDE**2, at_once=SIDE**2)
    monkeypatch.setattr(judge, "STACK", constants)
    # A sample of each picture is held; let it be small beside these small pictures.
    few = background.BackgroundSettings(n_columns=16, entries=2**10)
    monkeypatch.setattr(background, "BACKGROUND", few)
    peaks = []
    for n in (9, FEW, MANY):
        frames = Frames(n, covered=covered)
        names = {"image": np.uint8, "mask": bool, "background": np.float32, "foreground": "f4"}
        out = {name: Nowhere(frames.shape, dtype) for name, dtype in names.items()}
        tracemalloc.start()
        denoise_stack(frames, n_components=3, return_details=True, out=out)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # The first compiles, and is not counted.
    assert (peaks[2] - peaks[1]) / (MANY - FEW) < 0.25 * SIDE**2


_RESTORE = """
from pathlib import Path
import numpy as np
from robustnmf._engines import kept, sources
from robustnmf.image import denoise_stack

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

kept.IN_MEMORY = sources.MAPPED_BYTES = 1
# Imports and kernels are the library's, whatever the stack.
denoise_stack(np.load("small.npy", mmap_mode="r")[:8, :32, :32])
for name in ("small", "large"):
    frames = np.load(f"{name}.npy", mmap_mode="r")
    options = {"dtype": frames.dtype, "shape": frames.shape}
    new = np.lib.format.open_memmap(f"{name}-clean.npy", "w+", **options)
    Path("/proc/self/clear_refs").write_text("5")
    before = peak()
    denoise_stack(frames, out=new)
    print(peak() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux's /proc")
def test_resident_memory_from_one_file_into_another(tmp_path):
    sizes = []
    for name, n in (("small", 64), ("large", 256)):
        frames = Frames(n, 512)
        path, shape = tmp_path / f"{name}.npy", frames.shape
        stack = np.lib.format.open_memmap(path, "w+", dtype=np.uint8, shape=shape)
        for i in range(n):
            stack[i : i + 1] = frames[i : i + 1]
        stack.flush()
        sizes.append(stack.nbytes)
    done = subprocess.run(
        [sys.executable, "-c", _RESTORE], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    peaks = list(map(int, done.stdout.split()))
    for size, peak in zip(sizes, peaks, strict=True):
        print(f"{size / 2**20:.0f} MB restored in {peak / 2**20:.0f} MB")
    assert peaks[1] - peaks[0] < 0.3 * (sizes[1] - sizes[0])
    written = np.load(tmp_path / "large-clean.npy", mmap_mode="r")
    assert (written != stack).any(axis=(1, 2)).all()
