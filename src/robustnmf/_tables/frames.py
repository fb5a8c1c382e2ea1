"""Frames of pandas and polars: a frame in, the same kind out, with only some cells changed.

Neither is imported here, but through `sys.modules`: a frame can only come from a module that is
loaded already.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._tables.column_table import ColumnTable, NamedColumn
from robustnmf._tables.numerals import NumberFormat, parse
from robustnmf._tables.representable import decimals_of, nearest
from robustnmf._tables.table import Changes, TableError

# A column of text is told to be one of numbers by this many of its cells.
_SAMPLE = 1000


class FrameTable(ColumnTable):
    """Base of both kinds of frames.

    Parameters
    ----------
    frame : DataFrame
        Never modified.
    columns : iterable of NamedColumn
        What each of its columns holds.
    """

    def __init__(self, frame: Any, columns: Iterable[NamedColumn]) -> None:
        self._frame = frame
        if not len(frame):
            raise TableError("data: the frame has no rows: pass one with rows and columns")
        super().__init__(list(columns))

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self._frame)

    def write(self, path: Path, changes: Changes) -> None:
        """Write the frame as a file of the format that the suffix tells."""
        from robustnmf._tables.formats import write_frame

        write_frame(self.frame(changes), path)

    def _new_cells(self, changes: Changes) -> dict[int, tuple[list[int], list[float]]]:
        """Return rows and new values of each column of the frame that changes."""
        found: dict[int, tuple[list[int], list[float]]] = {}
        for i, j, value in self.each_change(changes):
            rows, values = found.setdefault(self.positions[j], ([], []))
            rows.append(i)
            values.append(value)
        return found

    def _all_columns(
        self, make: Callable[[slice], NDArray[Any]], dtype: np.dtype[Any]
    ) -> NDArray[Any]:
        whole = np.zeros(self._frame.shape, dtype=dtype)
        for rows in self.blocks():
            whole[rows, self.positions] = make(rows)
        return whole


class PandasTable(FrameTable):
    """A pandas frame. Rows are named by its index, or as in a file if that only counts them.

    Parameters
    ----------
    frame : pandas.DataFrame
        Never modified.
    """

    def __init__(self, frame: Any) -> None:
        self._pandas: Any = sys.modules["pandas"]
        self._by_index = not frame.index.equals(self._pandas.RangeIndex(len(frame)))
        columns = (
            self._column(str(label), frame.iloc[:, j]) for j, label in enumerate(frame.columns)
        )
        super().__init__(frame, columns)

    def cell(self, row: int, position: int) -> Any:
        """Return a cell's value, and an empty text for a missing one."""
        value = self._frame.iat[row, position]
        return "" if self._is_missing(value) else value

    def row_name(self, row: int) -> str:
        """Return the row's label."""
        if not self._by_index:
            return super().row_name(row)
        label = self._frame.index[row]
        return ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)

    @property
    def labels(self) -> tuple[str, list[Any]] | None:
        """The name and the labels of the index, or of the column that names the rows."""
        if not self._by_index:
            return super().labels
        names = ", ".join("" if name is None else str(name) for name in self._frame.index.names)
        return names, [self.row_name(row) for row in range(self.n_rows)]

    def select(self, use: Sequence[str], ignore: Sequence[str], index: str | None) -> None:
        """Keep only some columns of numbers; the others are carried along."""
        super().select(use, ignore, index)
        self._by_index &= index is None

    def may_hold_numbers(self, position: int) -> bool:
        """Return whether the type of a column allows of numbers."""
        return getattr(self._frame.dtypes.iloc[position], "kind", "") in ("i", "u", "f")

    def repaired(self, changes: Changes) -> Any:
        """Return a copy of the frame with some cells changed."""
        new = self._frame.copy()
        for position, (rows, values) in self._new_cells(changes).items():
            new.isetitem(position, self._with(position, rows, values))
        return new

    def like_data(self, make: Callable[[slice], NDArray[Any]], dtype: np.dtype[Any]) -> Any:
        """Return numbers that go with the cells as a frame of the same index and columns."""
        whole = self._all_columns(make, dtype)
        return self._pandas.DataFrame(whole, index=self._frame.index, columns=self._frame.columns)

    def listed(
        self, rows: NDArray[Any], columns: NDArray[Any], more: Mapping[str, Sequence[Any]]
    ) -> Any:
        """Return some cells, by their labels, as a frame."""
        positions = np.asarray(self.positions, dtype=int)[columns]
        where = {
            "row": self._frame.index.to_flat_index().take(rows),
            "column": self._frame.columns.to_flat_index().take(positions),
        }
        return self._pandas.DataFrame({**where, **more})

    def _with(self, position: int, rows: list[int], values: list[float]) -> Any:
        """Return a column with new values, of its own type."""
        series = self._frame.iloc[:, position]
        dtype = series.dtype
        if getattr(dtype, "kind", "O") == "O":
            whole = self.all_columns[position].decimals == 0
            fitting: list[Any] = [round(value) if whole else value for value in values]
        else:
            fitting = [nearest(value, getattr(dtype, "numpy_dtype", dtype)) for value in values]
        if isinstance(dtype, np.dtype):
            new = series.to_numpy(copy=True)
            for i, value in zip(rows, fitting, strict=True):
                new[i] = value
            return new
        new = series.array.copy()
        new[np.asarray(rows)] = self._pandas.array(fitting, dtype=dtype)
        return new

    def _column(self, name: str, series: Any) -> NamedColumn:
        dtype = series.dtype
        if isinstance(dtype, self._pandas.SparseDtype):
            return NamedColumn(
                name, None, why_not="it is sparse: pass it dense, by .sparse.to_dense()"
            )
        kind = getattr(dtype, "kind", "O")
        if kind in "iuf":
            own = series.to_numpy() if isinstance(dtype, np.dtype) else None
            numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
            return _of_numbers(name, numbers, own, integer=kind != "f")
        if kind != "O" or isinstance(dtype, self._pandas.CategoricalDtype):
            return NamedColumn(name, None)
        return _of_objects(name, series.to_numpy(dtype=object), self._is_missing)

    def _is_missing(self, value: Any) -> bool:
        if value is None or value is self._pandas.NA or value is self._pandas.NaT:
            return True
        return isinstance(value, float | np.floating) and bool(np.isnan(value))


class PolarsTable(FrameTable):
    """A polars frame, whose rows are named as in a file.

    Parameters
    ----------
    frame : polars.DataFrame
        Never modified.
    """

    def __init__(self, frame: Any) -> None:
        self._polars: Any = sys.modules["polars"]
        super().__init__(frame, (self._column(series) for series in frame.get_columns()))

    def cell(self, row: int, position: int) -> Any:
        """Return a cell's value, and an empty text for a missing one."""
        value = self._frame[row, position]
        return "" if value is None else value

    def may_hold_numbers(self, position: int) -> bool:
        """Return whether the type of a column allows of numbers."""
        return bool(self._frame.dtypes[position].is_numeric())

    def repaired(self, changes: Changes) -> Any:
        """Return the frame with some cells changed; columns without a change are shared."""
        new = [
            self._with(position, rows, values)
            for position, (rows, values) in self._new_cells(changes).items()
        ]
        return self._frame.with_columns(new)

    def like_data(self, make: Callable[[slice], NDArray[Any]], dtype: np.dtype[Any]) -> Any:
        """Return numbers that go with the cells as a frame of the same columns."""
        whole = self._all_columns(make, dtype)
        return self._polars.DataFrame(whole, schema=self._frame.columns, orient="row")

    def listed(
        self, rows: NDArray[Any], columns: NDArray[Any], more: Mapping[str, Sequence[Any]]
    ) -> Any:
        """Return some cells, by the row's number from 0 on and the column's name, as a frame."""
        names = [self.columns[j].name for j in columns]
        text = self._polars.String
        return self._polars.DataFrame(
            {"row": np.asarray(rows, dtype=np.int64), "column": names, **more},
            schema_overrides={"column": text, "reason": text},
            nan_to_null=True,
        )

    def _with(self, position: int, rows: list[int], values: list[float]) -> Any:
        """Return a column with new values, of its own type."""
        pl, series = self._polars, self._frame.to_series(position)
        dtype = series.clear().to_numpy().dtype
        changed = np.zeros(len(series), dtype=bool)
        changed[rows] = True
        # As Python's own numbers, since 64-bit integers do not fit into floats.
        new: list[Any] = [0] * len(series)
        for i, value in zip(rows, values, strict=True):
            new[i] = np.asarray(nearest(value, dtype)).item()
        return pl.Series(series.name, new, dtype=series.dtype).zip_with(pl.Series(changed), series)

    def _column(self, series: Any) -> NamedColumn:
        pl, dtype = self._polars, series.dtype
        # Of 128 bits NumPy knows nothing.
        if dtype.is_float() or (dtype.is_integer() and not str(dtype).endswith("128")):
            own = series.drop_nulls().to_numpy()
            numbers = np.array(series.cast(pl.Float64).to_numpy())
            return _of_numbers(series.name, numbers, own, integer=dtype.is_integer())
        if dtype == pl.String:
            return _of_objects(series.name, series.to_numpy(), lambda value: value is None)
        why = f"its type is {dtype}" if dtype.is_numeric() else ""
        return NamedColumn(series.name, None, why_not=why)


def _of_numbers(
    name: str, numbers: NDArray[np.float64], own: NDArray[Any] | None, *, integer: bool
) -> NamedColumn:
    """Return a column of numbers; of missing cells alone nothing can be learned."""
    if np.isnan(numbers).all():
        return NamedColumn(name, None)
    return NamedColumn(
        name, numbers, 0 if integer else decimals_of(numbers if own is None else own)
    )


def _of_objects(name: str, cells: NDArray[Any], is_missing: Callable[[Any], bool]) -> NamedColumn:
    """Return a column of any objects: of numbers if all that are known are, of words if not."""
    known = [cell for cell in cells if not is_missing(cell)]
    if known and all(_is_number(cell) for cell in known):
        numbers = np.array([np.nan if is_missing(cell) else float(cell) for cell in cells])
        integer = all(isinstance(cell, int | np.integer) for cell in known)
        return _of_numbers(name, numbers, None, integer=integer)
    texts = [cell.strip() for cell in known[:_SAMPLE] if isinstance(cell, str)]
    numerals = [text for text in texts if parse(text, NumberFormat()) is not None]
    if not texts or 2 * len(numerals) <= len(known[:_SAMPLE]):
        return NamedColumn(name, None)
    why = (
        f"its cells are text, such as {numerals[0]!r}: convert them to numbers to have them judged"
    )
    return NamedColumn(name, None, why_not=why)


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float | np.integer | np.floating) and not isinstance(cell, bool)
