"""Reading a file of any format, and writing anything as one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.checks import check_choice
from robustnmf._common.files import folder_written_whole, written_whole
from robustnmf._tables.delimited import Dialect
from robustnmf._tables.format import Blocks
from robustnmf._tables.registry import FORMATS, format_named, format_of
from robustnmf._tables.repaired import NoChanges
from robustnmf._tables.table import Frame, Table, TableError

PathName = str | PathLike[str]


def read_table(
    path: PathName,
    *,
    format: str | None = None,
    dataset: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    header: bool | None = None,
    encoding: str = "utf-8",
    missing: Sequence[str] = (),
) -> Table:
    """Read a table.

    Parameters
    ----------
    path : str or Path
        A file, or a folder with a Zarr store.
    format : str, optional
        Its name, as ``robustnmf clean --help`` lists them, such as ``"csv"``; by default told by
        the suffix.
    dataset : str, optional
        The array or worksheet, in files that hold several.
    delimiter, decimal, thousands, header, encoding, missing
        How a text is read, as in `Dialect`; `header` and `missing` also count for worksheets.

    Returns
    -------
    Table

    Raises
    ------
    TableError
        If it is not whole, or not a table of this kind.
    ValueError
        If an option is none of those there are.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = ["who;net;tax", "x;1,5;2", "y;2,5;3"]
    ...     _ = (Path(folder) / "a.csv").write_text(chr(10).join(rows))
    ...     table = read_table(f"{folder}/a.csv")
    >>> table.columns[0].name, table.block(slice(0, 2)).tolist()
    ('net', [[1.5, 2.0], [2.5, 3.0]])
    """
    path = Path(path)
    kind = _known(format) or format_of(path)
    dialect = Dialect(delimiter, decimal, header, encoding, tuple(missing), thousands)
    if path.is_file() and path.stat().st_size == 0:
        raise TableError(f"{path.name} is empty: a table with rows and columns is needed")
    try:
        table = format_named(kind).read(path, dataset, dialect)
    except TableError as error:
        raise TableError(f"{path.name}: {error}") from error
    except (ImportError, FileNotFoundError, PermissionError, MemoryError):
        raise
    # What damaged files make readers raise is any kind of error.
    except Exception as error:
        what = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise TableError(
            f"{path.name} cannot be read as {format_named(kind).title} ({what}): "
            "is it whole, and of this kind? --format names another"
        ) from error
    table.kind, table.file = kind, path.name
    return table


def write_table(table: Table, path: PathName, *, format: str | None = None) -> None:
    """Write a table, to a temporary name first.

    Parameters
    ----------
    table : Table
        As it was read, or repaired: the `data` of what `clean_table` returned for a file.
    path : str or Path
        Where to; a file that exists is replaced.
    format : str, optional
        The format to write; by default told by the suffix. In the format it was read from, all
        that does not change stays as it is.
    """
    path = Path(path)
    kind = _known(format) or format_of(path)
    if not isinstance(table, Table):
        raise TypeError(
            f"table must be a Table, as read_table returns it; got {type(table).__name__}: frames "
            "and arrays have writers of their own"
        )
    changes = NoChanges(len(table.columns))
    with _whole(path, kind) as temporary:
        if table.kind == kind:
            table.write(temporary, changes)
        else:
            format_named(kind).write(table.frame(changes), temporary)


def _known(format: str | None) -> str | None:
    found: str | None = check_choice("format", format, (*FORMATS, None))
    return found


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
        format_named(kind).write(frame, temporary)


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
    write_blocks = format_named(kind).write_blocks
    if write_blocks is not None:
        with _whole(path, kind) as temporary:
            write_blocks(Blocks(table.shape, dtype, make, list(table.blocks()), names), temporary)
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
    if labels is None or not format_named(format_of(path)).holds_words:
        return Frame(names, columns)
    heading, cells = labels
    return Frame([heading, *names], [cells, *columns])


@contextmanager
def _whole(path: Path, kind: str) -> Iterator[Path]:
    with (folder_written_whole if format_named(kind).store else written_whole)(path) as temporary:
        yield temporary
