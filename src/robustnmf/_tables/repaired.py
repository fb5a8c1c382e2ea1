"""A table with some cells changed, seen as the table that it would be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._tables.table import Changes, Frame, Table, TableError, Written


class RepairedTable(Table):
    """A table of which some cells have other values; nothing is copied, nothing changed.

    Parameters
    ----------
    table : Table
        As it was read.
    changes : Changes
        The cells that differ.
    """

    def __init__(self, table: Table, changes: Changes) -> None:
        self._table, self._changes = table, changes
        self.columns, self.names, self.notes = table.columns, table.names, table.notes
        self.kind, self.file = table.kind, table.file

    @property
    def n_rows(self) -> int:
        """How many rows there are below the headings."""
        return self._table.n_rows

    @property
    def dtype(self) -> np.dtype[Any]:
        """In which precision the numbers are worked on."""
        return self._table.dtype

    @property
    def carried(self) -> list[str]:
        """Names of the columns that are not used."""
        return self._table.carried

    @property
    def labels(self) -> tuple[str, list[Any]] | None:
        """The heading and the cells of the column that names the rows, if there is one."""
        return self._table.labels

    @property
    def styles(self) -> list[Written]:
        """How each column of numbers writes them."""
        return self._table.styles

    def block(self, rows: slice) -> NDArray[Any]:
        """Return some rows as numbers, with NaN for cells that are still missing."""
        where, values = self._changes.block(rows)
        old = self._table.block(rows)
        return np.where(where, values, old).astype(old.dtype, copy=False)

    def row_name(self, row: int) -> str:
        """Return what its owner calls a row."""
        return self._table.row_name(row)

    def fixed(self, rows: NDArray[Any], columns: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which cells cannot be changed, whatever is wrong with them."""
        return self._table.fixed(rows, columns)

    def kept(self, changes: Changes) -> list[str]:
        """Say in words which cells should change but cannot."""
        return self._table.kept(changes)

    def select(self, use: Sequence[str], ignore: Sequence[str], index: str | None) -> None:
        """Refuse: what was changed in a column belongs to it."""
        raise TableError(
            "the columns of a repaired table are chosen already: write it and read it again, or "
            "choose columns of the table as it was read"
        )

    def write(self, path: Path, changes: Changes) -> None:
        """Write the file again, with all that was changed before, and these cells."""
        self._table.write(path, _Both(self._changes, changes))

    def frame(self, changes: Changes) -> Frame:
        """Return the whole table, with all that was changed before, and these cells."""
        return self._table.frame(_Both(self._changes, changes))


class NoChanges:
    """No cell changes.

    Parameters
    ----------
    n_columns : int
        How many columns of numbers the table has.
    """

    def __init__(self, n_columns: int) -> None:
        self._n_columns = n_columns

    def block(self, rows: slice) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        """Return that nothing changes in some rows."""
        shape = (rows.stop - rows.start, self._n_columns)
        return np.zeros(shape, dtype=bool), np.zeros(shape)


class _Both:
    """Changes, and later changes of the same table."""

    def __init__(self, first: Changes, then: Changes) -> None:
        self._first, self._then = first, then

    def block(self, rows: slice) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        where, values = self._first.block(rows)
        again, latest = self._then.block(rows)
        return where | again, np.where(again, latest, values)
