"""What every kind of file looks like from outside: numbers in rows and columns, cells to change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from robustnmf._tables.numerals import NumberFormat
from robustnmf._tables.styles import Style

Written: TypeAlias = tuple[Style, NumberFormat]
"""How a column writes its numbers."""
# Rows are handled this many bytes at a time: large enough to be quick, small beside any memory.
READ_BYTES = 2**22


class TableError(ValueError):
    """A table that cannot be used, with a message for its owner.

    Messages name options of the command line, such as ``--missing -999``; `read_table` and
    `clean_table` have parameters of the same names.
    """


@dataclass(frozen=True)
class Column:
    """A column of numbers.

    Attributes
    ----------
    name : str
        Its heading, or its number where it has none.
    decimals : int or None
        How many digits after the point its numbers have, which new ones get too; 0 for a column
        of whole numbers. None if that is not limited.
    """

    name: str
    decimals: int | None

    @property
    def integer(self) -> bool:
        """Whether it holds whole numbers only, and has to stay that way."""
        return self.decimals == 0


@dataclass(frozen=True)
class Frame:
    """Named columns of equal length, for writing a table in another format.

    Attributes
    ----------
    names : list of str
        Headings.
    columns : list of arrays or lists
        Numbers as arrays, all else as lists.
    """

    names: list[str]
    columns: list[Any]


class Changes(Protocol):
    """Which cells get which value."""

    def block(self, rows: slice) -> tuple[NDArray[np.bool_], NDArray[Any]]:
        """Return where some rows change, and values that count only there."""
        ...


class Table(ABC):
    """A file with numbers in rows and columns.

    Attributes
    ----------
    columns : list of Column
        The columns of numbers, in their order; all else in the file is carried along.
    names : list of str
        Those of all columns, in the order of the file.
    notes : list of str
        What its owner should know, such as why a column is not used.
    kind : str or None
        The format that it was read from.
    file : str
        The name of the file, without its folder.
    """

    columns: list[Column]
    names: list[str]
    notes: list[str]
    kind: str | None = None
    file: str = "the table"

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """How many rows there are below the headings."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of numbers."""
        return self.n_rows, len(self.columns)

    @property
    def dtype(self) -> np.dtype[Any]:
        """In which precision the numbers are worked on."""
        return np.dtype(np.float64)

    @abstractmethod
    def block(self, rows: slice) -> NDArray[Any]:
        """Return some rows as numbers, with NaN for missing cells."""

    @abstractmethod
    def row_name(self, row: int) -> str:
        """Return what its owner calls a row."""

    @property
    def carried(self) -> list[str]:
        """Names of the columns that are not used."""
        return []

    @property
    def labels(self) -> tuple[str, list[Any]] | None:
        """The heading and the cells of the column that names the rows, if there is one."""
        return None

    @abstractmethod
    def select(self, use: Sequence[str], ignore: Sequence[str], index: str | None) -> None:
        """Keep only some columns of numbers; the others are carried along."""

    @abstractmethod
    def write(self, path: Path, changes: Changes) -> None:
        """Write the file again, with some cells changed and all others as they were."""

    @abstractmethod
    def frame(self, changes: Changes) -> Frame:
        """Return the whole table, with some cells changed, for another format."""

    @property
    def styles(self) -> list[Written]:
        """How each column of numbers writes them."""
        # What has no text is shown with as many decimals as it has, or with six digits.
        return [
            (
                Style(),
                NumberFormat(exponents=True) if c.decimals is None else NumberFormat(c.decimals),
            )
            for c in self.columns
        ]

    def with_empty(self, name: str, decimals: int | None, written: Written) -> Table:
        """Return the table with a column without any value as one of numbers.

        It is carried along, as nothing tells what it holds, unless somebody knows.

        Parameters
        ----------
        name : str
        decimals : int or None
            How many its numbers have.
        written : tuple of Style and NumberFormat
            How they are written.

        Returns
        -------
        Table
            Itself, if the column has some value, or there are no such columns in this format.
        """
        return self

    def blocks(self) -> Iterator[slice]:
        """Return the rows, a few megabytes of numbers at a time."""
        step = max(1, READ_BYTES // (8 * max(1, len(self.columns))))
        return (
            slice(start, min(start + step, self.n_rows)) for start in range(0, self.n_rows, step)
        )

    def fixed(self, rows: NDArray[Any], columns: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which cells of the columns of numbers cannot be changed, whatever is wrong."""
        return np.zeros(len(rows), dtype=bool)

    def kept(self, changes: Changes) -> list[str]:
        """Say in words which cells should change but cannot."""
        return []

    def repaired(self, changes: Changes) -> Any:
        """Return the data, as they were given, with some cells changed."""
        from robustnmf._tables.repaired import RepairedTable

        return RepairedTable(self, changes)

    def like_data(self, make: Callable[[slice], NDArray[Any]], dtype: np.dtype[Any]) -> Any:
        """Return numbers that go with the cells, made a few rows at a time, as the data are."""
        whole = np.empty(self.shape, dtype=dtype)
        for rows in self.blocks():
            whole[rows] = make(rows)
        return whole

    def listed(
        self, rows: NDArray[Any], columns: NDArray[Any], more: Mapping[str, Sequence[Any]]
    ) -> Any:
        """Return some cells with what is known of each, one a row, as the data are.

        Parameters
        ----------
        rows, columns : int arrays
            Where they are, in the columns of numbers.
        more : mapping of str to sequence
            What is known of each.

        Returns
        -------
        structured array
            Of a file by the row's number from 0 on and the column's heading.
        """
        return structured({"row": rows, "column": [self.columns[j].name for j in columns], **more})

    def each_change(self, changes: Changes) -> Iterator[tuple[int, int, float]]:
        """Return row, column of numbers and new value of each cell that changes."""
        for rows in self.blocks():
            i, j, values = self.changes_in(rows, changes)
            free = ~self.fixed(i, j)
            yield from zip(*(array[free].tolist() for array in (i, j, values)), strict=True)

    def changes_in(
        self, rows: slice, changes: Changes
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return the same of the cells of some rows that should change, whether they can or not."""
        where, values = changes.block(rows)
        i, j = np.nonzero(where)
        return i + rows.start, j, np.asarray(values[i, j], dtype=np.float64)


def structured(columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> NDArray[Any]:
    """Return columns of equal length as one structured array; texts become objects.

    Examples
    --------
    >>> structured({"row": [3, 5], "reason": ["odd", "stray"]})["reason"][1]
    'stray'
    """
    kinds = [
        (name, column.dtype if isinstance(column, np.ndarray) else np.dtype(object))
        for name, column in columns.items()
    ]
    array = np.empty(len(next(iter(columns.values()))), dtype=kinds)
    for name, column in columns.items():
        array[name] = column
    return array
