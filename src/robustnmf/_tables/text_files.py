"""CSV and TSV as formats of files; `delimited` is the table."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from robustnmf._common.memory import in_words
from robustnmf._tables.delimited import Delimited, Dialect, write_frame
from robustnmf._tables.format import Format
from robustnmf._tables.room import require_memory
from robustnmf._tables.table import Table


def _read(path: Path, dataset: str | None, dialect: Dialect, *, delimiter: str | None) -> Table:
    size = path.stat().st_size
    # The bytes, the letters, and the lines that they are cut into.
    require_memory(
        f"it holds {in_words(size)} of text", 3 * size, "cut it up, or convert it to NPY or HDF5"
    )
    if dialect.delimiter is None:
        dialect = replace(dialect, delimiter=delimiter)
    return Delimited(path.read_bytes(), dialect)


CSV = Format(
    title="CSV",
    suffixes=(".csv", ".txt"),
    # What separates the cells is told by the text.
    read=partial(_read, delimiter=None),
    write=partial(write_frame, delimiter=","),
    holds_words=True,
)
TSV = Format(
    title="TSV",
    suffixes=(".tsv", ".tab"),
    read=partial(_read, delimiter="\t"),
    write=partial(write_frame, delimiter="\t"),
    holds_words=True,
)
