"""From cells to a matrix that can be fitted: one unit for all columns, nothing below zero."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._tables.checks import refuse_negative
from robustnmf._tables.screen import Screen
from robustnmf._tables.table import Table

# Matrices larger than this are kept on disk while they are worked on.
IN_MEMORY_BYTES = 2**28


@dataclass(frozen=True)
class UnitSettings:
    """When columns are brought to one unit.

    No study chose them; tests/tables/test_cleaning.py and tests/tables/test_odd_tables.py say what
    they are to reach.
    """

    # Columns whose usual sizes differ by more than this are taken to have different units.
    unlike: float = 10.0
    # So are those beyond this, or below its inverse, whose squares may be no numbers.
    squarable: float = 1e15
    # The usual size of a column is told by this many of its rows.
    sample_rows: int = 10_000


UNITS = UnitSettings()


@dataclass(frozen=True)
class Scaling:
    """Between the numbers of a table and those that are fitted: (x + shift) / scale.

    Attributes
    ----------
    scale, shift : arrays, one number a column
    negative_missing : bool
        Count negative cells as missing.
    screen : Screen or None
        Tells giants, which count as missing while the parts are learned.
    """

    scale: NDArray[np.float64]
    shift: NDArray[np.float64]
    negative_missing: bool
    screen: Screen | None = None

    def fitted(self, block: NDArray[Any]) -> NDArray[Any]:
        """Turn rows of the table into rows to fit."""
        return (self._shifted(block, self.hopeless(block)) / self.scale).astype(
            block.dtype, copy=False
        )

    def hopeless(self, block: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which cells of rows of the table are wrong whatever the parts are."""
        negative = block < 0 if self.negative_missing else np.zeros(block.shape, dtype=bool)
        if self.screen is None:
            return negative
        return negative | self.screen.giants(self._shifted(block, negative))

    def back(self, block: NDArray[Any]) -> NDArray[Any]:
        """Turn fitted rows into rows of the table."""
        return block * self.scale - self.shift

    def _shifted(self, block: NDArray[Any], unknown: NDArray[np.bool_]) -> NDArray[Any]:
        return np.where(unknown, np.nan, block) + self.shift


@dataclass(frozen=True)
class Prepared:
    """A matrix to fit.

    Attributes
    ----------
    X : ndarray, in memory or on disk
        Its rows are those of the table that have any value.
    scaling : Scaling
        From the table to X and back.
    fitted_row : int64 array
        For each row of the table the row of X; -1 for a row without values.
    """

    X: NDArray[Any]
    scaling: Scaling
    fitted_row: NDArray[np.int64]


@contextmanager
def prepared(table: Table, *, scale: str = "auto", negative: str = "refuse") -> Iterator[Prepared]:
    """Read a table into a matrix to fit; on disk, for as long as the body runs, if it is large.

    Parameters
    ----------
    table : Table
        The cells.
    scale : {"auto", "columns", "none"}
        Whether to divide each column by its usual size, the median of its values that are not
        zero. By default this is done if these differ by more than ten times.
    negative : {"judge", "refuse", "shift", "missing"}
        What to do about negative cells: raise (the first two), add a number to every column that
        has some, or count them as missing.

    Yields
    ------
    Prepared
    """
    lowest, known = _lowest_and_known(table, negative)
    shift = np.maximum(0, -lowest) if negative == "shift" else np.zeros(len(lowest))
    scaling = Scaling(np.ones(len(shift)), shift, negative == "missing")
    sample = _sample(table, scaling)
    sizes = _usual_sizes(sample)
    unlike = sizes.max() > UNITS.unlike * sizes.min()
    one_unit = scale == "columns" or (scale == "auto" and bool(unlike or _beyond(sizes)))
    scaling = replace(
        scaling, scale=sizes if one_unit else scaling.scale, screen=Screen.of(sizes, sample)
    )
    del sample  # The caller works while this waits: nothing is held that only the scaling needed.
    fitted_row = np.where(known, np.cumsum(known) - 1, -1)
    shape = (int(known.sum()), len(table.columns))
    with _room(shape, table.dtype) as X:
        for rows in table.blocks():
            used = known[rows]
            at = fitted_row[rows][used]
            if len(at):
                X[at[0] : at[-1] + 1] = scaling.fitted(table.block(rows))[used]
        yield Prepared(X, scaling, fitted_row)


@contextmanager
def _room(shape: tuple[int, int], dtype: np.dtype[Any]) -> Iterator[NDArray[Any]]:
    if shape[0] * shape[1] * dtype.itemsize <= IN_MEMORY_BYTES:
        yield np.empty(shape, dtype)
        return
    with tempfile.TemporaryDirectory(prefix="robustnmf-") as folder:
        file = Path(folder) / "matrix.npy"
        yield np.lib.format.open_memmap(file, mode="w+", dtype=dtype, shape=shape)


def _lowest_and_known(table: Table, negative: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Refuse negative cells; return the lowest value a column, and rows with values."""
    n, m = table.shape
    lowest = np.full(m, np.inf)
    known = np.zeros(n, dtype=bool)
    for rows in table.blocks():
        block = table.block(rows)
        if negative in ("judge", "refuse") and (block < 0).any():
            refuse_negative(table, rows.start, block)
        if negative == "missing":
            block = np.where(block < 0, np.nan, block)
        known[rows] = ~np.isnan(block).all(axis=1)
        lowest = np.fmin(lowest, np.fmin.reduce(block, axis=0, initial=np.inf))
    return lowest, known


def _beyond(sizes: NDArray[np.float64]) -> bool:
    """Whether numbers are so large or small that their squares are none."""
    return bool(sizes.max() > UNITS.squarable or sizes.min() < 1 / UNITS.squarable)


def _sample(table: Table, scaling: Scaling) -> NDArray[np.float64]:
    """Rows at even steps through the whole table, whatever the blocks are."""
    step = max(1, table.n_rows // UNITS.sample_rows)
    parts = []
    for rows in table.blocks():
        first = -rows.start % step
        parts.append(scaling.fitted(table.block(rows)[first::step]).astype(np.float64))
    return np.concatenate(parts)


def _usual_sizes(sample: NDArray[np.float64]) -> NDArray[np.float64]:
    """The median of each column's values that are not zero."""
    sizes = np.ones(sample.shape[1])
    filled = np.zeros(sample.shape[1], dtype=bool)
    for j, column in enumerate(sample.T):
        values = column[column > 0]
        if len(values):
            sizes[j], filled[j] = np.median(values), True
    # A column of zeros has any unit.
    sizes[~filled] = np.median(sizes[filled]) if filled.any() else 1.0
    return sizes
