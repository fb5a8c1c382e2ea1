"""Which files are to be denoised, and where everything goes: decided before any work."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import click

from robustnmf._picture_files.names import KIND_OF, NPY, PNG, STACK_KIND_OF, TIFF, ZARR, kind_of
from robustnmf._tables.registry import format_named
from robustnmf.cli.common import BadUsage, refuse_overwriting

_CLEAN = "-clean"


class Ways(NamedTuple):
    """Which files there may be."""

    kinds: Mapping[str, str]
    """Formats by the suffix of what is to be cleaned."""
    extras: Mapping[str, tuple[str, tuple[str, ...]]]
    """What may be asked for beside it: how its file is named in a folder, and its formats."""


_BESIDE = {"noise": ("-noise.npy", (TIFF, NPY)), "compare": ("-compare.png", (PNG, "jpeg"))}
PICTURES = Ways(KIND_OF, {"mask": ("-mask.png", (PNG, TIFF, NPY)), **_BESIDE})
# A mask for each picture of a stack.
STACKS = Ways(STACK_KIND_OF, {"mask": ("-mask.tif", (TIFF, NPY)), **_BESIDE})
EXTRAS = tuple(PICTURES.extras)


@dataclass(frozen=True)
class Job:
    """One picture file.

    Attributes
    ----------
    source, out : Path
        The file to read and the one to write.
    mask, noise, compare : Path or None
        What else to write.
    """

    source: Path
    out: Path
    mask: Path | None = None
    noise: Path | None = None
    compare: Path | None = None

    @property
    def written(self) -> dict[str, Path]:
        """All files to write, by option."""
        named = {"out": self.out, "mask": self.mask, "noise": self.noise, "compare": self.compare}
        return {name: path for name, path in named.items() if path is not None}


def make_plan(
    inputs: tuple[str, ...],
    out: Path | None,
    extras: dict[str, Path | None],
    ways: Ways,
    *,
    force: bool,
) -> list[Job]:
    """Find the files and name the outputs; raise a usage error for what could not be done.

    Parameters
    ----------
    inputs : tuple of str
        Files, folders and patterns such as ``*.png``.
    out : Path or None
        A file, or a folder; by default beside each file.
    extras : dict of Path or None
        By the names of `EXTRAS`: a file, or a folder.
    ways : Ways
        `PICTURES`, or `STACKS`.
    force : bool
        Whether files may be replaced.
    """
    sources = _find(inputs, ways)
    several = len(sources) > 1 or any(_is_folder(Path(text), ways) for text in inputs)
    stems = [source.stem for source in sources]
    jobs = []
    for source in sources:
        # Beside photo.png there may be a photo.tif, whose mask would have the same name.
        alone = stems.count(source.stem) == 1
        stem = source.stem if alone else source.name.replace(".", "-")
        named = {
            name: _in_folder(path, f"{stem}{ways.extras[name][0]}", several, ways)
            for name, path in extras.items()
            if path is not None
        }
        jobs.append(Job(source, _out(source, out, several, ways), **named))
    _check(jobs, several, ways, force=force)
    return jobs


def _find(inputs: tuple[str, ...], ways: Ways) -> list[Path]:
    found: dict[Path, None] = {}
    for text in inputs:
        path = Path(text)
        if _is_folder(path, ways):
            inside = sorted(file for file in path.iterdir() if file.suffix.lower() in ways.kinds)
            # What an earlier run left beside its pictures is not to be cleaned again.
            kept = [file for file in inside if not file.stem.endswith(_CLEAN)]
            if not kept:
                raise BadUsage(f"{text} holds no picture: {', '.join(ways.kinds)} are known")
            found |= dict.fromkeys(kept)
        elif path.exists():
            found[path] = None
        elif glob.has_magic(text):
            # Where the shell does not, we look ourselves.
            names = map(Path, glob.glob(text))
            matches = sorted(name for name in names if not _is_folder(name, ways))
            if not matches:
                raise BadUsage(f"no file is named like {text}: check the pattern")
            found |= dict.fromkeys(matches)
        else:
            raise BadUsage(f"{text} does not exist: check the name")
    return list(found)


def _is_folder(path: Path, ways: Ways) -> bool:
    """Whether this is a folder of files, and not one with a Zarr store."""
    return path.is_dir() and ways.kinds.get(path.suffix.lower()) != ZARR


def _out(source: Path, out: Path | None, several: bool, ways: Ways) -> Path:
    if out is None:
        return source.with_name(f"{source.stem}{_CLEAN}{source.suffix}")
    return _in_folder(out, source.name, several, ways)


def _in_folder(path: Path, name: str, several: bool, ways: Ways) -> Path:
    """Return the file itself, or one in the folder that the path names."""
    if several or _is_folder(path, ways):
        return path / name
    return path


def _check(jobs: list[Job], several: bool, ways: Ways, *, force: bool) -> None:
    taken: dict[Path, tuple[str, Path]] = {}
    sources = {job.source.resolve() for job in jobs}
    for job in jobs:
        for option, path in job.written.items():
            if several and path.parent.is_file():
                name = _name(path.parent)
                raise BadUsage(f"--{option}: {name} is a file, and several pictures go to a folder")
            # A folder for several pictures may be a new one.
            if not several or path.parent.exists():
                refuse_overwriting(path, f"--{option}", force=force)
            elif not path.parent.resolve().parent.is_dir():
                raise BadUsage(f"--{option}: {_name(path.parent)} cannot be made: no folder there")
            _check_kind(job, option, path, ways)
            before, source = taken.setdefault(path.resolve(), (option, job.source))
            if (before, source) != (option, job.source):
                both = (
                    f"from {_name(source)} and from {_name(job.source)}: use a folder for each"
                    if source != job.source
                    else f"by --{before} and by --{option}: name two files"
                )
                raise BadUsage(f"--{option}: {_name(path)} would be written twice, {both}")
            # A picture may be replaced by its own clean one alone, and only by its own name.
            if path.resolve() in sources and not (option == "out" and path == job.source):
                raise BadUsage(f"--{option}: {_name(path)} is one of the pictures to clean")


def _check_kind(job: Job, option: str, path: Path, ways: Ways) -> None:
    try:
        if option == "out":
            kind = kind_of(path, ways.kinds)
            allowed: tuple[str, ...] = (kind_of(job.source, ways.kinds),)
        else:
            kind, allowed = kind_of(path), ways.extras[option][1]
    except ValueError as error:
        # An input of an unknown kind fails by itself, so that the others are done.
        if option == "out" and path.suffix == job.source.suffix:
            return
        raise BadUsage(f"--{option}: {error}") from error
    if kind not in allowed:
        known = KIND_OF | STACK_KIND_OF
        endings = ", ".join(suffix for suffix, name in known.items() if name in allowed)
        raise BadUsage(f"--{option}: {_name(path)} must end in {endings}")
    if option == "out" and kind == ZARR:
        _guard_store(job, path)


def _guard_store(job: Job, path: Path) -> None:
    """Raise if a store could not be written without harm to what is there."""
    if path.is_file():
        raise BadUsage(f"--out: {_name(path)} is a file, and a Zarr store is a folder")
    if path.is_dir():
        inside = {file.name for file in path.iterdir()}
        if inside and inside.isdisjoint(format_named("zarr").store):
            raise BadUsage(f"--out: {_name(path)} is a folder of other things: name a new one")
    source, target = job.source.resolve(), path.resolve()
    if source in target.parents or target in source.parents:
        raise BadUsage(f"--out: {_name(path)} and {_name(job.source)} lie one in the other")


def _name(path: Path) -> str:
    return click.format_filename(path)
