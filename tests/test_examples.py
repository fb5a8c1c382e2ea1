"""Every example runs, within half a minute, leaves its picture, and is as good as it says."""

import operator
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sheets import shops

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("*.py"))
MOST_SECONDS = 30
NUMBER = r"(-?\d+\.?\d*)"
# What each example prints, and the floor (or ceiling) below (or above) which it has lost its point.
QUALITY = {
    "faces": [
        (rf"precision {NUMBER}", ">=", 0.95),
        (rf"recall {NUMBER}", ">=", 0.95),
        (rf"restored +{NUMBER}", "<=", 1.5),
        (rf"plain NMF +{NUMBER}", ">=", 5.0),
    ],
    "photograph": [
        (rf"precision {NUMBER}", ">=", 0.98),
        (rf"recall {NUMBER}", ">=", 0.98),
        (rf"restored +{NUMBER} dB", ">=", 35.0),
    ],
    "video": [
        (rf"precision {NUMBER}", ">=", 0.97),
        (rf"recall {NUMBER}", ">=", 0.83),
        (rf"{NUMBER} dB as found", ">=", 31.0),
    ],
    "hyperspectral": [
        (rf"precision {NUMBER}", ">=", 0.99),
        (rf"recall {NUMBER}", ">=", 0.99),
        (rf"{NUMBER} after", "<=", 0.006),
        (rf"spectra: {NUMBER}°, {NUMBER}°, {NUMBER}°", "<=", 5.0),
    ],
    "spreadsheet": [
        (rf"flagged \d+: precision {NUMBER}", ">=", 0.95),
        (rf"flagged \d+: precision \S+ recall {NUMBER}", ">=", 0.9),
        (rf"replaced \d+: precision {NUMBER}", ">=", 0.95),
        (rf"replaced \d+: precision \S+ recall {NUMBER}", ">=", 0.9),
        (rf"before {NUMBER}", ">=", 50),
        (rf"after {NUMBER}", "<=", 5),
    ],
    "text": [
        (rf"recall {NUMBER}", ">=", 0.88),
        (rf"precision {NUMBER}", ">=", 0.95),
    ],
    "spectrogram": [
        (rf"precision {NUMBER}", ">=", 0.97),
        (rf"recall {NUMBER}", ">=", 0.70),
        (rf"{NUMBER} dB after", "<=", -10.5),
    ],
}
COMPARED = {">=": operator.ge, "<=": operator.le}


def test_every_example_is_told_of():
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert len(EXAMPLES) >= 7
    for name in EXAMPLES:
        assert f"[{name}.py]({name}.py)" in text
    assert sorted(QUALITY) == EXAMPLES


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, tmp_path):
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, FOLDER / f"{name}.py", tmp_path],
        capture_output=True,
        text=True,
        # A warning in an example is a fault of it.
        env=os.environ | {"PYTHONWARNINGS": "error"},
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - began < MOST_SECONDS
    for pattern, sign, floor in QUALITY[name]:
        found = re.search(pattern, done.stdout)
        assert found, (pattern, done.stdout)
        for number in found.groups():
            assert COMPARED[sign](float(number), floor), (pattern, done.stdout)
    with Image.open(tmp_path / f"{name}.png") as picture:
        assert min(picture.size) > 200
        # Not one colour all over.
        assert len(picture.convert("L").getcolors()) > 10


def test_the_spreadsheet_is_the_one_that_is_tested_with_other_seeds(tmp_path):
    """What tests/sheets.py makes is what the example writes."""
    text = (FOLDER / "spreadsheet.py").read_text(encoding="utf-8")
    script, _, _ = text.partition("# The same as:")
    for seed in ("0", "3"):
        # Up to where the file is written.
        subprocess.run([sys.executable, "-c", script, str(tmp_path), seed], check=True)
        cells = np.genfromtxt(tmp_path / "sales.csv", delimiter=",", skip_header=1)[:, 1:]
        _, typed, _, empty = shops(int(seed))
        np.testing.assert_array_equal(cells, np.where(empty, np.nan, typed))
