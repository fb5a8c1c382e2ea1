"""CSV and its kin: text that comes back letter for letter, but for the cells that change."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.checks import check_choice
from robustnmf._tables.column_table import ColumnTable, NamedColumn, about_headings
from robustnmf._tables.decision import decided
from robustnmf._tables.numerals import MISSING, NumberFormat
from robustnmf._tables.reading import (
    ColumnReader,
    Records,
    UnevenError,
    look_through,
    read_again,
)
from robustnmf._tables.survey import Survey
from robustnmf._tables.table import Changes, Frame, TableError, Written
from robustnmf._tables.text import (
    cut_up,
    decoded,
    join_cells,
    requoted,
    sniffed_decimal,
    sniffed_delimiter,
    split_cells,
    unquoted,
)

# What may stand around a cell; a tab between cells is taken for it, too, which only costs time.
_DRESSED = re.compile(r'["\s]')


@dataclass(frozen=True)
class Dialect:
    """How a text is to be read; None means: find out.

    Attributes
    ----------
    delimiter : str or None
        Between cells.
    decimal : str or None
        Point or comma.
    header : bool or None
        Whether the first line holds headings.
    encoding : str
        Of the text.
    missing : sequence of str
        Cells that stand for no value, beyond the usual ones.
    thousands : str or None
        Between groups of three digits: a point, a comma, an apostrophe or a blank; empty for no
        groups.
    """

    delimiter: str | None = None
    decimal: str | None = None
    header: bool | None = None
    encoding: str = "utf-8"
    missing: Sequence[str] = field(default=())
    thousands: str | None = None

    def __post_init__(self) -> None:
        if self.delimiter is not None and len(self.delimiter) != 1:
            raise ValueError(
                f"delimiter must be one character, such as ';' or a tab; got {self.delimiter!r}"
            )
        check_choice("decimal", self.decimal, (".", ",", None))
        check_choice("thousands", self.thousands, (".", ",", "'", " ", "", None))
        check_choice("header", self.header, (True, False, None))
        if self.decimal is not None and self.decimal == self.thousands:
            raise ValueError(
                f"decimal and thousands cannot be the same sign; got {self.decimal!r} for both"
            )


class Delimited(ColumnTable):
    """A text with a record a line and a delimiter between cells.

    Parameters
    ----------
    content : bytes
        The file.
    dialect : Dialect
        How to read it.
    """

    def __init__(self, content: bytes, dialect: Dialect) -> None:
        text, self._mark, self.encoding = decoded(content, dialect.encoding)
        top, self._records, self._after = cut_up(text)
        if not self._records:
            raise TableError("the file is empty: a table with rows and columns is needed")
        self.delimiter = dialect.delimiter or sniffed_delimiter(self._records)
        more = {text.strip().lower() for text in dialect.missing}
        self._missing = MISSING | more if more else MISSING
        first = [unquoted(raw) for raw in self._fields(self._records[0])]
        numeric = [_is_number(cell) for cell in first]
        headed = dialect.header
        if headed is None:
            headed = not all(numeric)
        self._top = top
        if headed:
            self._top += [self._records.pop(0), self._after.pop(0)]
        if not self._records:
            raise TableError("there is a line of headings but no row below it")
        # A first guess, with which most files are read at once.
        self.decimal = dialect.decimal or sniffed_decimal(self._records, self.delimiter)
        self.number_formats = [NumberFormat() for _ in first]
        names = first if headed else [""] * len(first)
        columns = self._read(names, dialect)
        try:
            super().__init__(columns)
        except TableError as error:
            if dialect.header is None and headed and any(numeric):
                raise TableError(f"{error} (or pass --no-header if line 1 holds data)") from error
            raise
        self.notes += self._guesses
        if dialect.header is None:
            self.notes += about_headings(first, numeric, headed=headed)

    @property
    def n_rows(self) -> int:
        """How many rows there are below the headings."""
        return len(self._records)

    @property
    def styles(self) -> list[Written]:
        """How each column of numbers writes them."""
        return [(self._styles[j], self.number_formats[j]) for j in self.positions]

    def with_empty(self, name: str, decimals: int | None, written: Written) -> Delimited:
        """Return the table with a column without any value as one of numbers."""
        table = super().with_empty(name, decimals, written)
        assert isinstance(table, Delimited)
        if table is not self:
            position = self.names.index(name)
            table._styles, table.number_formats = [*self._styles], [*self.number_formats]
            table._styles[position], table.number_formats[position] = written
        return table

    def cell(self, row: int, position: int) -> str:
        """Return a cell without quotes."""
        return unquoted(self._fields(self._records[row])[position])

    def write(self, path: Path, changes: Changes) -> None:
        """Write the text again; only the cells that change differ."""
        with path.open("wb") as file:
            file.write(self._mark + "".join(self._top).encode(self.encoding))
            for rows in self.blocks():
                file.write("".join(self._lines(rows, changes)).encode(self.encoding))

    def _lines(self, rows: slice, changes: Changes) -> list[str]:
        """Return the text of some rows, with some cells changed."""
        i, j, values = self.changes_in(rows, changes)
        cells = list(zip(j.tolist(), values.tolist(), self._plainly(j, values), strict=True))
        records = self._records[rows]
        # Those of a row follow one another.
        changed, begins = np.unique(i - rows.start, return_index=True)
        edges = pairwise([*begins.tolist(), len(cells)])
        for row, (first, last) in zip(changed.tolist(), edges, strict=True):
            records[row] = self._changed(records[row], cells[first:last])
        return [text for pair in zip(records, self._after[rows], strict=True) for text in pair]

    def _plainly(self, columns: NDArray[np.int64], values: NDArray[np.float64]) -> list[str | None]:
        """Return the new numbers of columns that hold digits only; None in others."""
        texts: list[str | None] = [None] * len(values)
        for column in np.unique(columns).tolist():
            position = self.positions[column]
            style, at = self._styles[position], np.flatnonzero(columns == column)
            # A delimiter in a number has to be quoted.
            if style.plain and style.decimal != self.delimiter:
                new = style.write_plain(values[at].tolist(), self.number_formats[position])
                for i, text in zip(at.tolist(), new, strict=True):
                    texts[i] = text
        return texts

    def _changed(self, record: str, changes: list[tuple[int, float, str | None]]) -> str:
        body = record.rstrip("\r\n")
        cells = split_cells(body, self.delimiter)
        bare = _DRESSED.search(body) is None
        for column, value, text in changes:
            position = self.positions[column]
            if bare and text is not None:
                cells[position] = text
                continue
            old = cells[position]
            inside = unquoted(old)
            new = text or self._styles[position].write(
                value,
                self.number_formats[position],
                "" if inside.lower() in self._missing else inside,
            )
            cells[position] = requoted(old, new, self.delimiter)
        return join_cells(cells, self.delimiter) + record[len(body) :]

    def _read(self, names: list[str], dialect: Dialect) -> list[NamedColumn]:
        records = Records(self._records, self.delimiter, len(names))
        readers = [ColumnReader(self.decimal, self._missing, len(self._records)) for _ in names]
        try:
            look_through(records, readers)
        except UnevenError as error:
            i = error.row
            raise TableError(
                f"row {i + 1} (line {self._line(i)}) has {error.cells} cells where "
                f"the first row has {len(names)}: correct the file, or pass --delimiter if "
                f"{self.delimiter!r} is not what separates them"
            ) from error
        surveys = [reader.survey for reader in readers]
        self.decimal, decisions = decided(surveys, dialect.decimal, dialect.thousands)
        self._styles = [decision.style for decision in decisions]
        read_again(records, readers, self._styles)
        self.number_formats = [reader.number_format for reader in readers]
        self._guesses = [
            f"column {name or j + 1!r}: {decision.note}"
            for j, (name, decision) in enumerate(zip(names, decisions, strict=True))
            if decision.note and readers[j].strange is None
        ]
        return [
            reader.column(name, decision)
            for name, reader, decision in zip(names, readers, decisions, strict=True)
        ]

    def _fields(self, record: str) -> list[str]:
        return split_cells(record.rstrip("\r\n"), self.delimiter)

    def _line(self, row: int) -> int:
        # Quoted cells may hold line breaks.
        above = [*self._top, *self._records[:row], *self._after[:row]]
        return 1 + sum(text.count("\n") for text in above)


def write_frame(frame: Frame, path: Path, delimiter: str) -> None:
    """Write columns as text.

    Parameters
    ----------
    frame : Frame
        What to write.
    path : Path
        The file.
    delimiter : str
        Between cells.
    """
    import csv

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(frame.names)
        writer.writerows(zip(*(map(_shown, column) for column in frame.columns), strict=True))


def _shown(value: Any) -> Any:
    if value is None or value != value:
        return ""
    return value.item() if isinstance(value, np.generic) else value


def _is_number(cell: str) -> bool:
    survey = Survey()
    survey.add(cell, 0)
    return bool(survey.numbers)
