"""Runs of `robustnmf clean` through pipes, on large files, with signals, as the help says."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from spoiled_csv import PARTS, SIZES, assert_mended, clean, lines

pytestmark = pytest.mark.usefixtures("spoiled_folder")


def test_from_and_to_the_standard_streams():
    result = clean("-", "--format", "csv", input=lines(end="\r\n").encode())
    assert result.exit_code == 0, result.stderr
    assert_mended(result.stdout_bytes.decode(), end="\r\n")
    assert "3 of 240 cells" in result.stderr
    assert sorted(p.name for p in Path().iterdir()) == ["t.csv"]
    assert_mended(clean("t.csv", "-o", "-", "--quiet").stdout)


def test_arrays_can_be_piped_too(tmp_path):
    data = np.outer(SIZES, np.arange(1.0, 9))
    data[4, 4] = 999
    np.save("a.npy", data)
    result = clean("-", "--format", "npy", "-q", input=Path("a.npy").read_bytes())
    Path("b.npy").write_bytes(result.stdout_bytes)
    new = np.load("b.npy")
    assert new[4, 4] == pytest.approx(5 * SIZES[4], rel=0.02)
    data[4, 4] = new[4, 4]
    np.testing.assert_array_equal(new, data)


@pytest.mark.slow
def test_the_examples_of_the_help_run():
    """As they stand there, in their order, on tables of these names."""
    from robustnmf.tables import read_table, write_table

    table = read_table("t.csv")
    for name in ("sales.csv", "2024.csv", "2025.csv", "sensors.xlsx", "raw.tsv"):
        write_table(table, name)
    sheet = openpyxl.load_workbook("sensors.xlsx")
    sheet.active["B1"], sheet.active["C3"] = "year", -999
    sheet.save("sensors.xlsx")
    rng = np.random.default_rng(0)
    np.save("counts.npy", rng.poisson(rng.gamma(2, 5, (200, 5)) @ rng.gamma(1, 1, (5, 60))))
    help_ = clean("--help").stdout
    examples = [line.strip() for line in help_.splitlines() if "  robustnmf clean" in line]
    assert len(examples) >= 5
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for line in examples:
        done = subprocess.run(
            line, shell=True, capture_output=True, text=True, env=os.environ | {"PATH": path}
        )
        assert done.returncode == 0, (line, done.stderr)
    assert {"sales-clean.csv", "clean.csv", "report.html", "sensors-clean.xlsx", "wrong.csv"} <= {
        p.name for p in Path().iterdir()
    }


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_leaves_no_half_file(sent):
    """A real signal, while a table that takes long is worked on."""
    rng = np.random.default_rng(0)
    np.save("big.npy", rng.random((4000, 400)))
    before = sorted(p.name for p in Path().iterdir())
    code = "from robustnmf.cli import main; main()"
    arguments = ["clean", "big.npy", "-k", "40", "--lam", "0.05", "--max-iter", "100000", "-v"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"NO_COLOR": "1"},
    )
    # Until the fit has begun.
    heard = []
    for line in process.stderr:
        heard.append(line)
        if "learning" in line:
            break
    time.sleep(0.5)
    while True:
        process.send_signal(sent)
        try:
            _, error = process.communicate(timeout=5)
            break
        except subprocess.TimeoutExpired:
            # Python may lose a signal while it imports; whoever presses Ctrl-C presses it again.
            continue
    assert process.returncode == 128 + sent, (heard, error)
    assert error.strip().endswith("error: stopped")
    assert "Traceback" not in error
    assert sorted(p.name for p in Path().iterdir()) == before


@pytest.mark.parametrize("options", [(), PARTS], ids=["cells", "parts"])
def test_larger_than_memory(monkeypatch, options):
    """Kept on disk while it is worked on, and read and written a few rows at a time."""
    monkeypatch.setattr("robustnmf._tables.prepare.IN_MEMORY_BYTES", 1000)
    monkeypatch.setattr("robustnmf._tables.table.READ_BYTES", 1000)
    data = np.outer(np.random.default_rng(0).permutation(300) + 1, np.arange(1, 9))
    data = data.astype(np.float32)
    true = 5 * data[44, 0]
    data[44, 4] = 99999
    np.save("a.npy", data)
    seen = []
    from robustnmf import RobustNMF

    fit = RobustNMF.fit_transform
    monkeypatch.setattr(
        RobustNMF, "fit_transform", lambda self, X, y=None: seen.append(X) or fit(self, X)
    )
    assert clean("a.npy", "--mask", "m.npy", "-q", *options).exit_code == 0
    assert all(isinstance(X, np.memmap) for X in seen)
    assert bool(seen) == bool(options)
    assert np.load("m.npy")[44, 4] == 1
    assert np.load("m.npy").sum() == 1
    assert np.load("a-clean.npy")[44, 4] == pytest.approx(true, rel=0.02)
    assert np.load("a-clean.npy").dtype == np.float32
