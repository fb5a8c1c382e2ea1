"""Parquet: columns with types, which all stay as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from robustnmf._common.optional import import_extra
from robustnmf._tables.column_table import ColumnTable, NamedColumn
from robustnmf._tables.format import Format
from robustnmf._tables.representable import nearest
from robustnmf._tables.room import require_cells
from robustnmf._tables.table import Changes, Frame, TableError

WHY = "Parquet files need"


class ParquetTable(ColumnTable):
    """All columns of a Parquet file.

    Parameters
    ----------
    path : Path
        The file.
    """

    def __init__(self, path: Path) -> None:
        pq = import_extra("pyarrow.parquet", "tables", WHY)
        file = pq.ParquetFile(path)
        size = (file.metadata.num_rows, file.metadata.num_columns)
        # As they are in the file, and as numbers to work on.
        require_cells("the table", size, 16, "take fewer columns or rows, or a larger machine")
        self._table = file.read()
        if not self._table.num_rows:
            raise TableError("the table has no rows")
        self._compression = _compression(file.metadata)
        super().__init__(
            [
                _column(name, column)
                for name, column in zip(self._table.column_names, self._table.columns, strict=True)
            ]
        )

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self._table.num_rows)

    def cell(self, row: int, position: int) -> Any:
        """Return a cell's value, and an empty text for a missing one."""
        value = self._table.column(position)[row].as_py()
        return "" if value is None else value

    def may_hold_numbers(self, position: int) -> bool:
        """Return whether the type of a column allows of numbers."""
        types = import_extra("pyarrow", "tables", WHY).types
        kind = self._table.schema.field(position).type
        return bool(types.is_integer(kind) or types.is_floating(kind))

    def write(self, path: Path, changes: Changes) -> None:
        """Write the table again, with the same types and the same notes on them."""
        pa = import_extra("pyarrow", "tables", WHY)
        pq = import_extra("pyarrow.parquet", "tables", WHY)
        by_column: dict[int, list[tuple[int, float]]] = {}
        for i, j, value in self.each_change(changes):
            by_column.setdefault(j, []).append((i, value))
        table = self._table
        for j, cells in by_column.items():
            position = self.positions[j]
            field = table.schema.field(position)
            # As Python's own numbers, since 64-bit integers do not fit into floats.
            values = table.column(position).to_pylist()
            for i, value in cells:
                values[i] = nearest(value, field.type.to_pandas_dtype())
            table = table.set_column(position, field, pa.array(values, type=field.type))
        pq.write_table(table, path, compression=self._compression)


def write_frame(frame: Frame, path: Path) -> None:
    """Write columns as a Parquet file.

    Parameters
    ----------
    frame : Frame
        What to write.
    path : Path
        The file.
    """
    pa = import_extra("pyarrow", "tables", WHY)
    pq = import_extra("pyarrow.parquet", "tables", WHY)
    columns = [_arrow(pa, column) for column in frame.columns]
    pq.write_table(pa.table(columns, names=frame.names), path)


def _arrow(pa: Any, column: Any) -> Any:
    if isinstance(column, np.ndarray):
        return pa.array(column, from_pandas=True)
    # Cells of different kinds have no type in common but text.
    kinds = {type(cell) for cell in column if cell != ""}
    if len(kinds) > 1:
        return pa.array([str(cell) for cell in column])
    return pa.array([None if cell == "" else cell for cell in column])


def _column(name: str, column: Any) -> NamedColumn:
    types = import_extra("pyarrow.types", "tables", WHY)
    integer = types.is_integer(column.type)
    if not integer and not types.is_floating(column.type):
        why = f"its type is {column.type}" if types.is_decimal(column.type) else ""
        return NamedColumn(name, None, why_not=why)
    # A copy with NaN instead of nulls; arrow's own float arrays cannot be written to.
    numbers = np.array(column.to_numpy(), dtype=np.float64)
    known = bool(np.any(~np.isnan(numbers)))
    return NamedColumn(name, numbers if known else None, decimals=0 if integer else None)


def _compression(metadata: Any) -> str:
    if not metadata.num_row_groups or not metadata.num_columns:
        return "snappy"
    name = str(metadata.row_group(0).column(0).compression).lower()
    return "none" if name == "uncompressed" else name


PARQUET = Format(
    title="Parquet",
    suffixes=(".parquet", ".pq"),
    read=lambda path, dataset, dialect: ParquetTable(path),
    write=write_frame,
    holds_words=True,
)
