"""Plain arrays as tables, and NumPy's NPY, which holds one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._tables.format import Blocks, Format
from robustnmf._tables.room import require_room
from robustnmf._tables.selection import chosen
from robustnmf._tables.table import Changes, Column, Frame, Table, TableError

# The name of an array that we write into a file that can hold several.
DEFAULT_NAME = "data"


class ArrayTable(Table):
    """A 2-D array of numbers, which may be larger than the memory.

    Parameters
    ----------
    data : array
        Anything with ``shape``, ``dtype`` and slices of rows.

    Examples
    --------
    >>> table = ArrayTable(np.ones((3, 2), dtype=np.uint8))
    >>> table.shape, table.columns[1]
    ((3, 2), Column(name='column 2', decimals=0))
    """

    def __init__(self, data: Any) -> None:
        check_array("the array", data)
        # Not above: tables of text begin without what engines load.
        from robustnmf._engines import stored

        self.data, self._stored = data, stored(data, "the array")
        # The names of columns that are only declared could fill the memory by themselves.
        require_room("the array", data.shape, self.dtype.itemsize)
        self.names = [f"column {j + 1}" for j in range(data.shape[1])]
        self.notes = []
        self._use(list(range(data.shape[1])))

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.data.shape[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Single precision for what it holds exactly."""
        narrow = np.can_cast(self.data.dtype, np.float32)
        return np.dtype(np.float32 if narrow else np.float64)

    @property
    def carried(self) -> list[str]:
        """Names of the columns that are not used."""
        used = set(self.positions)
        return [name for j, name in enumerate(self.names) if j not in used]

    def block(self, rows: slice) -> NDArray[Any]:
        """Return some rows as numbers, with NaN for missing cells."""
        return self._rows(rows)[:, self.positions].astype(self.dtype, copy=False)

    def row_name(self, row: int) -> str:
        """Return the row's number."""
        return f"row {row + 1}"

    def select(self, use: Sequence[str], ignore: Sequence[str], index: str | None) -> None:
        """Keep only some columns, named by their number from 1 on."""
        left_out = [*ignore, *([] if index is None else [index])]
        self._use(chosen(self.names, [True] * len(self.names), use, left_out))

    def write(self, path: Path, changes: Changes) -> None:
        """Write the array as NPY, block by block."""
        new = np.lib.format.open_memmap(
            path,
            mode="w+",
            dtype=self.data.dtype,
            shape=self.data.shape,
            fortran_order=self.data.flags.fnc,
        )
        for rows in self.blocks():
            new[rows] = self.changed(rows, changes)
        new.flush()

    def frame(self, changes: Changes) -> Frame:
        """Return the whole array, with some cells changed, for another format."""
        whole = np.concatenate([self.changed(rows, changes) for rows in self.blocks()])
        return Frame(self.names, list(whole.T))

    def changed(self, rows: slice, changes: Changes) -> NDArray[Any]:
        """Return some rows with their changes, in the array's own type."""
        return self.touched(rows, changes)[0]

    def touched(self, rows: slice, changes: Changes) -> tuple[NDArray[Any], bool]:
        """Return the same, and whether any cell of them changes."""
        block = self._rows(rows)
        where, values = changes.block(rows)
        if not where.any():
            return block, False
        if len(self.positions) == block.shape[1]:
            return np.where(where, self._fitting(values), block), True
        new = block.copy()
        new[:, self.positions] = np.where(where, self._fitting(values), block[:, self.positions])
        return new, True

    def _rows(self, rows: slice) -> NDArray[Any]:
        return self._stored.read(rows)

    def _fitting(self, values: NDArray[Any]) -> NDArray[Any]:
        kind = np.dtype(self.data.dtype)
        if kind.kind in "iu":
            ends = np.iinfo(kind)
            # The largest 64-bit numbers are no floats: one step inside them is.
            top = min(float(ends.max), np.nextafter(2.0**63, 0))
            values = np.clip(np.rint(values), float(ends.min), top)
        elif kind.kind == "b":
            values = values >= 0.5
        elif kind.itemsize < 8:
            most = float(np.finfo(kind).max)
            values = np.clip(values, -most, most)
        # What is not to be written may be any number: it need not fit.
        with np.errstate(invalid="ignore", over="ignore"):
            return values.astype(kind)

    def _use(self, positions: list[int]) -> None:
        self.positions = positions
        integer = self.data.dtype.kind in "iub"
        self.columns = [Column(self.names[j], 0 if integer else None) for j in positions]


class NpyTable(ArrayTable):
    """One array on disk, of which a few rows are read at a time.

    Parameters
    ----------
    path : Path
        The file.
    """

    def __init__(self, path: Path) -> None:
        try:
            data = np.load(path, mmap_mode="r", allow_pickle=False)
        except ValueError as error:
            # NumPy takes whatever it does not know for a pickle, and advises to load it.
            if "pickle" in str(error):
                raise TableError("this is no NPY file, or one of objects, not numbers") from error
            raise
        super().__init__(data)


def check_array(name: str, data: Any) -> None:
    """Refuse what is no table of real numbers.

    Parameters
    ----------
    name : str
        What to call it.
    data : array
        With ``shape`` and ``dtype``.
    """
    if data.dtype.kind not in "iufb":
        raise TableError(f"{name} holds {data.dtype}, not real numbers: save a table of numbers")
    if len(data.shape) != 2:
        more = ": pictures are for 'robustnmf denoise'" if len(data.shape) > 2 else ""
        raise TableError(
            f"{name} has shape {tuple(data.shape)}; a table has rows and columns{more}"
        )
    if 0 in data.shape:
        raise TableError(f"{name} has shape {tuple(data.shape)}: there is nothing in it")


def pick(arrays: Mapping[str, Any], name: str | None) -> str:
    """Return the name of the array to use: the one named, or the only table there is.

    Parameters
    ----------
    arrays : mapping of str to array
        All there are.
    name : str or None
        As the user named it.

    Returns
    -------
    str

    Examples
    --------
    >>> pick({"x": np.ones((2, 2)), "note": np.ones(3)}, None)
    'x'
    """
    tables = [
        key
        for key, value in arrays.items()
        if len(getattr(value, "shape", ())) == 2
        and getattr(value, "dtype", None) is not None
        and value.dtype.kind in "iufb"
        and min(value.shape) > 1
    ]
    shown = ", ".join(tables) or "none"
    if name is None:
        if len(tables) != 1:
            raise TableError(
                f"the file holds {len(tables)} tables of numbers ({shown}): "
                + ("say which with --dataset" if tables else "one with rows and columns is needed")
            )
        return tables[0]
    if name not in arrays:
        raise TableError(f"there is no dataset {name!r} in the file; it has {shown}")
    check_array(f"dataset {name!r}", arrays[name])
    return name


def as_matrix(frame: Frame) -> NDArray[Any]:
    """Return the columns side by side, or say which one is no column of numbers.

    Parameters
    ----------
    frame : Frame
        The columns.

    Returns
    -------
    ndarray
    """
    for name, column in zip(frame.names, frame.columns, strict=True):
        if not isinstance(column, np.ndarray) or column.dtype.kind not in "iufb":
            raise TableError(
                f"this kind of file holds numbers only, and column {name!r} does not: "
                "write a .csv, .parquet or .xlsx"
            )
    return np.stack(frame.columns, axis=1)


def _write_blocks(blocks: Blocks, path: Path) -> None:
    array = np.lib.format.open_memmap(path, mode="w+", dtype=blocks.dtype, shape=blocks.shape)
    blocks.fill(array)
    array.flush()


NPY = Format(
    title="NPY",
    suffixes=(".npy",),
    read=lambda path, dataset, dialect: NpyTable(path),
    write=lambda frame, path: np.save(path, as_matrix(frame)),
    holds_words=False,
    write_blocks=_write_blocks,
)
