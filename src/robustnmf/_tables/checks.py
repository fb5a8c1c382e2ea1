"""What a table must be to be judged at all, told before any work."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._tables.table import Table, TableError

# So small a share of negative cells in a column are mistakes. It only decides which advice comes
# first. No study chose it; tests/cli/test_clean_cells.py shows both.
FEW_NEGATIVE = 0.05


def check_table(table: Table, negative: str) -> list[str]:
    """Refuse what cannot be judged.

    Parameters
    ----------
    table : Table
    negative : {"judge", "refuse", "shift", "missing"}
        What negative cells are.

    Returns
    -------
    list of str
        What its owner should know.

    Raises
    ------
    TableError
        If the table is too small, holds what is no number, or negative cells that are refused.
    """
    n, m = table.shape
    if n < 2 or m < 2:
        raise TableError(
            f"there are {n} rows and {m} columns of numbers: "
            "to tell what is usual takes several of both"
        )
    empty, filled = [], np.zeros(m, dtype=bool)
    for rows in table.blocks():
        block = table.block(rows)
        if np.isinf(block).any():
            i, j = np.argwhere(np.isinf(block))[0]
            raise TableError(
                f"{cell_name(table, rows.start + i, j)} is infinite: correct it, or leave it empty"
            )
        if negative == "refuse" and (block < 0).any():
            refuse_negative(table, rows.start, block)
        known_cells = ~np.isnan(block)
        if negative == "missing":
            known_cells &= ~(block < 0)
        empty += (rows.start + np.flatnonzero(~known_cells.any(axis=1))).tolist()
        filled |= known_cells.any(axis=0)
    if len(empty) == n:
        raise TableError("every cell is missing")
    if not filled.all():
        name = table.columns[int(np.argmin(filled))].name
        raise TableError(f"column {name!r} has no value that can be used: --ignore '{name}'")
    if not empty:
        return []
    first = table.row_name(empty[0])
    return [f"{len(empty)} rows without any number are left as they are (first: {first})"]


def cell_name(table: Table, row: int, column: int) -> str:
    """Return what the owner of a table calls a cell."""
    return f"column {table.columns[column].name!r} of {table.row_name(row)}"


def refuse_negative(table: Table, first: int, block: NDArray[Any]) -> None:
    """Raise for the first negative cell of some rows, with the advice that fits."""
    i, j = np.argwhere(block < 0)[0]
    name, value = table.columns[j].name, block[i, j]
    cells = [table.block(rows)[:, j] for rows in table.blocks()]
    negative = sum(int((column < 0).sum()) for column in cells)
    known = sum(int((~np.isnan(column)).sum()) for column in cells)
    # A few are mistakes, and a shift would make them right; many belong to the column.
    few = negative <= max(1, FEW_NEGATIVE * known)
    first_advice, second_advice = ("missing", "shift") if few else ("shift", "missing")
    raise TableError(
        f"{cell_name(table, first + i, j)} is negative ({value:g}), as are {negative:,} of the "
        f"column's {known:,} cells, and sums of parts cannot be: add --negative {first_advice}"
        f"{' if that is wrong' if few else ''}, --negative {second_advice}"
        f"{' if it is right' if few else ' if they are wrong'}, or --ignore '{name}'"
    )
