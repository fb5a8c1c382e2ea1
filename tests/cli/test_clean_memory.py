"""A table larger than what `clean` may hold: how much memory it takes.

`pytest -m slow -s tests/cli/test_clean_memory.py` prints the figures of docs/tables.md.
"""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

# By parts at a price, and by the cells that go with each.
RUNS = {
    "parts": (300_000, 256, ("-k", 4, "--lam", 0.04, "--max-iter", 3)),
    "cells": (1_000_000, 32, ()),
}


def peak(*arguments):
    """Run the program; return the most memory of its own that it held, in bytes.

    Pages of files that are mapped are not counted: the system takes those back when it needs them.
    """
    code = "from robustnmf.cli import main; main()"
    process = subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)])
    most = 0
    while process.poll() is None:
        for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon"):
                most = max(most, 1024 * int(line.split()[1]))
        time.sleep(0.01)
    assert process.returncode == 0
    return most


def make(path, n, m):
    rng = np.random.default_rng(0)
    data = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n, m))
    H = rng.gamma(1, size=(4, m)).astype(np.float32)
    for start in range(0, n, 20_000):
        rows = data[start : start + 20_000]
        block = rng.gamma(1, size=(len(rows), 4)).astype(np.float32) @ H
        wrong = rng.random(block.shape) < 0.01
        block[wrong] = 50 * rng.random(wrong.sum())
        rows[:] = block
    return n * m * 4


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize("run", RUNS)
def test_memory_does_not_grow_with_the_file(tmp_path, run):
    rows, columns, options = RUNS[run]
    # As many rows as are learned from, so that only what grows with the file is left.
    make(tmp_path / "small.npy", 62_500 if run == "cells" else 20_000, columns)
    least = peak("clean", tmp_path / "small.npy", *options, "--quiet")
    size = make(tmp_path / "large.npy", rows, columns)
    most = peak("clean", tmp_path / "large.npy", *options, "--quiet")
    print(
        f"{run}: file {size / 1e6:.0f} MB, memory {most / 1e6:.0f} MB, "
        f"of which {least / 1e6:.0f} MB for a small one"
    )
    # What is known of wrong cells, some blocks of rows, but never the table.
    assert most - least < 0.5 * size
    assert (tmp_path / "large-clean.npy").stat().st_size > size
