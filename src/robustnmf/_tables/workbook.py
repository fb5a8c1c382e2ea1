"""What must be known of an Excel workbook beside its values: its size, its formulas."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

from robustnmf._common.optional import import_extra
from robustnmf._tables.room import require_cells, require_unpacked
from robustnmf._tables.table import TableError

WHY = "Excel files need"
# How much more room cells take as objects than as text.
_TIMES = 8
# A worksheet of more cells than this of which next to none is filled is a mistake.
_MANY, _FEW = 10**7, 0.01
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")


def opened(path: Path, *, values: bool) -> Any:
    """Open a workbook that fits into the memory.

    Parameters
    ----------
    path : Path
        An ``.xlsx`` or ``.xlsm`` file.
    values : bool
        With what formulas gave when the file was last saved, instead of formulas.

    Returns
    -------
    openpyxl.Workbook
    """
    openpyxl = import_extra("openpyxl", "tables", WHY)
    require_unpacked(path, _TIMES)
    return openpyxl.load_workbook(path, data_only=values, keep_vba=path.suffix.lower() == ".xlsm")


def rows_of(worksheet: Any) -> tuple[list[list[Any]], int, int]:
    """Return the values of a worksheet, from the first cell that is filled to the last.

    Parameters
    ----------
    worksheet : openpyxl worksheet
        Not only of charts.

    Returns
    -------
    rows : list of list
    top, left : int
        Rows and columns that are empty before the first.
    """
    # Only cells that exist: to ask for the others, which may be billions, would make them.
    filled = {at: cell.value for at, cell in worksheet._cells.items() if cell.value is not None}
    n = max((row for row, _ in filled), default=0)
    m = max((column for _, column in filled), default=0)
    if n * m > _MANY and len(filled) < _FEW * n * m:
        raise TableError(
            f"worksheet {worksheet.title!r} reaches to row {n:,} and column {m:,}, {n * m:,} "
            f"cells, of which {len(filled):,} are filled: delete what lies far from the table"
        )
    require_cells(f"worksheet {worksheet.title!r}", (n, m), 16, "take fewer rows or columns")
    top = min((row for row, _ in filled), default=1) - 1
    left = min((column for _, column in filled), default=1) - 1
    rows: list[list[Any]] = [[None] * (m - left) for _ in range(n - top)]
    for (row, column), value in filled.items():
        rows[row - top - 1][column - left - 1] = value
    return rows, top, left


def fixed_cells(path: Path, name: str, values: Any) -> set[tuple[int, int]]:
    """Return the cells of a worksheet that are worked out from others, or hidden by a merged one.

    Parameters
    ----------
    path : Path
        The workbook.
    name : str
        Of the worksheet.
    values : openpyxl worksheet
        The same worksheet, opened for its values.

    Returns
    -------
    set of (row, column)
        From 1 on, as the worksheet counts them.
    """
    fixed: set[tuple[int, int]] = set()
    for area in values.merged_cells.ranges:
        # Of merged cells only the first can hold anything.
        fixed |= set(area.cells) - {(area.min_row, area.min_col)}
    if not _has_formulas(path):
        return fixed
    utils = import_extra("openpyxl.utils", "tables", WHY)
    for at, cell in opened(path, values=False)[name]._cells.items():
        if cell.data_type == "f":
            fixed.add(at)
            # A formula for several cells stands in the first of them.
            area = getattr(cell.value, "ref", None)
            if area:
                left, top, right, bottom = utils.range_boundaries(area)
                fixed |= {(i, j) for i in range(top, bottom + 1) for j in range(left, right + 1)}
    return fixed


def _has_formulas(path: Path) -> bool:
    # To open a workbook twice takes twice as long, and most have no formulas.
    with zipfile.ZipFile(path) as archive:
        worksheets = [name for name in archive.namelist() if "worksheets/" in name]
        return any(_FORMULA.search(archive.read(name)) for name in worksheets)
