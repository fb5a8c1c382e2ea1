"""Where the table comes from and goes to: files, or the standard streams."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import click

from robustnmf._tables.registry import FORMATS, format_named, format_or_none
from robustnmf.cli.common import BadUsage

if TYPE_CHECKING:
    from robustnmf._tables.format import Format

STREAM = "-"


class Streams:
    """The input and the output of one run.

    A stream is copied to a temporary file first, and from one at the end: so all formats can be
    piped, and half a table is never sent on.

    Parameters
    ----------
    data : Path
        What was given as DATA.
    out : Path or None
        What was given as --out.
    kind : str or None
        What was given as --format.
    """

    def __init__(self, data: Path, out: Path | None, kind: str | None) -> None:
        self.from_stdin = str(data) == STREAM
        self.to_stdout = str(out) == STREAM or (out is None and self.from_stdin)
        self.kind = kind
        self.source = data
        if data.is_dir() and _store(kind or format_or_none(data)) is None:
            raise BadUsage(
                f"DATA: {click.format_filename(data)} is a folder: name a file in it, or "
                f"{_known_stores()}"
            )
        self.out = out if out is not None else _beside(data)
        self.target = self.out
        # Only the suffix of --out can ask for another format than that of DATA.
        self.kind_out = kind if out is None or self.to_stdout else None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Streams:
        if self.from_stdin or self.to_stdout:
            self._folder = tempfile.TemporaryDirectory(prefix="robustnmf-")
            folder = Path(self._folder.name)
            suffix = format_named(self.kind).suffixes[0] if self.kind else self.source.suffix
            if self.to_stdout:
                self.target = folder / f"out{suffix}"
            if self.from_stdin:
                self.source = folder / f"standard-input{suffix}"
                with self.source.open("wb") as file:
                    shutil.copyfileobj(sys.stdin.buffer, file)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def guard(self, option: str, path: Path) -> None:
        """Raise a usage error if to write a file would harm DATA, or a folder of other things."""
        name = click.format_filename(path)
        target = path.resolve()
        named = self.kind_out if option == "--out" else None
        store = _store(named or format_or_none(path))
        if target.is_dir() and not (store and _may_hold(target, store)):
            raise BadUsage(f"{option}: {name} is a folder of other things: name a new one")
        if target.is_file() and store:
            raise BadUsage(
                f"{option}: {name} is a file, and {_called(store)} is a folder: name another"
            )
        if self.from_stdin:
            return
        source = self.source.resolve()
        if target == source:
            # Who names DATA once more, with --force, wants it replaced; a link may be a surprise.
            if option != "--out" or path.absolute() != self.source.absolute():
                raise BadUsage(f"{option}: {name} is DATA itself: name another file")
        elif target in source.parents or source in target.parents:
            raise BadUsage(f"{option}: {name} and DATA lie one in the other: name another place")

    def deliver(self) -> None:
        """Send the table on, if it is to go to the standard output."""
        if not self.to_stdout:
            return
        if self.target.is_dir():
            raise ValueError("a folder cannot be sent to standard output: name an --out")
        stream = sys.stdout.buffer
        with self.target.open("rb") as file:
            shutil.copyfileobj(file, stream)
        stream.flush()

    @staticmethod
    def command() -> str:
        """Return the command line to repeat the run."""
        return shlex.join(["robustnmf", *sys.argv[1:]])


def _beside(data: Path) -> Path:
    # A folder may be called by a name that is none, such as a dot.
    named = data if data.name not in ("", "..") else data.resolve()
    if not named.name:
        raise BadUsage(f"DATA: {click.format_filename(data)} has no name: say where to with --out")
    return named.with_name(f"{named.stem}-clean{named.suffix}")


def _store(kind: str | None) -> Format | None:
    """Return the format, if its files are folders."""
    found = None if kind is None else format_named(kind)
    return found if found is not None and found.store else None


def _called(store: Format) -> str:
    return f"a {store.title} store"


def _known_stores() -> str:
    stores = {kind: store for kind in FORMATS if (store := _store(kind)) is not None}
    return ", or ".join(
        f"{_called(store)} ({store.suffixes[0]}, or --format {kind})"
        for kind, store in stores.items()
    )


def _may_hold(folder: Path, store: Format) -> bool:
    inside = {path.name for path in folder.iterdir()}
    return not inside or not inside.isdisjoint(store.store)
