"""Names and cells are text: no markup, no mathematics, nothing that steers a terminal."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from robustnmf.cli.app import app

NAMES = ["flow [m3/h]", "[/]", "[red]x", ":smile:", "es\x1b[2Jc", "$\\frac{1$", "\u202edlrow"]
ROWS = ["[/bold]", "a\x1b]0;title\x07", "[link=x]y"]


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    rows = [",".join(["who", *NAMES])]
    # In no order: what counts 1, 2, 3 is no measurement.
    sizes = np.random.default_rng(1).permutation(60) + 1
    for i in range(60):
        cells = [f"{sizes[i] * (j + 1) * 2.5:.1f}" for j in range(len(NAMES))]
        # Every column and the odd rows have a giant in them.
        if i < len(NAMES):
            cells[i] = f"{99999.0 + i}"
        rows.append(",".join([ROWS[i] if i < len(ROWS) else f"r{i}", *cells]))
    Path("t.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def clean(*arguments, **kwargs):
    return CliRunner().invoke(app, ["clean", *arguments], terminal_width=200, **kwargs)


def shows_no_secrets(text):
    assert not any(c in text for c in "\x1b\x07\u202e"), repr(text)


def test_names_are_printed_as_they_are(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    result = clean("t.csv", "--verbose")
    assert result.exit_code == 0, result.output
    for name in ("flow [m3/h]", "[/]", "[red]x", ":smile:", "es\\x1b[2Jc", "$\\frac{1$"):
        assert name in result.stdout
    assert "[/bold]" in result.stdout
    shows_no_secrets(result.output)


def test_names_in_errors_and_notes():
    text = Path("t.csv").read_text(encoding="utf-8")
    Path("u.csv").write_text(text.replace("12.5", "a\x1b[31m[/]"), encoding="utf-8")
    result = clean("u.csv")
    assert result.exit_code == 0
    assert "a\\x1b[31m[/]" in result.stderr
    shows_no_secrets(result.stderr)
    Path("v.csv").write_text(text.replace("77.5", "-77.5"), encoding="utf-8")
    shows_no_secrets(clean("v.csv").output)
    shows_no_secrets(clean("t.csv", "--use", "no\x1b[31m").output)


def test_json_has_the_names_themselves():
    answer = json.loads(clean("t.csv", "--json", "-f").stdout)
    assert answer["columns"] == NAMES


@pytest.mark.skipif(sys.platform == "win32", reason="no such names")
def test_names_of_files():
    Path("t.csv").rename("[b]\x1b[2J.csv")
    result = clean("[b]\x1b[2J.csv", "--report", "[b].html", "--verbose")
    assert result.exit_code == 0, result.output
    shows_no_secrets(result.output)
    assert "clean table: [b]\\x1b[2J-clean.csv" in result.stdout
    page = Path("[b].html").read_text(encoding="utf-8")
    assert "\\x1b" in page
    shows_no_secrets(page)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_screens_without_the_letters(encoding):
    """A name that cannot be printed must not make a run fail whose files are written."""
    text = Path("t.csv").read_text(encoding="utf-8").replace(":smile:", "größe 価格")
    Path("u.csv").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "robustnmf", "clean", "u.csv", "-k", "1", "--report", "r.html"],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "COLUMNS": "200"},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u4fa1" in done.stdout
    assert b"Glyph" not in done.stderr
