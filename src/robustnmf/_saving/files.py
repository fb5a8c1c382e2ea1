"""Whole files: what they are called, which version they are of, and how they fail."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from robustnmf._common.files import written_whole
from robustnmf._saving import container
from robustnmf._saving.fields import Field, Source, Tensors
from robustnmf._saving.refusal import RefusedError, shown
from robustnmf._version import __version__

FORMAT = "robustnmf"
VERSION = 1
"""Goes up when a file of the new kind could not be read by what reads the old one."""


MOST_SAID = 500
"""Letters of an error about a file, but for its name."""


class Opened(NamedTuple):
    """A file whose beginning was read."""

    kind: str
    """What it holds, by name."""
    file: BinaryIO
    header: container.Header


def save_parts(path: str | os.PathLike[str], kind: str, field: Field, parts: Any) -> None:
    """Write what was learned to a file; one that exists is replaced in one step.

    Parameters
    ----------
    path : path-like
    kind : str
        What it is, by name.
    field : Field
        How it is stored.
    parts : object
        What `field` takes.
    """
    target = check_target(path)
    tensors: Tensors = {}
    try:
        content = field.pack(parts, "", tensors)
        # What could not be loaded is not saved, either.
        unpacked(field, content, tensors)
    except RefusedError as why:
        raise ValueError(f"cannot save {target}: {why}") from None
    write_content(target, kind, content, tensors)


def write_content(path: Path, kind: str, content: Any, tensors: Mapping[str, Any]) -> None:
    """Write a file of JSON and arrays, which may be `container.Parts`."""
    metadata = {
        "format": FORMAT,
        "version": str(VERSION),
        "library": __version__,
        "class": kind,
        "content": json.dumps(content, allow_nan=False, separators=(",", ":")),
    }
    with written_whole(path) as temporary, temporary.open("wb") as file:
        container.write(file, tensors, metadata)
        file.flush()
        # Some disks say only now that they are full. And after a power cut there must be no new
        # name for what was never written.
        os.fsync(file.fileno())


def check_target(path: str | os.PathLike[str]) -> Path:
    """Refuse, before any work, what cannot be the name of a file to write."""
    target = _named(path)
    if not target.resolve().parent.is_dir():
        raise FileNotFoundError(f"cannot save {target}: there is no folder {target.parent}")
    if target.is_dir():
        raise IsADirectoryError(f"cannot save {target}: that is a folder; name a file in it")
    return target


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Opened]:
    """Open a file that `save_parts` wrote, and say what it holds; refusals name the file."""
    source = _named(path)
    try:
        status = os.stat(source)
        # To open a pipe could take forever, and a device has no end.
        if not stat.S_ISREG(status.st_mode):
            raise RefusedError("it is not a file on a disk")
        with source.open("rb") as file:
            header = container.read_header(file, os.fstat(file.fileno()).st_size)
            yield Opened(_kind(header.metadata), file, header)
    except RefusedError as why:
        # Some errors show what they found as it stands, however long it is.
        reason = str(why) if len(str(why)) <= MOST_SAID else f"{str(why)[:MOST_SAID]}..."
        raise ValueError(f"cannot load {source}: {reason}") from None


def load_parts(found: Opened, field: Field) -> Any:
    """Return what a file holds."""
    tensors = container.read_tensors(found.file, found.header)
    text = found.header.metadata["content"].encode("utf-8", "surrogatepass")
    return unpacked(field, container.strict_json(text, "what it says of its arrays"), tensors)


def unpacked(field: Field, content: Any, tensors: Tensors) -> Any:
    """Return what JSON and arrays stand for; all of them have to be needed."""
    source = Source(tensors)
    parts = field.unpack(content, "", source)
    source.all_taken()
    return parts


def _kind(metadata: dict[str, str]) -> str:
    if metadata.get("format") != FORMAT:
        raise RefusedError("robustnmf did not save it; give a file that `save` wrote")
    known = {"format", "version", "library", "class", "content", container.CHECKSUM}
    version = metadata.get("version", "")
    if not (version.isascii() and version.isdigit() and len(version) < 9):
        raise RefusedError(f"its version is no number: {shown(version)}")
    if int(version) != VERSION:
        by = shown(metadata.get("library", "?"))
        raise RefusedError(
            f"it is of version {int(version)} of the format, written by robustnmf {by}, and this "
            f"is robustnmf {__version__}, which reads version {VERSION}: use that version, or save "
            "the model anew with this one"
        )
    if metadata.keys() != known:
        raise RefusedError(f"its header must have exactly {', '.join(sorted(known))}")
    return metadata["class"]


def _named(path: Any) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be the name of a file; got {path!r}")
    return Path(path)
