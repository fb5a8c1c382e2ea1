"""CSV and its kin: text that comes back letter for letter, but for the cells that change."""

from __future__ import annotations

import codecs
import re
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from robustnmf.tables.numerals import MISSING, Look, numeral, parse
from robustnmf.tables.sheet import Sheet, SheetColumn
from robustnmf.tables.table import Changes, Frame, TableError

# In this order: a comma may be the decimal point of a table that something else separates.
_DELIMITERS = ("\t", ";", "|", ",")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SAMPLE = 50


@dataclass(frozen=True)
class Dialect:
    """How a text is to be read; None means: find out.

    Attributes
    ----------
    delimiter : str or None
        Between cells.
    decimal : str or None
        Point or comma.
    header : bool or None
        Whether the first line holds headings.
    encoding : str
        Of the text.
    missing : sequence of str
        Cells that stand for no value, beyond the usual ones.
    """

    delimiter: str | None = None
    decimal: str | None = None
    header: bool | None = None
    encoding: str = "utf-8"
    missing: Sequence[str] = field(default=())


class Delimited(Sheet):
    """A text with a record a line and a delimiter between cells.

    Parameters
    ----------
    content : bytes
        The file.
    dialect : Dialect
        How to read it.
    """

    def __init__(self, content: bytes, dialect: Dialect) -> None:
        self.encoding = dialect.encoding
        text, self._mark = _decoded(content, dialect.encoding)
        top, self._records, self._after = _records(text)
        if not self._records:
            raise TableError("the file is empty: a table with rows and columns is needed")
        self.delimiter = dialect.delimiter or _sniffed(self._records)
        self.decimal = dialect.decimal or _decimal(self._records, self.delimiter)
        self._missing = MISSING | {text.strip().lower() for text in dialect.missing}
        first = [_unquoted(raw) for raw in self._fields(self._records[0])]
        headed = dialect.header
        if headed is None:
            headed = not all(self._number(cell, Look()) is not None for cell in first)
        self._top = top
        if headed:
            self._top += [self._records.pop(0), self._after.pop(0)]
        if not self._records:
            raise TableError("there is a line of headings but no row below it")
        self.looks = [Look() for _ in first]
        names = first if headed else [""] * len(first)
        super().__init__(self._read(names))

    @property
    def n_rows(self) -> int:
        """How many rows there are below the headings."""
        return len(self._records)

    def cell(self, row: int, place: int) -> str:
        """Return a cell without quotes."""
        return _unquoted(self._fields(self._records[row])[place])

    def write(self, path: Path, changes: Changes) -> None:
        """Write the text again; only the cells that change differ."""
        by_row: dict[int, list[tuple[int, float]]] = {}
        for i, j, value in self.each_change(changes):
            by_row.setdefault(i, []).append((self.places[j], value))
        with path.open("wb") as file:
            file.write(self._mark + "".join(self._top).encode(self.encoding))
            for i, (record, after) in enumerate(zip(self._records, self._after, strict=True)):
                cells = self._changed(record, by_row[i]) if i in by_row else record
                file.write((cells + after).encode(self.encoding))

    def _changed(self, record: str, changes: list[tuple[int, float]]) -> str:
        body = record.rstrip("\r\n")
        cells = self._fields(record)
        for place, value in changes:
            new = numeral(value, self.looks[place]).replace(".", self.decimal)
            old = cells[place]
            # Blanks and quotes around the cell stay. One that was empty has neither.
            cells[place] = old.replace(_unquoted(old), new, 1) if _unquoted(old) else new
        return self.delimiter.join(cells) + record[len(body) :]

    def _read(self, names: list[str]) -> list[SheetColumn]:
        numbers = [array("d") for _ in names]
        # The first cell of each column that is no number, and its line.
        strange: list[tuple[str, int] | None] = [None] * len(names)
        for i, record in enumerate(self._records):
            cells = self._fields(record)
            if len(cells) != len(names):
                raise TableError(
                    f"row {i + 1} (line {self._line(i)}) has {len(cells)} cells where "
                    f"the first row has {len(names)}: correct the file, or pass --delimiter if "
                    f"{self.delimiter!r} is not what separates them"
                )
            for j, raw in enumerate(cells):
                cell = _unquoted(raw)
                value = self._number(cell, self.looks[j])
                if value is None:
                    value = float("nan")
                    if strange[j] is None and cell.lower() not in self._missing:
                        strange[j] = cell, i
                elif self._missing is not MISSING and cell.lower() in self._missing:
                    value = float("nan")
                numbers[j].append(value)
        return [
            _column(name, np.frombuffer(values), look, odd)
            for name, values, look, odd in zip(names, numbers, self.looks, strange, strict=True)
        ]

    def _number(self, cell: str, look: Look) -> float | None:
        if self.decimal != ".":
            if "." in cell:
                return None
            cell = cell.replace(self.decimal, ".", 1)
        return parse(cell, look)

    def _fields(self, record: str) -> list[str]:
        return _split(record.rstrip("\r\n"), self.delimiter)

    def _line(self, row: int) -> int:
        # Quoted cells may hold line breaks.
        above = [*self._top, *self._records[:row], *self._after[:row]]
        return 1 + sum(text.count("\n") for text in above)


def write_frame(frame: Frame, path: Path, delimiter: str) -> None:
    """Write columns as text.

    Parameters
    ----------
    frame : Frame
        What to write.
    path : Path
        The file.
    delimiter : str
        Between cells.
    """
    import csv

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(frame.names)
        writer.writerows(zip(*(map(_shown, column) for column in frame.columns), strict=True))


def _shown(value: Any) -> Any:
    if value is None or value != value:
        return ""
    return value.item() if isinstance(value, np.generic) else value


def _column(name: str, numbers: np.ndarray, look: Look, odd: tuple[str, int] | None) -> SheetColumn:
    known = int(np.count_nonzero(~np.isnan(numbers)))
    if odd is None:
        # A column without any value is carried along like words.
        return SheetColumn(name, numbers if known else None, decimals=look.rounding)
    why = ""
    if 2 * known > len(numbers):
        cell, row = odd
        why = (
            f"{cell!r} in row {row + 1} is not a number "
            f"(--missing {cell!r} would count it as missing)"
        )
    return SheetColumn(name, None, why_not=why)


def _decoded(content: bytes, encoding: str) -> tuple[str, bytes]:
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    if b"\x00" in content[:4096] and encoding == "utf-8":
        raise TableError(
            "this is not text: name the kind of file with --format, or its --encoding (utf-16?)"
        )
    try:
        return content[len(mark) :].decode(encoding), mark
    except LookupError as error:
        raise TableError(f"there is no encoding {encoding!r}: try utf-8 or latin-1") from error
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise TableError(
            f"line {line} is not {encoding}: pass the file's own --encoding, e.g. latin-1 or utf-16"
        ) from error


def _records(text: str) -> tuple[list[str], list[str], list[str]]:
    """Return what is above the table, its records, and the blank lines after each of them.

    A record may span lines inside quotes.
    """
    if "\n" not in text and "\r" in text:
        raise TableError("lines end in \\r alone: save the file with \\n or \\r\\n")
    top: list[str] = []
    records: list[str] = []
    after: list[str] = []
    open_since = 0
    for number, line in enumerate(_LINE.findall(text), 1):
        odd = line.count('"') % 2 == 1
        if open_since:
            records[-1] += line
            open_since = 0 if odd else open_since
        elif not records and (not line.strip() or line.startswith("#")):
            top.append(line)
        elif not line.strip():
            after[-1] += line
        else:
            records.append(line)
            after.append("")
            open_since = number if odd else 0
    if open_since:
        raise TableError(f"a quote in line {open_since} is never closed: is the file cut off?")
    return top, records, after


def _split(body: str, delimiter: str) -> list[str]:
    cells = body.split(delimiter)
    if '"' not in body:
        return cells
    merged: list[str] = []
    inside = False
    for cell in cells:
        if inside:
            merged[-1] += delimiter + cell
        else:
            merged.append(cell)
        inside ^= bool(cell.count('"') % 2)
    return merged


def _unquoted(raw: str) -> str:
    cell = raw.strip()
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"').strip()
    return cell


def _sniffed(records: list[str]) -> str:
    sample = [record.rstrip("\r\n") for record in records[:_SAMPLE]]
    common = {}
    for delimiter in _DELIMITERS:
        counts = Counter(len(_split(body, delimiter)) for body in sample)
        (width, times), *_ = counts.most_common(1)
        if width > 1 and times == len(sample):
            return delimiter
        common[delimiter] = times if width > 1 else 0
    best = max(_DELIMITERS, key=lambda delimiter: common[delimiter])
    if common[best]:
        return best
    return " " if all(" " in body.strip() for body in sample) else ","


def _decimal(records: list[str], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    commas = points = 0
    for record in records[1:_SAMPLE]:
        for raw in _split(record.rstrip("\r\n"), delimiter):
            cell = _unquoted(raw)
            commas += bool(re.fullmatch(r"[+-]?\d+,\d+", cell))
            points += bool(re.fullmatch(r"[+-]?\d+\.\d+", cell))
    return "," if commas > points else "."
