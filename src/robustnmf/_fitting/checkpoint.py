"""The state of a fit in a folder, from which the same fit goes on after it was broken off.

A fit is some runs of the loop, one after the other, and what is between them is short or depends on
them alone. So each run has a file of its own, which is replaced in one step every so often and when
the run has ended. A second fit of the same data makes the same runs: one that has ended is not
repeated, one that was broken off goes on, all else is computed anew.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from robustnmf._core.engine import Engine
from robustnmf._core.loop import Keeper, Solver, State, Trace
from robustnmf._fitting.stored_state import FiniteRows, Same, state_fields
from robustnmf._saving import RefusedError
from robustnmf._saving.container import stored_arrays, strict_json
from robustnmf._saving.files import Opened, opened, unpacked, write_content
from robustnmf._saving.refusal import DAMAGED, refused, shown

KIND = "checkpoint"
SUFFIX = ".robustnmf"
# To write takes no more than this share of the time, however large the state is.
MOST_TIME = 0.05
# Files that were being written when somebody pulled the plug.
_HALF_WRITTEN = re.compile(r"\.[a-z0-9-]+-[0-9a-f]{8}" + re.escape(SUFFIX))


class Checkpoint:
    """A folder of states, one for each run of a fit.

    Parameters
    ----------
    folder : Path
        It need not exist, and holds nothing else.
    every : float
        Seconds from one writing to the next.
    request : dict
        What the fit is to do, in words and numbers: states of any other are refused.
    """

    def __init__(self, folder: Path, every: float, request: Mapping[str, Any]) -> None:
        self._folder, self._every, self._request = folder, every, dict(request)
        check_folder(folder)
        for path in _files(folder):
            if _HALF_WRITTEN.fullmatch(path.name):
                path.unlink(missing_ok=True)
            else:
                with self._opened(path) as found:
                    _check_request(found, self._request)
                    # All of it, before any work.
                    stored_arrays(found.file, found.header)
        self._due = time.perf_counter() + every
        self._names: list[str] = []
        with self._told("make the folder", folder):
            folder.mkdir(exist_ok=True)

    def keeper(self, data: Engine, name: str) -> Keeper:
        """Return what keeps the next run, on these data; a fit names its runs alike each time."""
        self._names.append(name)
        count = self._names.count(name)
        return _Run(self, data, name if count == 1 else f"{name} again {count}")

    def remove(self) -> None:
        """Remove the folder: the fit is done."""
        for path in _files(self._folder):
            path.unlink(missing_ok=True)
        # Somebody else may have put something there.
        with suppress(OSError):
            self._folder.rmdir()

    @property
    def due(self) -> bool:
        """Whether to write now."""
        return time.perf_counter() >= self._due

    def write(self, name: str, data: Engine, state: State, trace: Trace) -> None:
        """Replace the state of a run."""
        began = time.perf_counter()
        path = self._path(name)
        with self._told("write", path):
            self._folder.mkdir(exist_ok=True)
            tensors: dict[str, Any] = {}
            parts = {"request": self._request, "run": name, "trace": trace, **state._asdict()}
            content = state_fields(self._request, state, data).pack(parts, "", tensors)
            write_content(path, KIND, content, tensors)
        now = time.perf_counter()
        self._due = now + max(self._every, (now - began) / MOST_TIME)

    def read(self, name: str, data: Engine, solver: Solver) -> Trace | None:
        """Bring a solver to where the run was broken off; None if nothing is known of it."""
        path = self._path(name)
        if not path.exists():
            return None
        with self._opened(path) as found:
            _check_request(found, self._request)
            arrays = stored_arrays(found.file, found.header)
            tensors: dict[str, Any] = {
                key: array if key.startswith("rows.") else array[:] for key, array in arrays.items()
            }
            parts = unpacked(
                state_fields(self._request, solver.state(), data), _content(found), tensors
            )
            if parts["run"] != name:
                raise refused("run", f"must be {name!r}", parts["run"])
            rows = {key: data.keep(FiniteRows(key, A)) for key, A in parts["rows"].items()}
            solver.resume(State(rows, parts["arrays"], parts["numbers"]))
        trace: Trace = parts["trace"]
        return trace

    def _path(self, name: str) -> Path:
        return self._folder / (re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") + SUFFIX)

    @contextmanager
    def _opened(self, path: Path) -> Iterator[Opened]:
        """Open a file; refusals say what to do."""
        try:
            with opened(path) as found:
                if found.kind != KIND:
                    raise RefusedError(f"it holds a {shown(found.kind)}, which is no checkpoint")
                yield found
        except ValueError as why:
            reason = str(why).replace(f": {DAMAGED}", "")
            raise ValueError(
                f"checkpoint: {reason}; nothing was changed. Give the data and parameters that "
                f"{self._folder} was begun with, or remove that folder to begin anew"
            ) from None

    @contextmanager
    def _told(self, what: str, path: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OSError(
                error.errno,
                f"checkpoint: cannot {what} {path}: {error.strerror or error}; what was there "
                "before is as it was. Put that right and fit again, to go on from there",
            ) from error


class _Run:
    """Keeps one run."""

    def __init__(self, checkpoint: Checkpoint, data: Engine, name: str) -> None:
        self._checkpoint, self._data, self._name = checkpoint, data, name
        self._last: tuple[State, Trace] | None = None

    def resumed(self, solver: Solver) -> Trace | None:
        """Go on with an earlier run, if there is one."""
        return self._checkpoint.read(self._name, self._data, solver)

    def stepped(self, solver: Solver, trace: Trace) -> None:
        """Write, if it is time."""
        # What the next step writes over cannot be written while that goes on.
        self._last = None if solver.overwrites else (solver.state(), trace.copy())
        if self._checkpoint.due:
            self._write(solver.state(), trace)

    def ended(self, solver: Solver, trace: Trace) -> None:
        """Write in any case."""
        self._write(solver.state(), trace)

    def broken(self) -> None:
        """Write the last whole step, if that can be done."""
        if self._last is not None:
            # Whoever waits wants to hear what broke the run.
            with suppress(OSError):
                self._write(*self._last)

    def _write(self, state: State, trace: Trace) -> None:
        self._checkpoint.write(self._name, self._data, state, trace)
        self._last = None


def check_folder(folder: Path) -> None:
    """Refuse what cannot be the folder of a checkpoint, before any work."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(
            f"checkpoint: {folder} is a file, and a checkpoint is a folder: name another"
        )
    if not folder.resolve().parent.is_dir():
        raise FileNotFoundError(f"checkpoint: there is no folder {folder.parent} to make it in")
    if folder.is_dir():
        for path in folder.iterdir():
            if path.suffix != SUFFIX or not path.is_file():
                raise ValueError(
                    f"checkpoint: {folder} holds {path.name}, which is no part of a checkpoint; "
                    "name a folder that is empty or does not exist"
                )


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else []


def _content(found: Opened) -> Any:
    return strict_json(found.header.metadata["content"].encode("utf-8", "surrogatepass"), "it")


def _check_request(found: Opened, request: Mapping[str, Any]) -> None:
    content = _content(found)
    Same(request).unpack(content.get("request") if isinstance(content, dict) else None, "", None)
