"""Where the table comes from and goes to: files, or the standard streams."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from pathlib import Path
from types import TracebackType

from robustnmf.tables.names import SUFFIX_OF

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
        self.out = out if out is not None else data.with_name(f"{data.stem}-clean{data.suffix}")
        self.target = self.out
        # Only the suffix of --out can ask for another format than that of DATA.
        self.kind_out = kind if out is None or self.to_stdout else None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Streams:
        if self.from_stdin or self.to_stdout:
            self._folder = tempfile.TemporaryDirectory(prefix="robustnmf-")
            folder = Path(self._folder.name)
            suffix = SUFFIX_OF[self.kind] if self.kind else self.source.suffix
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

    def deliver(self) -> None:
        """Send the table on, if it is to go to the standard output."""
        if not self.to_stdout:
            return
        if self.target.is_dir():
            raise ValueError("a Zarr store is a folder, which cannot be sent to standard output")
        stream = sys.stdout.buffer
        with self.target.open("rb") as file:
            shutil.copyfileobj(file, stream)
        stream.flush()

    @staticmethod
    def command() -> str:
        """Return the command line to repeat the run."""
        return shlex.join(["robustnmf", *sys.argv[1:]])
