"""Cleaning a table: learn its parts, judge every cell, say what should stand there instead."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from robustnmf.tables.fitting import Settings, fit
from robustnmf.tables.prepare import Units, prepared
from robustnmf.tables.table import Table

# Told what begins, and the share of the work that lies behind.
Progress = Callable[[str, float], None]
# Cells, rows and columns that are told one by one.
_MOST_WORST = 20


class Cell(NamedTuple):
    """A cell that was judged corrupt."""

    row: int
    column: int
    value: float
    expected: float


@dataclass
class Cleaned:
    """What is known of a table after its parts were learned.

    Attributes
    ----------
    table : Table
        As it was read.
    model : RobustNMF
        Fitted to the table in its own units.
    weights : array of shape (rows with any value, n_components)
        How much of each part a row holds.
    flagged : csr_array of shape (rows with any value, n_columns)
        Not zero where the model calls an entry corrupt.
    parts : array of shape (n_components, n_columns)
        In the table's units.
    units : Units
        Between the table and the model.
    settings : Settings
        How it was done.
    n_corrupt, n_missing : int
        Cells judged corrupt, and cells without a value.
    by_row, by_column : int arrays
        Corrupt cells of each row and column.
    worst : list of Cell
        The cells that are furthest off, in the unit of the fit; the worst first.
    notes : list of str
        What its owner should know.
    """

    table: Table
    model: Any
    weights: NDArray[Any]
    flagged: sparse.csr_array
    parts: NDArray[Any]
    units: Units
    settings: Settings
    place: NDArray[np.int64]
    n_corrupt: int = 0
    n_missing: int = 0
    by_row: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    by_column: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    worst: list[Cell] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def expected(self, rows: slice) -> NDArray[Any]:
        """Return what the parts make of some rows, in the table's units; NaN for empty rows."""
        place = self.place[rows]
        known = place >= 0
        block = np.full((len(place), len(self.table.columns)), np.nan)
        block[known] = self.units.back(self.weights[place[known]] @ self.model.components_)
        for j, column in enumerate(self.table.columns):
            if column.decimals is not None:
                block[:, j] = np.round(block[:, j], column.decimals)
        return block

    def mask(self, rows: slice) -> NDArray[np.bool_]:
        """Return which cells of some rows were judged corrupt."""
        return self._judge(rows)[0]

    def noise(self, rows: slice) -> NDArray[Any]:
        """Return by how much the cells of some rows are off; 0 where they are not."""
        corrupt, values, expected = self._judge(rows)
        return np.where(corrupt, values - expected, 0)

    def block(self, rows: slice) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        """Return which cells of some rows change, and to what."""
        corrupt, values, expected = self._judge(rows)
        if self.settings.fill_missing:
            corrupt = corrupt | (np.isnan(values) & ~np.isnan(expected))
        return corrupt, expected

    def _judge(self, rows: slice) -> tuple[NDArray[np.bool_], NDArray[Any], NDArray[Any]]:
        values, expected = self.table.block(rows), self.expected(rows)
        place = self.place[rows]
        known = place >= 0
        corrupt = np.zeros(values.shape, dtype=bool)
        corrupt[known] = self.flagged[place[known]].toarray() != 0
        corrupt |= self.units.hopeless(values)
        # What is expected may be, once rounded, what stands there: nothing is wrong with that.
        return corrupt & (values != expected), values, expected


def clean_table(
    table: Table, settings: Settings | None = None, progress: Progress | None = None
) -> Cleaned:
    """Learn the parts of a table and judge its cells.

    Parameters
    ----------
    table : Table
        The cells.
    settings : Settings, optional
        How to do it.
    progress : callable, optional
        Called as ``progress(what, share)`` before each step.

    Returns
    -------
    Cleaned
        Itself the changes to write.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf.tables.arrays import ArrayTable
    >>> X = np.outer(np.arange(1, 31), [1.0, 2, 3, 4, 5, 6])
    >>> X[3, 4] = 900
    >>> done = clean_table(ArrayTable(X), Settings(n_components=1))
    >>> [(cell.row, cell.column, cell.value, round(cell.expected)) for cell in done.worst[:1]]
    [(3, 4, 900.0, 20)]
    """
    how = settings or Settings()
    tell = progress or (lambda what, share: None)
    tell("looking through", 0.05)
    with prepared(table, scale=how.scale, negative=how.negative) as data:
        tell("learning the parts", 0.15)
        fitted = fit(data.X, how, lambda share: tell("learning the parts", 0.15 + 0.65 * share))
    tell("judging the cells", 0.8)
    cleaned = Cleaned(
        table=table,
        model=fitted.model,
        weights=fitted.W,
        flagged=fitted.flagged,
        parts=fitted.model.components_ * data.units.scale,
        units=data.units,
        settings=how,
        place=data.place,
        notes=[
            *table.notes,
            *_about_rows(data.place, table),
            *_about_parts(fitted.model, data.X),
            *fitted.notes,
        ],
    )
    _count(cleaned)
    return cleaned


def _about_rows(place: NDArray[np.int64], table: Table) -> list[str]:
    empty = np.flatnonzero(place < 0)
    if not len(empty):
        return []
    first = table.row_name(int(empty[0]))
    return [f"{len(empty)} rows without any number are left as they are (first: {first})"]


def _about_parts(model: Any, X: NDArray[Any]) -> list[str]:
    if model.n_components_ < min(X.shape):
        return []
    return [
        f"{model.n_components_} parts explain any table of {X.shape[0]} rows and {X.shape[1]} "
        "columns, whatever is in it, so nothing can be found: choose a smaller -k"
    ]


def _count(cleaned: Cleaned) -> None:
    """Go through the cells once: how many are corrupt, where, and which most."""
    n, m = cleaned.table.shape
    cleaned.by_row, cleaned.by_column = np.zeros(n, np.int64), np.zeros(m, np.int64)
    # Smallest first, as the heap wants it: size, then place.
    heap: list[tuple[float, int, int, float, float]] = []
    for rows in cleaned.table.blocks():
        corrupt, values, expected = cleaned._judge(rows)
        cleaned.n_missing += int(np.isnan(values).sum())
        cleaned.by_row[rows] = corrupt.sum(axis=1)
        cleaned.by_column += corrupt.sum(axis=0)
        off = np.where(corrupt, np.abs(values - expected) / cleaned.units.scale, 0)
        for i, j in _largest(off, _MOST_WORST):
            item = (
                float(off[i, j]),
                -(rows.start + int(i)),
                -int(j),
                float(values[i, j]),
                float(expected[i, j]),
            )
            heapq.heappush(heap, item)
            if len(heap) > _MOST_WORST:
                heapq.heappop(heap)
    cleaned.n_corrupt = int(cleaned.by_column.sum())
    cleaned.worst = [
        Cell(-i, -j, value, expected) for _, i, j, value, expected in sorted(heap, reverse=True)
    ]


def _largest(off: NDArray[Any], most: int) -> NDArray[np.int64]:
    """Return the places of the largest numbers above zero."""
    places = np.argwhere(off > 0)
    if len(places) > most:
        sizes = off[tuple(places.T)]
        places = places[np.argpartition(-sizes, most)[:most]]
    return places


def noise_matrix(cleaned: Cleaned) -> sparse.csr_array:
    """Return by how much all cells are off; only the corrupt ones are stored.

    Parameters
    ----------
    cleaned : Cleaned
        What `clean_table` returned.

    Returns
    -------
    csr_array
        Of the table's shape and in its units.
    """
    blocks = [sparse.csr_array(cleaned.noise(rows)) for rows in cleaned.table.blocks()]
    return sparse.csr_array(sparse.vstack(blocks))
