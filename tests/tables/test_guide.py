"""The examples of docs/tables.md run as they stand there, and say what they say."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sheets import SHOP_DECIMALS, shops

GUIDE = Path(__file__).parents[2] / "docs" / "tables.md"


@pytest.fixture
def sales(tmp_path, monkeypatch):
    """The table of examples/spreadsheet.py, in the folder where we are."""
    monkeypatch.chdir(tmp_path)
    _, typed, _, empty = shops(0)
    lines = ["shop," + ",".join(f"c{j}" for j in range(typed.shape[1]))]
    for i, row in enumerate(typed):
        cells = [f"{x:.{d}f}" for x, d in zip(row, SHOP_DECIMALS, strict=True)]
        cells = ["" if gap else cell for cell, gap in zip(cells, empty[i], strict=True)]
        lines.append(",".join([f"shop {i + 1}", *cells]))
    Path("sales.csv").write_text("\n".join(lines) + "\n")


def test_the_examples_run(sales, capsys):
    frame, file = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    names = {}
    exec(frame, names)
    (said,) = re.findall(r"^print\(result\)  # (.*)$", frame, re.MULTILINE)
    assert capsys.readouterr().out.startswith(said + "\n")
    assert "point in the wrong place" in Path("report.html").read_text(encoding="utf-8")
    (columns,) = re.findall(r"a frame: (row, .*)$", frame, re.MULTILINE)
    assert list(names["result"].changes.columns) == columns.split(", ")
    exec(file, names)
    clean = pd.read_csv("sales-clean.csv")
    pd.testing.assert_frame_equal(clean, names["clean"], check_dtype=False)
    assert np.asarray(names["wrong"]).sum() == 32
    assert {"changes.csv", "sales-clean.csv"} <= {path.name for path in Path().iterdir()}
