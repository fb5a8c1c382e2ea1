"""Cleaning a table: judge every cell, say why, and replace only what is clearly wrong."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from robustnmf._common.diagnosis import Diagnosis, TrustWarning
from robustnmf._tables.by_parts import Parts, judge_by_parts
from robustnmf._tables.by_witnesses import judge_by_witnesses
from robustnmf._tables.checks import look_through
from robustnmf._tables.fitting import Settings
from robustnmf._tables.judging import Judgement
from robustnmf._tables.table import Table

# Told what begins, and the share of the work that lies behind.
Progress = Callable[[str, float], None]
# Columns that are told one by one.
_MOST_TOLD = 12


class Cell(NamedTuple):
    """A cell that was flagged."""

    row: int
    column: int
    value: float
    expected: float
    spread: float
    """How far from the truth what is expected usually is; NaN if that is not known."""
    probability: float
    """Of being wrong."""
    reason: str
    replaced: bool
    """Whether `expected` takes its place, or it is flagged only."""


@dataclass
class Cleaned:
    """What is known of a table after its cells were judged.

    Attributes
    ----------
    table : Table
        As it was read.
    settings : Settings
        How it was done.
    diagnosis : Diagnosis
        How far it can be trusted.
    judgement : Judgement
        The cells that are flagged, and those that are missing.
    kinds : list of str
        What each column holds; cells of measured ones alone are judged.
    parts : Parts or None
        If the table was judged by its parts.
    notes : list of str
        What its owner should know.
    """

    table: Table
    settings: Settings
    diagnosis: Diagnosis
    judgement: Judgement
    kinds: list[str]
    parts: Parts | None = None
    notes: list[str] = field(default_factory=list)

    @cached_property
    def flagged(self) -> Judgement:
        """The cells that are flagged."""
        return self.judgement.only(~self.judgement.missing)

    @property
    def n_flagged(self) -> int:
        """How many cells are flagged."""
        return len(self.flagged)

    @property
    def n_replaced(self) -> int:
        """How many of these are replaced."""
        return int(self.flagged.replaced.sum())

    @cached_property
    def n_missing(self) -> int:
        """How many cells have no value."""
        return sum(int(np.isnan(self.table.block(rows)).sum()) for rows in self.table.blocks())

    @property
    def n_filled(self) -> int:
        """How many of these are filled."""
        filled = self.judgement.missing & self.judgement.replaced
        return int(filled.sum()) if self.settings.fill_missing else 0

    @property
    def by_row(self) -> NDArray[np.int64]:
        """Flagged cells of each row."""
        return np.bincount(self.flagged.rows, minlength=self.table.n_rows)

    @property
    def by_column(self) -> NDArray[np.int64]:
        """Flagged cells of each column."""
        return np.bincount(self.flagged.columns, minlength=len(self.table.columns))

    @property
    def cells(self) -> list[Cell]:
        """All flagged cells: those replaced first, and the surest first among equals."""
        found = self.flagged
        off = np.abs(found.values - found.expected) / np.maximum(np.abs(found.expected), 1e-300)
        order = np.lexsort((-off, -np.round(found.probability, 3), ~found.replaced))
        return [
            Cell(
                int(found.rows[i]),
                int(found.columns[i]),
                float(found.values[i]),
                float(found.expected[i]),
                float(found.spread[i]),
                float(found.probability[i]),
                found.words(i),
                bool(found.replaced[i]),
            )
            for i in order
        ]

    def mask(self, rows: slice) -> NDArray[np.bool_]:
        """Return which cells of some rows are flagged."""
        return self._spread_out(rows, self.flagged, np.True_)

    def noise(self, rows: slice) -> NDArray[Any]:
        """Return by how much the flagged cells of some rows are off; 0 elsewhere."""
        return self._spread_out(rows, self.flagged, self.flagged.values - self.flagged.expected)

    def block(self, rows: slice) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        """Return which cells of some rows change, and to what."""
        found = self._changes
        return (
            self._spread_out(rows, found, np.True_),
            self._spread_out(rows, found, found.expected),
        )

    @cached_property
    def _changes(self) -> Judgement:
        change = self.judgement.replaced & ~np.isnan(self.judgement.expected)
        if not self.settings.fill_missing:
            change &= ~self.judgement.missing
        return self.judgement.only(change)

    def _spread_out(self, rows: slice, cells: Judgement, values: Any) -> NDArray[Any]:
        start, stop = np.searchsorted(cells.rows, [rows.start, rows.stop])
        values = np.broadcast_to(values, cells.rows.shape)[start:stop]
        out = np.zeros((rows.stop - rows.start, len(self.table.columns)), dtype=values.dtype)
        out[cells.rows[start:stop] - rows.start, cells.columns[start:stop]] = values
        return out

    def learned_parts(self) -> Parts:
        """Return the parts of the table, learned from what is not flagged if not known already."""
        if self.parts is None:
            from robustnmf._tables.explaining import parts_of

            self.parts = parts_of(self.table, self.mask, self.settings)
        return self.parts


def clean_table(
    table: Table, settings: Settings | None = None, progress: Progress | None = None
) -> Cleaned:
    """Judge the cells of a table.

    Parameters
    ----------
    table : Table
        The cells.
    settings : Settings, optional
        How to do it. By default each cell is judged by the cells that go with it; with a number for
        ``lam``, by the table's parts alone.
    progress : callable, optional
        Called as ``progress(what, share)`` before each step.

    Returns
    -------
    Cleaned
        Itself the changes to write.

    Warns
    -----
    TrustWarning
        If the result should not be relied on without looking; `Cleaned.diagnosis` says why. Then
        only what is beyond doubt is replaced.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf._tables.arrays import ArrayTable
    >>> rng = np.random.default_rng(0)
    >>> X = np.outer(np.arange(1, 61), [1.0, 2, 3, 4, 5, 6]) + rng.normal(0, 0.1, (60, 6))
    >>> X[3, 4] = 900
    >>> cell = clean_table(ArrayTable(X)).cells[0]
    >>> cell.row, cell.column, cell.value, round(cell.expected), cell.replaced
    (3, 4, 900.0, 20, True)
    """
    how = settings or Settings()
    tell = progress or (lambda what, share: None)
    tell("looking through", 0.05)
    empty = look_through(table, how)
    notes = [*table.notes, *empty]
    if how.lam == "auto":
        found = judge_by_witnesses(table, how.negative == "missing", tell)
        notes += [*_about_columns(table, found.kinds), *found.notes]
        cleaned = Cleaned(table, how, found.diagnosis, found.cells, found.kinds, notes=notes)
    else:
        cells, trust, parts, told = judge_by_parts(table, how, tell)
        kinds = ["measured"] * len(table.columns)
        cleaned = Cleaned(table, how, trust, cells, kinds, parts, [*notes, *told])
    _keep_fixed(cleaned)
    if not cleaned.diagnosis.trusted:
        warnings.warn(
            f"{cleaned.diagnosis}; only what is beyond doubt is replaced, all else is flagged",
            TrustWarning,
            stacklevel=2,
        )
    return cleaned


def _keep_fixed(cleaned: Cleaned) -> None:
    """Flag only, and say so, where a cell cannot be changed, such as a formula."""
    cleaned.notes += cleaned.table.kept(cleaned)
    cells = cleaned.judgement
    places = zip(cells.rows, cells.columns, strict=True)
    fixed = np.fromiter((cleaned.table.fixed(int(i), int(j)) for i, j in places), bool, len(cells))
    cleaned.judgement = replace(cells, replaced=cells.replaced & ~fixed)
    # What was worked out from the judgement before is no longer right.
    for name in ("flagged", "_changes"):
        cleaned.__dict__.pop(name, None)


def _about_columns(table: Table, kinds: list[str]) -> list[str]:
    """Say which columns are not judged, and why."""
    alone = [
        f"{column.name} ({kind})"
        for column, kind in zip(table.columns, kinds, strict=True)
        if kind != "measured"
    ]
    if not alone:
        return []
    told = ", ".join(alone[:_MOST_TOLD])
    more = f" and {len(alone) - _MOST_TOLD} more" if len(alone) > _MOST_TOLD else ""
    return [f"not judged, as they hold no measurements: {told}{more}"]


def noise_matrix(cleaned: Cleaned) -> sparse.csr_array:
    """Return by how much all cells are off; only the flagged ones are stored.

    Parameters
    ----------
    cleaned : Cleaned
        What `clean_table` returned.

    Returns
    -------
    csr_array
        Of the table's shape and in its units.
    """
    found = cleaned.flagged
    off = found.values - found.expected
    return sparse.csr_array((off, (found.rows, found.columns)), shape=cleaned.table.shape)
