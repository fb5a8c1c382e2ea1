"""Tables whose columns have names and kinds: some hold numbers, some words or dates."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._tables.numerals import MISSING
from robustnmf._tables.selection import chosen, position_of
from robustnmf._tables.table import Changes, Column, Frame, Table, TableError, Written


@dataclass
class NamedColumn:
    """One column of a table with named columns.

    Attributes
    ----------
    name : str
        Its heading; empty if it has none.
    numbers : float64 array or None
        The cells with NaN for missing ones; None if some are no numbers.
    decimals : int or None
        How many digits after the point the numbers have; None if that is not limited.
    why_not : str
        Why it is not used although it seems to hold numbers; empty for plain words.
    """

    name: str
    numbers: NDArray[np.float64] | None
    decimals: int | None = None
    why_not: str = ""


class ColumnTable(Table):
    """Base of the formats with named columns of different kinds.

    Parameters
    ----------
    all_columns : list of NamedColumn
        In the order of the file.
    """

    def __init__(self, all_columns: list[NamedColumn]) -> None:
        self.all_columns = all_columns
        self.names = [column.name or f"column {j + 1}" for j, column in enumerate(all_columns)]
        _refuse_doubles(self.names)
        self.index: int | None = _index_of(all_columns)
        self.notes = [
            f"column {name!r} is left as it is: {column.why_not}"
            for name, column in zip(self.names, all_columns, strict=True)
            if column.why_not
        ]
        self._use([j for j in range(len(all_columns)) if j != self.index])
        if not self.columns:
            kinds = "no column holds numbers only" if self.names else "there are no columns"
            why = f" ({self.notes[0]})" if self.notes else ""
            raise TableError(f"{kinds}{why}: a table of numbers, 0 or larger, is needed")

    @property
    def n_rows(self) -> int:
        """How many rows there are below the headings."""
        raise NotImplementedError

    def cell(self, row: int, position: int) -> Any:
        """Return a cell as its owner would read it."""
        raise NotImplementedError

    def row_name(self, row: int) -> str:
        """Return the cell that names the row, and its number where there is none."""
        if self.index is None:
            return f"row {row + 1}"
        return str(self.cell(row, self.index)) or f"row {row + 1}"

    @property
    def carried(self) -> list[str]:
        """Names of the columns that are not used."""
        return [name for j, name in enumerate(self.names) if j not in self.positions]

    @property
    def labels(self) -> tuple[str, list[Any]] | None:
        """The heading and the cells of the column that names the rows, if there is one."""
        if self.index is None:
            return None
        cells = [self.cell(row, self.index) for row in range(self.n_rows)]
        return self.all_columns[self.index].name, cells

    def block(self, rows: slice) -> NDArray[Any]:
        """Return some rows as numbers, with NaN for missing cells."""
        numbers = [self._numbers(j)[rows] for j in self.positions]
        return np.stack(numbers, axis=1)

    def may_hold_numbers(self, position: int) -> bool:
        """Return whether the type of a column allows of numbers."""
        return True

    def with_empty(self, name: str, decimals: int | None, written: Written) -> ColumnTable:
        """Return the table with a column without any value as one of numbers."""
        position = self.names.index(name)
        cells = (str(self.cell(row, position)) for row in range(self.n_rows))
        empty = self.may_hold_numbers(position) and all(
            cell.strip().lower() in MISSING for cell in cells
        )
        if not empty:
            return self
        table = copy(self)
        known = replace(
            self.all_columns[position], numbers=np.full(self.n_rows, np.nan), decimals=decimals
        )
        table.all_columns = [*self.all_columns]
        table.all_columns[position] = known
        return table

    def select(self, use: Sequence[str], ignore: Sequence[str], index: str | None) -> None:
        """Keep only some columns of numbers; the others are carried along."""
        if index is not None:
            self.index = position_of(index, self.names)
        numeric = [column.numbers is not None for column in self.all_columns]
        # Who names the first column to be used does not want it for an index.
        named = {position_of(name, self.names) for name in use}
        if index is None and self.index in named:
            self.index = None
        positions = chosen(self.names, numeric, use, ignore)
        self._use([j for j in positions if j != self.index])

    def frame(self, changes: Changes) -> Frame:
        """Return the whole table, with some cells changed, for another format."""
        columns: list[Any] = []
        for j, column in enumerate(self.all_columns):
            if column.numbers is None:
                columns.append([self.cell(i, j) for i in range(self.n_rows)])
            else:
                columns.append(column.numbers.copy())
        for i, j, value in self.each_change(changes):
            columns[self.positions[j]][i] = value
        for j, column in enumerate(self.all_columns):
            if (
                column.decimals == 0
                and column.numbers is not None
                and not np.isnan(columns[j]).any()
            ):
                columns[j] = columns[j].astype(np.int64)
        return Frame(self.names, columns)

    def _use(self, positions: list[int]) -> None:
        self.positions = [j for j in positions if self.all_columns[j].numbers is not None]
        self.columns = [Column(self.names[j], self.all_columns[j].decimals) for j in self.positions]

    def _numbers(self, position: int) -> NDArray[np.float64]:
        numbers = self.all_columns[position].numbers
        assert numbers is not None
        return numbers


def about_headings(first: Sequence[str], numeric: Sequence[bool], *, headed: bool) -> list[str]:
    """Say what was taken for headings, where somebody else might have decided otherwise.

    Parameters
    ----------
    first : sequence of str
        The cells of the first line.
    numeric : sequence of bool
        Which of them are numbers.
    headed : bool
        Whether they were taken for headings.

    Returns
    -------
    list of str
        None where the first line holds words only, but for a corner that may be empty.

    Examples
    --------
    >>> about_headings(["", "price", "count"], [False] * 3, headed=True)
    []
    """
    if not headed:
        return ["the first line holds numbers only and is taken for data (--header: for headings)"]
    doubt = next(
        (
            f"{cell!r} is a number" if number else f"its cell {j + 1} is empty"
            for j, (cell, number) in enumerate(zip(first, numeric, strict=True))
            if number or (j and not cell)
        ),
        None,
    )
    if doubt is None:
        return []
    return [f"the first line is taken for headings, though {doubt} (--no-header: for data)"]


def _refuse_doubles(names: list[str]) -> None:
    seen: dict[str, int] = {}
    for j, name in enumerate(names):
        if name in seen:
            raise TableError(
                f"columns {seen[name] + 1} and {j + 1} are both called {name!r}: rename one"
            )
        seen[name] = j


def _index_of(columns: list[NamedColumn]) -> int | None:
    """The first column names the rows if it holds words, has no name, or counts them."""
    if not columns:
        return None
    first = columns[0]
    if first.numbers is None:
        return 0
    headed = any(column.name for column in columns)
    counts = first.decimals == 0 and len(columns) > 1 and _counts(first.numbers)
    return 0 if counts or (headed and not first.name) else None


def _counts(numbers: NDArray[np.float64]) -> bool:
    # Two rows that happen to follow each other are no count.
    return len(numbers) > 2 and numbers[0] in (0, 1) and bool(np.all(np.diff(numbers) == 1))
