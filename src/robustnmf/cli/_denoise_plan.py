"""Which files are to be denoised, and where everything goes: decided before any work."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from pathlib import Path

import click

from robustnmf._picture_files.names import KIND_OF, NPY, PNG, TIFF, kind_of
from robustnmf.cli.common import BadUsage, refuse_overwriting

_CLEAN = "-clean"
# What may be asked for beside the picture: how its file is named in a folder, and its formats.
EXTRAS = {
    "mask": ("-mask.png", (PNG, TIFF, NPY)),
    "noise": ("-noise.npy", (TIFF, NPY)),
    "compare": ("-compare.png", (PNG, "jpeg")),
}


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
    inputs: tuple[str, ...], out: Path | None, extras: dict[str, Path | None], *, force: bool
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
    force : bool
        Whether files may be replaced.
    """
    sources = _find(inputs)
    several = len(sources) > 1 or any(Path(text).is_dir() for text in inputs)
    stems = [source.stem for source in sources]
    jobs = []
    for source in sources:
        # Beside photo.png there may be a photo.tif, whose mask would have the same name.
        alone = stems.count(source.stem) == 1
        stem = source.stem if alone else source.name.replace(".", "-")
        named = {
            name: _in_folder(path, f"{stem}{EXTRAS[name][0]}", several)
            for name, path in extras.items()
            if path is not None
        }
        jobs.append(Job(source, _out(source, out, several), **named))
    _check(jobs, several, force=force)
    return jobs


def _find(inputs: tuple[str, ...]) -> list[Path]:
    found: dict[Path, None] = {}
    for text in inputs:
        path = Path(text)
        if path.is_dir():
            inside = sorted(file for file in path.iterdir() if file.suffix.lower() in KIND_OF)
            # What an earlier run left beside its pictures is not to be cleaned again.
            kept = [file for file in inside if not file.stem.endswith(_CLEAN)]
            if not kept:
                raise BadUsage(f"{text} holds no picture: {', '.join(KIND_OF)} are known")
            found |= dict.fromkeys(kept)
        elif path.is_file():
            found[path] = None
        elif glob.has_magic(text):
            # Where the shell does not, we look ourselves.
            matches = sorted(Path(name) for name in glob.glob(text) if Path(name).is_file())
            if not matches:
                raise BadUsage(f"no file is named like {text}: check the pattern")
            found |= dict.fromkeys(matches)
        else:
            raise BadUsage(f"{text} does not exist: check the name")
    return list(found)


def _out(source: Path, out: Path | None, several: bool) -> Path:
    if out is None:
        return source.with_name(f"{source.stem}{_CLEAN}{source.suffix}")
    return _in_folder(out, source.name, several)


def _in_folder(path: Path, name: str, several: bool) -> Path:
    """Return the file itself, or one in the folder that the path names."""
    if several or path.is_dir():
        return path / name
    return path


def _check(jobs: list[Job], several: bool, *, force: bool) -> None:
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
            _check_kind(job, option, path)
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


def _check_kind(job: Job, option: str, path: Path) -> None:
    try:
        kind = kind_of(path)
        if option == "out":
            allowed: tuple[str, ...] = (kind_of(job.source),)
        else:
            allowed = EXTRAS[option][1]
    except ValueError as error:
        # An input of an unknown kind fails by itself, so that the others are done.
        if option == "out" and path.suffix == job.source.suffix:
            return
        raise BadUsage(f"--{option}: {error}") from error
    if kind not in allowed:
        endings = ", ".join(suffix for suffix, name in KIND_OF.items() if name in allowed)
        raise BadUsage(f"--{option}: {_name(path)} must end in {endings}")


def _name(path: Path) -> str:
    return click.format_filename(path)
