"""What a format says of itself: how it is called, and how its files are read and written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

from robustnmf._tables.table import Frame, Table

if TYPE_CHECKING:
    from robustnmf._tables.delimited import Dialect


class Blocks(NamedTuple):
    """A matrix that is made a few rows at a time."""

    shape: tuple[int, int]
    dtype: Any
    make: Callable[[slice], NDArray[Any]]
    """Gives the rows of a slice."""
    slices: list[slice]
    """All rows."""
    names: list[str]
    """Of the columns."""

    def fill(self, array: Any) -> None:
        """Write all rows into an array of this shape."""
        for rows in self.slices:
            array[rows] = self.make(rows)


@dataclass(frozen=True, kw_only=True)
class Format:
    """A kind of file; `robustnmf._tables.registry` gives it its name.

    Attributes
    ----------
    title : str
        What it is called in sentences.
    suffixes : tuple of str
        With their point, in small letters; files without a name of their own get the first.
    read : callable
        ``read(path, dataset, dialect)`` returns a `Table`; `dataset` is the array or worksheet
        that was asked for, or None. Any exception means that the file is damaged or of another
        kind; a `TableError` says why.
    write : callable
        ``write(frame, path)`` makes a new file of columns.
    holds_words : bool
        Whether there is room for words beside numbers: then labels of rows are written, too.
    write_blocks : callable, optional
        ``write_blocks(blocks, path)`` makes a new file of a matrix that may be larger than the
        memory.
    store : frozenset of str
        For a format whose files are folders: names of files of which one lies in each. Empty for
        plain files.
    advice : mapping of str to str
        Suffixes of formats that it is mistaken for, which cannot be read, and what to do then.
    """

    title: str
    suffixes: tuple[str, ...]
    read: Callable[[Path, str | None, Dialect], Table]
    write: Callable[[Frame, Path], None]
    holds_words: bool
    write_blocks: Callable[[Blocks, Path], None] | None = None
    store: frozenset[str] = frozenset()
    advice: Mapping[str, str] = field(default_factory=dict)
