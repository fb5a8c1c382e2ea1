"""The table that tests of `robustnmf clean` spoil, and the command itself."""

import re

import numpy as np
import pytest
from click.testing import CliRunner

from robustnmf.cli.app import app

# By parts at a price, as the paper has it.
PARTS = ("-k", "1", "--lam", "0.5", "--max-iter", "100")
# (row, column) of the wrong cells, from 0 on; the price is ten times too large, and so on.
WRONG = {(3, 1): "300.0", (10, 4): "4444.0", (20, 6): "0.5"}
# In no order: what counts 1, 2, 3 is no measurement.
SIZES = np.random.default_rng(1).permutation(30) + 1


def lines(wrong=WRONG, end="\n"):
    """A table of rank one, written with one decimal, with words at both ends."""
    rows = ["who," + ",".join(f"c{j}" for j in range(8)) + ",note"]
    for i in range(30):
        cells = [f"{SIZES[i] * (j + 1) * 2.5:.1f}" for j in range(8)]
        for (row, column), text in wrong.items():
            if row == i:
                cells[column] = text
        rows.append(f'"n, {i}",{",".join(cells)},2024-01-{i + 1:02}')
    return end.join(rows) + end


def assert_mended(text, wrong=WRONG, end="\n"):
    """All is letter for letter what it was, but the wrong cells, which are as they should be."""
    new, old, true = (t.split(end) for t in (text, lines(wrong, end), lines({}, end)))
    assert len(new) == len(old)
    for i, (found, was, should) in enumerate(zip(new, old, true, strict=True)):
        # The name holds a comma.
        cells = [line.split(",") for line in (found, was, should)]
        for j, (cell, before, right) in enumerate(zip(*cells, strict=True)):
            if (i - 1, j - 2) in wrong:
                assert re.fullmatch(r"\d+\.\d", cell)
                assert float(cell) == pytest.approx(float(right), rel=0.05)
            else:
                assert cell == before


def clean(*arguments, **kwargs):
    """Run the command."""
    return CliRunner().invoke(app, ["clean", *arguments], **kwargs)
