"""Changes that a test decides itself, so that files can be tested without a fit."""

import numpy as np
import pytest


class Given:
    """These cells of the columns of numbers get these values."""

    def __init__(self, table, cells):
        self.table, self.cells = table, cells

    def block(self, rows):
        shape = (rows.stop - rows.start, len(self.table.columns))
        where, values = np.zeros(shape, dtype=bool), np.full(shape, np.nan)
        for (i, j), value in self.cells.items():
            if rows.start <= i < rows.stop:
                where[i - rows.start, j], values[i - rows.start, j] = True, value
        return where, values


@pytest.fixture
def given():
    return Given


@pytest.fixture
def small_blocks(monkeypatch):
    """Every table has many blocks."""
    monkeypatch.setattr("robustnmf._tables.table.READ_BYTES", 64)
