"""Every example runs, within half a minute, and leaves its picture."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PIL import Image

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("*.py"))
MOST_SECONDS = 30


def test_every_example_is_told_of():
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert len(EXAMPLES) >= 7
    for name in EXAMPLES:
        assert f"[{name}.py]({name}.py)" in text


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
    assert done.stdout
    with Image.open(tmp_path / f"{name}.png") as picture:
        assert min(picture.size) > 200
        # Not one colour all over.
        assert len(picture.convert("L").getcolors()) > 10
