"""Writing files so that nobody ever sees half of one."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary name to write to, and rename it to `path` at the end.

    The temporary file lies in the same folder, since only there a rename is one step, and
    keeps the suffix, from which writers tell the format. If the body fails or is interrupted,
    the temporary file is removed and `path` is as before.

    Parameters
    ----------
    path : path-like
        The file to write; one that exists is replaced.

    Yields
    ------
    Path
        The name to write to.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder) / "note.txt") as temporary:
    ...         _ = temporary.write_text("done")
    ...     [file.name for file in Path(folder).iterdir()]
    ['note.txt']
    """
    # Through a link, the file it points to is replaced, not the link.
    target = Path(path).resolve()
    temporary = _beside(target)
    try:
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def folder_written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Do the same for a folder: give a temporary name, and rename it to `path` at the end.

    A folder cannot replace another in one step. An older one is moved aside first, and removed
    once the new one is in its place.

    Parameters
    ----------
    path : path-like
        The folder to write; one that exists is replaced.

    Yields
    ------
    Path
        The name to write to.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with folder_written_whole(Path(folder) / "store") as temporary:
    ...         temporary.mkdir()
    ...     [file.name for file in Path(folder).iterdir()]
    ['store']
    """
    target = Path(path).resolve()
    temporary, old = _beside(target), _beside(target)
    try:
        yield temporary
        if target.exists():
            target.rename(old)
        temporary.rename(target)
    finally:
        if old.exists() and not target.exists():
            old.rename(target)
        for left in (temporary, old):
            shutil.rmtree(left, ignore_errors=True)


def _beside(target: Path) -> Path:
    """Return a new, hidden name in the same folder, with the same suffix."""
    return target.with_name(f".{target.stem}-{secrets.token_hex(4)}{target.suffix}")
