"""Reading the columns of a text: plain numbers many rows at a time, all else cell by cell.

Both ways give the same. Cells of a column are looked at in their order, as how a column writes its
numbers may hang on what came before.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robustnmf._tables.column_table import NamedColumn
from robustnmf._tables.decision import Decision
from robustnmf._tables.numerals import MISSING, NumberFormat, parse
from robustnmf._tables.plain_numbers import PlainNumbers, can_cut, cut
from robustnmf._tables.styles import Style
from robustnmf._tables.survey import NOTATION, Survey
from robustnmf._tables.text import split_cells, unquoted

# Cells are read this many at a time: all that is made of them stays in the processor's cache.
_BATCH = 50_000


class UnevenError(Exception):
    """A record with more or fewer cells than the first."""

    def __init__(self, row: int, cells: int) -> None:
        super().__init__(row, cells)
        self.row, self.cells = row, cells


class Records(NamedTuple):
    """The rows of a text, below its headings.

    Attributes
    ----------
    lines : list of str
        With the ends of their lines.
    delimiter : str
        Between cells.
    width : int
        How many cells each has.
    """

    lines: list[str]
    delimiter: str
    width: int

    def cells(self, row: int) -> list[str]:
        """Return the cells of a record, with quotes and blanks."""
        found = split_cells(self.lines[row].rstrip("\r\n"), self.delimiter)
        if len(found) != self.width:
            raise UnevenError(row, len(found))
        return found


class ColumnReader:
    """Reads the cells of a column, one after the other or many at once.

    Parameters
    ----------
    decimal : str
        What is thought to stand before decimals.
    missing : frozenset of str
        Cells that stand for no value.
    n_rows : int
        How many cells there are.

    Attributes
    ----------
    style : Style
        How the numbers are read.
    number_format : NumberFormat
        How they are written.
    survey : Survey
        What cells say of how they can be read.
    settled : bool
        Whether that is known well enough.
    numbers : array
        NaN for cells without a number.
    strange : tuple of str and int, or None
        The first cell that is no number, and its row.
    """

    def __init__(self, decimal: str, missing: frozenset[str], n_rows: int) -> None:
        self.survey, self.settled = Survey(), False
        self.numbers = np.full(n_rows, np.nan)
        self._missing = missing
        # The usual words for missing are no numbers, so they need be looked up only then.
        self._named = missing - MISSING
        self.begin(Style(decimal))

    def begin(self, style: Style) -> None:
        """Read from the first row on, in some style."""
        self.style, self.number_format = style, NumberFormat()
        self.strange: tuple[str, int] | None = None

    def look(self, cell: str, row: int) -> None:
        """Read a cell without quotes, and see what it says of its column."""
        survey, closely = self.survey, row < NOTATION.rows
        doubt = self.read(cell, row) or closely
        # Three decimals may be thousands, and then all cells count; else few are enough.
        if not self.settled:
            doubt = doubt or bool(survey.unclear) or cell[-4:-3] == self.style.decimal
        if doubt and not survey.hopeless and cell.lower() not in self._missing:
            survey.add(cell, row)

    def read(self, cell: str, row: int) -> bool:
        """Read a cell without quotes; return whether it is neither a number nor missing."""
        named = bool(self._named) and cell.lower() in self._named
        value = None if named else self._number(cell)
        if value is not None:
            self.numbers[row] = value
            return False
        self.numbers[row] = np.nan
        if named or cell.lower() in self._missing:
            return False
        if self.strange is None:
            self.strange = cell, row
        return True

    def look_at_many(self, cells: PlainNumbers, j: int, first: int) -> None:
        """Do the same as `look` for a column of cells, of which the first is in this row."""
        plain, values = cells.plain[:, j], cells.values[:, j]
        if self._named:
            plain = plain & ~self._among_named(cells, j)
        others = ~plain & ~cells.empty[:, j]
        surveyed = (first < NOTATION.rows or not self.settled) and not self.survey.hopeless
        if self.survey.hopeless and self.strange is not None:
            # Words: what does not even begin as a number changes nothing any more.
            others &= _may_be_number(cells.leading[:, j])
        rows = np.flatnonzero(others)
        words = [unquoted(cells.raw(i, j)) for i in rows.tolist()]
        if surveyed and any(word.lower() not in self._missing for word in words):
            # In their order: from some number of words on, nothing else counts.
            for i in range(len(plain)):
                self.look(unquoted(cells.raw(i, j)), first + i)
            return
        self.numbers[first : first + len(plain)] = np.where(plain, values, np.nan)
        if plain.any():
            most = int(cells.decimals[plain, j].max())
            self.number_format.decimals = max(self.number_format.decimals, most)
        if surveyed:
            self._survey_many(cells, j, np.flatnonzero(plain), first)
        for i, word in zip(rows.tolist(), words, strict=True):
            self.look(word, first + i)

    def column(self, name: str, decision: Decision) -> NamedColumn:
        """Return what was read."""
        known = int(np.count_nonzero(~np.isnan(self.numbers)))
        if self.strange is None and not decision.why_not:
            # A column without any value is carried along like words.
            numbers = self.numbers if known else None
            return NamedColumn(name, numbers, decimals=self.number_format.rounding)
        why = decision.why_not
        if not why and self.strange is not None and 2 * known > len(self.numbers):
            cell, row = self.strange
            mark = self.style.thousands
            groups = f"where {mark!r} marks thousands " if mark else ""
            why = (
                f"{cell!r} in row {row + 1} is not a number {groups}"
                f"(--missing {cell!r} would count it as missing)"
            )
        return NamedColumn(name, None, why_not=why)

    def _number(self, cell: str) -> float | None:
        if not self.style.plain:
            return self.style.read(cell, self.number_format)
        if self.style.decimal != ".":
            if "." in cell:
                return None
            cell = cell.replace(self.style.decimal, ".", 1)
        return parse(cell, self.number_format)

    def _among_named(self, cells: PlainNumbers, j: int) -> NDArray[np.bool_]:
        """Return which numbers are words for missing, such as -999."""
        found = np.zeros(len(cells.plain), dtype=bool)
        likely = np.zeros(len(found), dtype=bool)
        for word in self._named:
            value = parse(word.replace(self.style.decimal, ".", 1), NumberFormat())
            if value is not None:
                likely |= cells.values[:, j] == value
        for i in np.flatnonzero(likely).tolist():
            found[i] = unquoted(cells.raw(i, j)).lower() in self._named
        return found

    def _survey_many(
        self, cells: PlainNumbers, j: int, rows: NDArray[np.int64], first: int
    ) -> None:
        """Do what `look` does for plain numbers in a column that is not settled."""
        if first >= NOTATION.rows and not self.survey.unclear:
            counts = cells.decimals[rows, j] == 3
            # From the first unclear one on, all count.
            counts |= np.logical_or.accumulate(_unclear(cells, j, rows))
            rows = rows[counts]
        self.survey.add_plain(
            self.style.decimal,
            np.abs(cells.values[rows, j]),
            cells.decimals[rows, j],
            _unclear(cells, j, rows),
            lambda i: (unquoted(cells.raw(rows[i], j)), first + int(rows[i])),
        )


def _unclear(cells: PlainNumbers, j: int, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which plain numbers may have three decimals or be thousands."""
    whole = cells.whole[rows, j]
    three = (cells.decimals[rows, j] == 3) & (whole >= 1) & (whole <= 3)
    found: NDArray[np.bool_] = three & (cells.leading[rows, j] != ord("0"))
    return found


def _may_be_number(leading: NDArray[np.uint8]) -> NDArray[np.bool_]:
    digit = leading - np.uint8(ord("0")) < 10
    # What is no letter of ASCII may be a blank before a number.
    odd = (leading <= ord(" ")) | (leading > 126)
    return digit | odd | np.isin(leading, np.frombuffer(b"+-.,", np.uint8))


def look_through(records: Records, readers: Sequence[ColumnReader]) -> None:
    """Read all cells of a text, as it seems to be written, and see how else it might be.

    Parameters
    ----------
    records : Records
    readers : sequence of ColumnReader
        One a column.
    """
    n = len(records.lines)
    step = max(1, _BATCH // records.width)
    # The first rows are looked at more closely than the others.
    edges = sorted({*range(0, n, step), min(NOTATION.rows, n), n})
    for start, stop in pairwise(edges):
        if start == NOTATION.rows:
            for reader in readers:
                reader.settled = reader.survey.settled
        cells = _cut(records, start, stop, readers[0].style.decimal)
        if cells is not None:
            for j, reader in enumerate(readers):
                reader.look_at_many(cells, j, start)
            continue
        for i in range(start, stop):
            for reader, raw in zip(readers, records.cells(i), strict=True):
                reader.look(unquoted(raw), i)


def _cut(records: Records, start: int, stop: int, decimal: str) -> PlainNumbers | None:
    if not can_cut(records.delimiter):
        return None
    text = "".join(records.lines[start:stop])
    return cut(text, (stop - start, records.width), records.delimiter, decimal)


def read_again(records: Records, readers: Sequence[ColumnReader], styles: Sequence[Style]) -> None:
    """Read the columns once more that are not written as was first thought.

    Parameters
    ----------
    records : Records
    readers : sequence of ColumnReader
    styles : sequence of Style
        How they are written.
    """
    wrong = [
        j
        for j, (reader, style) in enumerate(zip(readers, styles, strict=True))
        if style != reader.style and reader.survey.numbers
    ]
    for j in wrong:
        readers[j].begin(styles[j])
    for i in range(len(records.lines) if wrong else 0):
        cells = records.cells(i)
        for j in wrong:
            readers[j].read(unquoted(cells[j]), i)
