"""The kinds of files, by their suffix: reading one, and writing anything as one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.files import folder_written_whole, written_whole
from robustnmf._common.memory import in_words
from robustnmf._tables import archives, arrays, chunked, delimited, excel, parquet
from robustnmf._tables.names import NAMES, format_of
from robustnmf._tables.room import require_memory
from robustnmf._tables.table import Changes, Frame, Table, TableError

# Made a few rows at a time, so what is written may be larger than the memory.
STREAMED = frozenset({"npy", "hdf5", "zarr"})


@dataclass(frozen=True)
class Reading:
    """How a file is to be read.

    Attributes
    ----------
    kind : str or None
        Its format; by default told by its suffix.
    dataset : str or None
        The array or sheet, in files that hold several.
    dialect : Dialect
        For text.
    """

    kind: str | None = None
    dataset: str | None = None
    dialect: delimited.Dialect = field(default_factory=delimited.Dialect)


def read_table(path: Path, reading: Reading | None = None) -> Table:
    """Read a table.

    Parameters
    ----------
    path : Path
        A file, or a folder with a Zarr store.
    reading : Reading, optional
        How to read it.

    Returns
    -------
    Table

    Raises
    ------
    TableError
        If it is not whole, or not a table of this kind.
    """
    how = reading or Reading()
    kind = how.kind or format_of(path)
    if path.is_file() and path.stat().st_size == 0:
        raise TableError(f"{path.name} is empty: a table with rows and columns is needed")
    try:
        table = _READERS[kind](path, how)
    except TableError as error:
        raise TableError(f"{path.name}: {error}") from error
    except (ImportError, FileNotFoundError, PermissionError, MemoryError):
        raise
    # What damaged files make readers raise is any kind of error.
    except Exception as error:
        what = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise TableError(
            f"{path.name} cannot be read as {NAMES[kind]} ({what}): "
            "is it whole, and of this kind? --format names another"
        ) from error
    table.kind, table.file = kind, path.name
    return table


def write_table(table: Table, changes: Changes, path: Path, kind: str | None = None) -> None:
    """Write a table with some cells changed, to a temporary name first.

    Parameters
    ----------
    table : Table
        As it was read.
    changes : Changes
        The cells that differ.
    path : Path
        Where to; a file that exists is replaced.
    kind : str, optional
        The format to write; by default told by the suffix. In the format it was read from, all
        that does not change stays as it is.
    """
    kind = kind or format_of(path)
    with _whole(path, kind) as temporary:
        if table.kind == kind:
            table.write(temporary, changes)
        else:
            _WRITERS[kind](table.frame(changes), temporary)


def write_frame(frame: Frame, path: Path) -> None:
    """Write columns in the format that the suffix tells, to a temporary name first.

    Parameters
    ----------
    frame : Frame
        What to write.
    path : Path
        Where to.
    """
    kind = format_of(path)
    with _whole(path, kind) as temporary:
        _WRITERS[kind](frame, temporary)


def write_like(table: Table, make: Callable[[slice], NDArray[Any]], dtype: Any, path: Path) -> None:
    """Write numbers that go with the cells of a table, such as its mask.

    Parameters
    ----------
    table : Table
        Gives the rows, their labels and the headings.
    make : callable
        Gives the numbers of a slice of rows.
    dtype : dtype
        Theirs.
    path : Path
        Where to; the suffix tells the format.
    """
    kind = format_of(path)
    names = [column.name for column in table.columns]
    if kind in STREAMED:
        with _whole(path, kind) as temporary:
            chunked.write_blocks(
                temporary, kind, table.shape, dtype, make, list(table.blocks()), names
            )
        return
    whole = np.concatenate([make(rows) for rows in table.blocks()]).astype(dtype, copy=False)
    write_frame(labelled(table, names, list(whole.T), path), path)


def labelled(table: Table, names: list[str], columns: list[Any], path: Path) -> Frame:
    """Put the table's labels before columns of numbers, where the format can hold them.

    Parameters
    ----------
    table : Table
        Whose labels.
    names, columns : lists
        Headings and numbers.
    path : Path
        The file to write.

    Returns
    -------
    Frame
    """
    labels = table.labels
    if labels is None or format_of(path) not in ("csv", "tsv", "excel", "parquet"):
        return Frame(names, columns)
    heading, cells = labels
    return Frame([heading, *names], [cells, *columns])


@contextmanager
def _whole(path: Path, kind: str) -> Iterator[Path]:
    with (folder_written_whole if kind == "zarr" else written_whole)(path) as temporary:
        yield temporary


def _read_text(path: Path, how: Reading, default: str | None) -> Table:
    dialect = how.dialect
    size = path.stat().st_size
    # The bytes, the letters, and the lines that they are cut into.
    require_memory(
        f"it holds {in_words(size)} of text", 3 * size, "cut it up, or convert it to NPY or HDF5"
    )
    if dialect.delimiter is None and default is not None:
        dialect = replace(dialect, delimiter=default)
    return delimited.Delimited(path.read_bytes(), dialect)


_READERS: dict[str, Callable[[Path, Reading], Table]] = {
    "csv": lambda path, how: _read_text(path, how, None),
    "tsv": lambda path, how: _read_text(path, how, "\t"),
    "parquet": lambda path, how: parquet.ParquetTable(path),
    "excel": lambda path, how: excel.ExcelTable(
        path, how.dataset, how.dialect.missing, how.dialect.header
    ),
    "npy": lambda path, how: arrays.NpyTable(path),
    "npz": lambda path, how: archives.NpzTable(path, how.dataset),
    "mat": lambda path, how: archives.MatTable(path, how.dataset),
    "hdf5": lambda path, how: chunked.HdfTable(path, how.dataset),
    "zarr": lambda path, how: chunked.ZarrTable(path, how.dataset),
}
_WRITERS: dict[str, Callable[[Frame, Path], None]] = {
    "csv": lambda frame, path: delimited.write_frame(frame, path, ","),
    "tsv": lambda frame, path: delimited.write_frame(frame, path, "\t"),
    "parquet": parquet.write_frame,
    "excel": excel.write_frame,
    "npy": lambda frame, path: arrays.write_frame(frame, path, "npy"),
    "npz": lambda frame, path: arrays.write_frame(frame, path, "npz"),
    "mat": lambda frame, path: arrays.write_frame(frame, path, "mat"),
    "hdf5": lambda frame, path: chunked.write_frame(frame, path, "hdf5"),
    "zarr": lambda frame, path: chunked.write_frame(frame, path, "zarr"),
}
