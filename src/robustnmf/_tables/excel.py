"""Excel: one worksheet of a workbook, of which all else is carried along, formulas too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf._tables.column_table import ColumnTable, NamedColumn, about_headings
from robustnmf._tables.format import Format
from robustnmf._tables.numerals import MISSING, NumberFormat, numeral, parse
from robustnmf._tables.table import Changes, Frame, TableError, Written
from robustnmf._tables.workbook import WHY, fixed_cells, opened, rows_of


class ExcelTable(ColumnTable):
    """A worksheet with headings in its first row.

    Parameters
    ----------
    path : Path
        An ``.xlsx`` or ``.xlsm`` file.
    name : str or None
        Of the worksheet; by default the first.
    missing : sequence of str
        Cells that stand for no value, beyond the usual ones.
    header : bool or None
        Whether the first row holds headings; by default it does unless it holds numbers only.
    """

    def __init__(
        self, path: Path, name: str | None, missing: Any = (), header: bool | None = None
    ) -> None:
        self._path = path
        # What formulas gave when the file was last saved.
        book = opened(path, values=True)
        worksheets = [worksheet.title for worksheet in book.worksheets]
        if name is not None and name not in worksheets:
            raise TableError(
                f"there is no worksheet {name!r} in the file; it has {', '.join(worksheets)}"
            )
        self._worksheet = name or worksheets[0]
        rows, self._above, self._left = rows_of(book[self._worksheet])
        first = rows[0] if rows else []
        numeric = [_is_number(cell) for cell in first]
        self._headed = header if header is not None else not (first and all(numeric))
        if len(rows) < 1 + self._headed:
            raise TableError(f"worksheet {self._worksheet!r} has no rows below its headings")
        self._rows = rows[self._headed :]
        self._fixed = fixed_cells(path, self._worksheet, book[self._worksheet])
        known = MISSING | {text.lower() for text in missing}
        heads = [str(cell) if cell is not None and self._headed else "" for cell in first]
        self._number_formats = [NumberFormat() for _ in heads]
        super().__init__([self._column(j, heads[j], known) for j in range(len(heads))])
        if header is None:
            texts = ["" if cell is None else str(cell) for cell in first]
            self.notes += about_headings(texts, numeric, headed=self._headed)

    @property
    def n_rows(self) -> int:
        """How many rows there are below the headings."""
        return len(self._rows)

    def cell(self, row: int, position: int) -> Any:
        """Return a cell's value, and an empty text for an empty cell."""
        value = self._rows[row][position]
        return "" if value is None else value

    def fixed(self, rows: NDArray[Any], columns: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which cells are worked out from others, by a formula, and so cannot be changed."""
        cells = zip(rows.tolist(), columns.tolist(), strict=True)
        return np.array([self._at(*cell) in self._fixed for cell in cells], dtype=bool)

    def kept(self, changes: Changes) -> list[str]:
        """Say how many formulas stay although something else is expected."""
        if not self._fixed:
            return []
        stay: list[tuple[int, int]] = []
        for rows in self.blocks():
            i, j, _ = self.changes_in(rows, changes)
            fixed = self.fixed(i, j)
            stay += zip(i[fixed].tolist(), j[fixed].tolist(), strict=True)
        if not stay:
            return []
        row, column = stay[0]
        return [
            f"{len(stay)} cells that are formulas, or part of a merged cell, stay as they are, "
            f"though another value is expected: correct what they are made from (first: column "
            f"{self.columns[column].name!r} of {self.row_name(row)})"
        ]

    def with_empty(self, name: str, decimals: int | None, written: Written) -> ExcelTable:
        """Return the table with a column without any value as one of numbers."""
        table = super().with_empty(name, decimals, written)
        assert isinstance(table, ExcelTable)
        if table is not self:
            table._number_formats = [*self._number_formats]
            table._number_formats[self.names.index(name)] = written[1]
        return table

    def write(self, path: Path, changes: Changes) -> None:
        """Write the workbook again, with some cells changed, but no formula."""
        book = opened(self._path, values=False)
        worksheet = book[self._worksheet]
        for i, j, value in self.each_change(changes):
            new = float(numeral(value, self._number_formats[self.positions[j]]))
            row, column = self._at(i, j)
            worksheet.cell(row, column).value = round(new) if self.columns[j].integer else new
        book.save(path)

    def _at(self, row: int, column: int) -> tuple[int, int]:
        # Rows and columns of a worksheet count from 1.
        return self._above + self._headed + row + 1, self._left + self.positions[column] + 1

    def _column(self, position: int, name: str, missing: frozenset[str]) -> NamedColumn:
        numbers = np.full(len(self._rows), np.nan)
        odd: tuple[Any, int] | None = None
        number_format = self._number_formats[position]
        for i, row in enumerate(self._rows):
            cell = row[position]
            if _is_number(cell):
                if str(cell) not in missing:
                    # Excel keeps whole numbers as such or as floats, as it pleases.
                    whole = float(cell).is_integer()
                    numbers[i] = parse(str(int(cell)) if whole else repr(cell), number_format)
            elif cell is not None and str(cell).strip().lower() not in missing and odd is None:
                odd = cell, i
        known = int(np.count_nonzero(~np.isnan(numbers)))
        if odd is None:
            return NamedColumn(name, numbers if known else None, decimals=number_format.rounding)
        why = ""
        if 2 * known > len(numbers):
            why = (
                f"{str(odd[0])!r} in row {odd[1] + 1} is not a number "
                f"(--missing {str(odd[0])!r} would count it as missing)"
            )
        return NamedColumn(name, None, why_not=why)


def write_frame(frame: Frame, path: Path) -> None:
    """Write columns as the only worksheet of a new workbook.

    Parameters
    ----------
    frame : Frame
        What to write.
    path : Path
        The file.
    """
    openpyxl = import_extra("openpyxl", "tables", WHY)
    book = openpyxl.Workbook(write_only=True)
    worksheet = book.create_sheet("data")
    worksheet.append(frame.names)
    for row in zip(*frame.columns, strict=True):
        worksheet.append([_plain(value) for value in row])
    book.save(path)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return None if value != value or value == "" else value


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


EXCEL = Format(
    title="Excel",
    suffixes=(".xlsx", ".xlsm"),
    read=lambda path, dataset, dialect: ExcelTable(path, dataset, dialect.missing, dialect.header),
    write=write_frame,
    holds_words=True,
    advice={".xls": "save it as .xlsx"},
)
