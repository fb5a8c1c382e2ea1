"""Excel: one sheet of a workbook, whose other sheets, formats and formulas are carried along."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from robustnmf._optional import import_extra
from robustnmf.tables.numerals import MISSING, Look, numeral, parse
from robustnmf.tables.sheet import Sheet, SheetColumn
from robustnmf.tables.table import Changes, Frame, TableError

WHY = "Excel files need"


class ExcelTable(Sheet):
    """A sheet with headings in its first row.

    Parameters
    ----------
    path : Path
        An ``.xlsx`` or ``.xlsm`` file.
    name : str or None
        Of the sheet; by default the first.
    missing : sequence of str
        Cells that stand for no value, beyond the usual ones.
    """

    def __init__(self, path: Path, name: str | None, missing: Any = ()) -> None:
        openpyxl = import_extra("openpyxl", "tables", WHY)
        self._macros = path.suffix.lower() == ".xlsm"
        self._path = path
        # What formulas gave when the file was last saved.
        book = openpyxl.load_workbook(path, data_only=True, keep_vba=self._macros)
        if name is not None and name not in book.sheetnames:
            raise TableError(
                f"there is no sheet {name!r} in the file; it has {', '.join(book.sheetnames)}"
            )
        self._sheet = name or book.sheetnames[0]
        rows = [list(row) for row in book[self._sheet].iter_rows(values_only=True)]
        while rows and all(cell is None for cell in rows[-1]):
            rows.pop()
        if len(rows) < 2:
            raise TableError(f"sheet {self._sheet!r} has no rows below its headings")
        self._rows = rows[1:]
        known = MISSING | {text.lower() for text in missing}
        heads = [str(cell) if cell is not None else "" for cell in rows[0]]
        self._looks = [Look() for _ in heads]
        super().__init__([self._column(j, heads[j], known) for j in range(len(heads))])

    @property
    def n_rows(self) -> int:
        """How many rows there are below the headings."""
        return len(self._rows)

    def cell(self, row: int, place: int) -> Any:
        """Return a cell's value, and an empty text for an empty cell."""
        value = self._rows[row][place]
        return "" if value is None else value

    def write(self, path: Path, changes: Changes) -> None:
        """Write the workbook again, with some cells changed."""
        openpyxl = import_extra("openpyxl", "tables", WHY)
        book = openpyxl.load_workbook(self._path, keep_vba=self._macros)
        sheet = book[self._sheet]
        for i, j, value in self.each_change(changes):
            # Rows and columns count from 1, and the first row holds the headings.
            place = self.places[j]
            new = float(numeral(value, self._looks[place]))
            sheet.cell(i + 2, place + 1).value = round(new) if self.columns[j].integer else new
        book.save(path)

    def _column(self, place: int, name: str, missing: frozenset[str]) -> SheetColumn:
        numbers = np.full(len(self._rows), np.nan)
        odd: tuple[Any, int] | None = None
        look = self._looks[place]
        for i, row in enumerate(self._rows):
            cell = row[place]
            if isinstance(cell, int | float) and not isinstance(cell, bool):
                if str(cell) not in missing:
                    # Excel keeps whole numbers as such or as floats, as it pleases.
                    whole = float(cell).is_integer()
                    numbers[i] = parse(str(int(cell)) if whole else repr(cell), look)
            elif cell is not None and str(cell).strip().lower() not in missing and odd is None:
                odd = cell, i
        known = int(np.count_nonzero(~np.isnan(numbers)))
        if odd is None:
            return SheetColumn(name, numbers if known else None, decimals=look.rounding)
        why = ""
        if 2 * known > len(numbers):
            why = (
                f"{str(odd[0])!r} in row {odd[1] + 1} is not a number "
                f"(--missing {str(odd[0])!r} would count it as missing)"
            )
        return SheetColumn(name, None, why_not=why)


def write_frame(frame: Frame, path: Path) -> None:
    """Write columns as the only sheet of a new workbook.

    Parameters
    ----------
    frame : Frame
        What to write.
    path : Path
        The file.
    """
    openpyxl = import_extra("openpyxl", "tables", WHY)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("data")
    sheet.append(frame.names)
    for row in zip(*frame.columns, strict=True):
        sheet.append([_plain(value) for value in row])
    book.save(path)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return None if value != value or value == "" else value
