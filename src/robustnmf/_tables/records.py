"""Text that comes line by line, each row cleaned by a model as soon as it is there."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from robustnmf._common.text import first_of
from robustnmf._tables.delimited import Dialect
from robustnmf._tables.model import TableModel
from robustnmf._tables.numerals import MISSING, NumberFormat
from robustnmf._tables.table import TableError
from robustnmf._tables.text import join_cells, requoted, sniffed_delimiter, split_cells, unquoted

# Columns that are told one by one.
_MOST_TOLD = 6


@dataclass
class Tally:
    """What was done so far."""

    rows: int = 0
    cells: int = 0
    replaced: int = 0
    flagged: int = 0
    """Not replaced."""
    filled: int = 0
    notes: list[str] = field(default_factory=list)
    """What is new for the owner to know; whoever tells it empties the list."""

    def __str__(self) -> str:
        return (
            f"{self.replaced:,} of {self.cells:,} cells replaced, {self.flagged:,} more flagged, "
            f"{self.filled:,} missing ones filled, in {self.rows:,} rows"
        )


class RecordCleaner:
    """Cleans a text line by line.

    What is no row of the table comes back as it is: blank lines and comments at the top, and, with
    a note, lines with another number of cells, and cells that are no numbers.

    Parameters
    ----------
    model : TableModel
    dialect : Dialect
        How to read the text, where that is not as the model was learned. Whether there are headings
        is told by whether the first line has the names of the model.
    fill_missing : bool
        Whether missing cells get their expected value.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> from robustnmf.tables import TableModel, clean_table
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.gamma(3, 10, (90, 1)) * [1, 2, 3, 4] + rng.normal(0, 0.3, (90, 4))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = clean_table(rows.round(1), save_model=Path(folder) / "m.robustnmf")
    ...     model = TableModel.load(Path(folder) / "m.robustnmf")
    >>> cleaner = RecordCleaner(model, Dialect(delimiter=","), fill_missing=True)
    >>> print(*cleaner.cleaned(["25.1,50.2,7530,100.4" + chr(10)]), end="")
    25.1,50.2,75.3...,100.4
    >>> cleaner.tally.replaced
    1
    """

    def __init__(self, model: TableModel, dialect: Dialect, *, fill_missing: bool) -> None:
        self.model, self.tally = model, Tally()
        self._dialect, self._fill_missing = dialect, fill_missing
        self._missing = MISSING | {text.strip().lower() for text in dialect.missing}
        decimal, thousands = dialect.decimal, dialect.thousands
        self._styles = [
            replace(
                style,
                decimal=style.decimal if decimal is None else decimal,
                thousands=style.thousands if thousands is None else thousands,
            )
            for style in model.styles
        ]
        self._delimiter = dialect.delimiter or ""
        self._positions: list[int] = []
        self._width = self._line = 0

    def cleaned(self, lines: Iterable[str]) -> Iterator[str]:
        """Give back the text, each record as soon as its last line is there.

        Parameters
        ----------
        lines : iterable of str
            With their ends.
        """
        waiting = ""
        for line in lines:
            self._line += 1
            waiting += line
            # A quoted cell may hold line breaks.
            if waiting.count('"') % 2 == 0:
                yield self._cleaned(waiting)
                waiting = ""
        if waiting:
            self._note("the text ends inside of quotes: its last cells are left as they are")
            yield waiting

    def _cleaned(self, text: str) -> str:
        body = text.rstrip("\r\n")
        begun = bool(self._positions)
        if not body.strip() or (not begun and body.startswith("#")):
            return text
        if not begun and self._begin(body):
            return text
        cells = split_cells(body, self._delimiter)
        if len(cells) != self._width:
            self._note(
                f"line {self._line} has {len(cells)} cells where the first has {self._width}: it "
                "is left as it is"
            )
            return text
        self._clean(cells)
        return join_cells(cells, self._delimiter) + text[len(body) :]

    def _begin(self, body: str) -> bool:
        """Find the columns by the first line, and return whether it holds headings."""
        self._delimiter = self._delimiter or sniffed_delimiter([body])
        # A byte order mark is no part of the first heading.
        own = [unquoted(raw) for raw in split_cells(body.lstrip("\ufeff"), self._delimiter)]
        names = [name or f"column {j + 1}" for j, name in enumerate(own)]
        headed = set(self.model.names) <= set(names)
        if self._dialect.header is not None and self._dialect.header != headed:
            headed = self._dialect.header
        if not headed:
            if len(names) != len(self.model.headings):
                raise TableError(
                    f"line {self._line} has neither the headings that the model was learned with "
                    f"({first_of([repr(name) for name in self.model.names], _MOST_TOLD)}) nor as "
                    f"many cells ({len(names)} for {len(self.model.headings)} columns): begin with "
                    "the headings, or learn from a table like this one"
                )
            names = self.model.headings
        absent = [name for name in self.model.names if name not in names]
        if absent:
            raise TableError(
                f"there is no column {absent[0]!r}, which the model was learned from: rename it, "
                "or learn from a table like this one"
            )
        twice = [name for name in self.model.names if names.count(name) > 1]
        if twice:
            raise TableError(f"two columns are called {twice[0]!r}: rename one")
        self._positions = [names.index(name) for name in self.model.names]
        self._width = len(names)
        return headed

    def _clean(self, cells: list[str]) -> None:
        """Judge a row, and change its cells."""
        X = np.full((1, len(self._positions)), np.nan)
        unread = np.zeros(len(self._positions), dtype=bool)
        for c, position in enumerate(self._positions):
            word = unquoted(cells[position])
            if word.lower() in self._missing:
                continue
            value = self._styles[c].read(word, NumberFormat())
            if value is None or not math.isfinite(value):
                unread[c] = True
                self._note(
                    f"line {self._line}: {word!r} in column {self.model.names[c]!r} is no number "
                    "as the model knows them: it is left as it is"
                )
            else:
                X[0, c] = value
        found = self.model.judge.judge(X, 0)
        tally = self.tally
        tally.rows, tally.cells = tally.rows + 1, tally.cells + len(self._positions)
        for c, expected, missing, change in zip(
            found.columns.tolist(),
            found.expected.tolist(),
            found.missing.tolist(),
            found.replaced.tolist(),
            strict=True,
        ):
            if unread[c] or (missing and not self._fill_missing):
                continue
            change &= math.isfinite(expected)
            tally.filled += missing and change
            tally.replaced += change and not missing
            tally.flagged += not change and not missing
            if change:
                self._write(cells, c, expected, missing)

    def _write(self, cells: list[str], c: int, value: float, missing: bool) -> None:
        old = cells[self._positions[c]]
        inside = "" if missing else unquoted(old)
        new = self._styles[c].write(value, self.model.formats[c], inside)
        cells[self._positions[c]] = requoted(old, new, self._delimiter)

    def _note(self, note: str) -> None:
        self.tally.notes.append(note)
