"""Short notes to who waits in front of a terminal."""

from __future__ import annotations

import sys

_quiet = False


def set_quiet(quiet: bool) -> None:
    """Let `notify` print or not, as ``--quiet`` wants it."""
    global _quiet
    _quiet = quiet


def on_terminal() -> bool:
    """Whether the standard error is a terminal, and not a log or a notebook."""
    return sys.stderr is not None and sys.stderr.isatty()


def in_notebook() -> bool:
    """Whether the standard error is shown below a cell, where a carriage return begins it anew."""
    return type(sys.stderr).__module__.partition(".")[0] == "ipykernel"


def notify(message: str) -> None:
    """Print a line to the standard error if that is a terminal; logs and notebooks get nothing."""
    if not _quiet and on_terminal():
        print(f"robustnmf: {message}", file=sys.stderr, flush=True)
