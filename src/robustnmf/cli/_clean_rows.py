"""Rows that come one by one through a pipe, each cleaned by a model and sent on at once."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator
from typing import Any

from robustnmf.cli._clean_streams import Streams
from robustnmf.cli.common import print_note

# All that is made of a whole table, and so has to wait for its end.
_OF_THE_WHOLE = ("report", "changes", "mask", "noise", "parts", "weights", "dry_run")
# Formats that are text, and what separates their cells, if that is known.
_KINDS: dict[str | None, str | None] = {"csv": None, "tsv": "\t"}


def come_one_by_one(streams: Streams, options: dict[str, Any]) -> bool:
    """Return whether rows are cleaned as they come: text, a model, and nothing of the whole."""
    return (
        options["model"] is not None
        and streams.from_stdin
        and streams.to_stdout
        and streams.kind in _KINDS
        and not any(options[name] for name in _OF_THE_WHOLE)
        # Lines of these cannot be told before they are decoded.
        and not options["encoding"].lower().replace("_", "-").startswith(("utf-16", "utf-32"))
    )


def clean_rows(
    streams: Streams, options: dict[str, Any], reading: dict[str, Any], *, quiet: bool
) -> None:
    """Clean standard input to standard output, line by line; `reading` is as for `read_table`."""
    from robustnmf._tables.delimited import Dialect
    from robustnmf._tables.records import RecordCleaner
    from robustnmf.tables import TableModel

    model = TableModel.load(options["model"])
    if not model.trust.trusted and not quiet:
        print_note(f"the model is {model.trust}; only what is beyond doubt is replaced")
    how = {name: value for name, value in reading.items() if name != "dataset"}
    dialect = Dialect(**how | {"delimiter": reading["delimiter"] or _KINDS[streams.kind]})
    cleaner = RecordCleaner(model, dialect, fill_missing=not options["keep_missing"])
    out = sys.stdout.buffer
    for text in cleaner.cleaned(_lines(dialect.encoding)):
        out.write(text.encode(dialect.encoding))
        # Who reads at the other end waits for this row, not for a full buffer.
        out.flush()
        notes, cleaner.tally.notes = cleaner.tally.notes, []
        for note in () if quiet else notes:
            print_note(note)
    if not quiet:
        print_note(str(cleaner.tally))


def _lines(encoding: str) -> Iterator[str]:
    from robustnmf.tables import TableError

    try:
        codecs.lookup(encoding)
    except LookupError as error:
        raise TableError(f"there is no encoding {encoding!r}: try utf-8 or latin-1") from error
    for number, line in enumerate(iter(sys.stdin.buffer.readline, b""), 1):
        try:
            yield line.decode(encoding)
        except UnicodeError as error:
            raise TableError(
                f"line {number} is not {encoding}: pass the text's own --encoding, e.g. latin-1"
            ) from error
