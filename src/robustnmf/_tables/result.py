"""What `clean_table` returns: the repaired data, what was wrong with them, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.diagnosis import Diagnosis
from robustnmf._tables.judgement import Parts
from robustnmf._tables.judging import Judgement
from robustnmf._tables.settings import CleaningSettings
from robustnmf._tables.table import Table

if TYPE_CHECKING:
    from scipy import sparse

PathName = str | PathLike[str]


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


@dataclass(repr=False)
class CleaningResult:
    """The repaired data, and what is known of a table after its cells were judged.

    Attributes
    ----------
    table : Table
        The cells as they were given.
    settings : CleaningSettings
        How it was done.
    diagnosis : Diagnosis
        How far it can be trusted.
    judgement : Judgement
        The cells that are flagged, and those that are missing.
    kinds : list of str
        What each column of `table` holds; cells of measured ones alone are judged.
    parts : Parts or None
        If the table was judged by its parts.
    notes : list of str
        What its owner should know.
    """

    table: Table
    settings: CleaningSettings
    diagnosis: Diagnosis
    judgement: Judgement
    kinds: list[str]
    parts: Parts | None = None
    notes: list[str] = field(default_factory=list)

    @cached_property
    def data(self) -> Any:
        """The repaired data, of the kind that was given.

        A pandas or polars frame has its index, the order and the types of its columns, and all
        columns that were not used. An array has its type. What came from a file is a `Table`, for
        `write_table`. What was given is not modified.
        """
        return self.table.repaired(self)

    @cached_property
    def mask(self) -> Any:
        """Where cells are flagged: a frame or an array of the shape of the data.

        Of a file or a `Table` only the columns of numbers count.
        """
        return self.table.like_data(self.mask_block, np.dtype(bool))

    @cached_property
    def changes(self) -> Any:
        """Every cell that is flagged or filled, in the order of the table.

        Returns
        -------
        frame or structured array
            Of the kind of the data (for arrays and files a structured array), with the columns

            - row, column: where it is: labels for ``df.loc`` of pandas, a number and a name for
              polars, two numbers for an array, a number and a heading for a file
            - value: what stands there; NaN (null in polars) for a missing cell
            - expected: what should stand there
            - probability: of being wrong; 0 for a missing cell
            - reason: in words
            - replaced: whether `data` has what is expected there; else it is flagged only
        """
        found = self.judgement
        columns: dict[str, Any] = {
            "value": np.asarray(found.values, dtype=np.float64),
            "expected": np.asarray(found.expected, dtype=np.float64),
            "probability": np.round(np.asarray(found.probability, dtype=np.float64), 4),
            "reason": [found.words(i) for i in range(len(found))],
            "replaced": self.changes_done,
        }
        return self.table.listed(found.rows, found.columns, columns)

    @property
    def changes_done(self) -> NDArray[np.bool_]:
        """Which of the `changes` are made in `data`; the other cells are flagged only."""
        done = self.judgement.replaced
        return done if self.settings.fill_missing else done & ~self.judgement.missing

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
        return int((self.judgement.missing & self.changes_done).sum())

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

    @property
    def summary(self) -> str:
        """How many cells were replaced and flagged, in one line."""
        n, m = self.table.shape
        kept = self.n_flagged - self.n_replaced
        return f"{self.n_replaced:,} of {n * m:,} cells replaced, {kept:,} more flagged"

    def __str__(self) -> str:
        return f"{self.summary}; {self.diagnosis}"

    def __repr__(self) -> str:
        return f"<CleaningResult: {self}>"

    def noise(self) -> sparse.csr_array:
        """Return by how much all cells are off; only the flagged ones are stored.

        Returns
        -------
        csr_array
            Of the shape and in the units of the table's columns of numbers.
        """
        from scipy import sparse

        found = self.flagged
        off = found.values - found.expected
        return sparse.csr_array((off, (found.rows, found.columns)), shape=self.table.shape)

    def learned_parts(self) -> Parts:
        """Return the parts of the table, learned from what is not flagged if not known already."""
        if self.parts is None:
            from robustnmf._tables.explaining import parts_of

            self.parts = parts_of(self.table, self.mask_block, self.settings)
        return self.parts

    def report(self, command: str = "") -> str:
        """Return a page (HTML) that shows what was found, and needs nothing but a browser.

        Parameters
        ----------
        command : str
            How to repeat the run.
        """
        from robustnmf._tables.report import report

        return report(self, command)

    def write_report(self, path: PathName, command: str = "") -> None:
        """Write the page that `report` returns."""
        from robustnmf._tables import outputs

        outputs.write_report(self, path, command)

    def write_changes(self, path: PathName) -> None:
        """Write every cell that is flagged or filled; the suffix tells the format, also .json."""
        from robustnmf._tables import outputs

        outputs.write_changes(self, path)

    def write_mask(self, path: PathName) -> None:
        """Write 1 where a cell is flagged and 0 elsewhere; the suffix tells the format."""
        from robustnmf._tables import outputs

        outputs.write_mask(self, path)

    def write_noise(self, path: PathName) -> None:
        """Write by how much each flagged cell is off; the suffix tells the format."""
        from robustnmf._tables import outputs

        outputs.write_noise(self, path)

    def write_parts(self, path: PathName) -> None:
        """Write the parts of the table, one a row; the suffix tells the format."""
        from robustnmf._tables import outputs

        outputs.write_parts(self, path)

    def write_weights(self, path: PathName) -> None:
        """Write how much of each part each row holds; the suffix tells the format."""
        from robustnmf._tables import outputs

        outputs.write_weights(self, path)

    def mask_block(self, rows: slice) -> NDArray[np.bool_]:
        """Return which cells of some rows are flagged."""
        return self._spread_out(rows, self.flagged, np.True_)

    def noise_block(self, rows: slice) -> NDArray[Any]:
        """Return by how much the flagged cells of some rows are off; 0 elsewhere."""
        return self._spread_out(rows, self.flagged, self.flagged.values - self.flagged.expected)

    def block(self, rows: slice) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        """Return which cells of some rows change, and to what."""
        found = self._changed
        return (
            self._spread_out(rows, found, np.True_),
            self._spread_out(rows, found, found.expected),
        )

    @cached_property
    def _changed(self) -> Judgement:
        return self.judgement.only(self.changes_done & ~np.isnan(self.judgement.expected))

    def _spread_out(self, rows: slice, cells: Judgement, values: Any) -> NDArray[Any]:
        start, stop = np.searchsorted(cells.rows, [rows.start, rows.stop])
        values = np.broadcast_to(values, cells.rows.shape)[start:stop]
        out = np.zeros((rows.stop - rows.start, len(self.table.columns)), dtype=values.dtype)
        out[cells.rows[start:stop] - rows.start, cells.columns[start:stop]] = values
        return out

    def without_fixed(self) -> CleaningResult:
        """Return the same where cells that cannot be changed, such as formulas, are flagged only.

        What was worked out from the judgement is left behind, as it would no longer be right.
        """
        cells = self.judgement
        fixed = self.table.fixed(cells.rows, cells.columns)
        return replace(
            self,
            judgement=replace(cells, replaced=cells.replaced & ~fixed),
            notes=[*self.notes, *self.table.kept(self)],
        )
