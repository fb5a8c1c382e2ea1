"""Where results live: a journal to resume from, tables to read, and how they came about.

The journal is the only thing written while points run: one line each, with the version of the code
that computed it, so that a run that is stopped loses at most the points in work, and results of
another version are never taken for those of this one. Tables are written from it at the end.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robustnmf._common.files import written_whole
from robustnmf_studies.common.parallel import Point

# What a point yields: rows by table.
Rows = dict[str, list[dict[str, Any]]]


class Storage:
    """The folder of one study, created if it does not exist; one of other files is refused."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.numbers = folder / "numbers"
        self.figures = folder / "figures"
        self._journal = self.numbers / "journal.jsonl"
        self.about_file = self.numbers / "run.json"
        self._code: str | None = None

    @property
    def pictures(self) -> Path:
        """Where pictures go that points leave; those of each version of the code by themselves."""
        code = self._code or self.read_about().get("code", "")
        return self.numbers / "pictures" / str(code)

    def check(self) -> None:
        """Raise if results must not be written here."""
        if self.folder.exists() and not self.folder.is_dir():
            raise NotADirectoryError(f"{self.folder} is a file: give the name of a folder")
        if self.folder.is_dir() and any(self.folder.iterdir()) and not self.numbers.is_dir():
            raise FileExistsError(
                f"{self.folder} holds files that are not ours: give a new or an empty folder"
            )

    def open(self, header: dict[str, Any], code: str) -> None:
        """Make the folders, or see that what is in them was made in the same way.

        Parameters
        ----------
        header : dict
            What all points share. A journal of another header is refused, since its points
            cannot be mixed with new ones.
        code : str
            The version of the code. Points of another one are kept, but neither counted nor read.
        """
        self.check()
        self._code = code
        for folder in (self.numbers, self.figures, self.pictures):
            folder.mkdir(parents=True, exist_ok=True)
        lines = self._lines()
        if not lines:
            self._journal.write_text(json.dumps({"header": header}) + "\n", encoding="utf-8")
            return
        before = lines[0].get("header", {})
        for name, value in header.items():
            if value != before.get(name):
                raise ValueError(
                    f"{self.folder} holds results of another {name} ({before.get(name)}, now "
                    f"{value}): start a new folder with --out, or remove this one"
                )

    def done(self) -> set[str]:
        """Return the keys of the points that this version of the code has finished."""
        return {line["key"] for line in self._points()}

    def stale(self) -> set[str]:
        """Return the keys of the points that only other versions of the code have finished."""
        return {line["key"] for line in self._lines() if "key" in line} - self.done()

    def add(self, point: Point, rows: Rows) -> None:
        """Write down a finished point."""
        line = json.dumps({"key": point.key, "code": self._code, "tables": rows}, allow_nan=False)
        with self._journal.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())

    def write_tables(self) -> None:
        """Write the points of this version of the code as CSV files, one for each table."""
        tables: Rows = {}
        for line in self._points():
            for name, rows in line["tables"].items():
                tables.setdefault(name, []).extend(rows)
        for file in self.numbers.glob("*.csv"):
            # What an older version wrote, and this one has not, must not be read with the rest.
            if not tables.get(file.stem):
                file.unlink()
        for name, rows in tables.items():
            if rows:
                with written_whole(self.numbers / f"{name}.csv") as temporary:
                    # As objects, so that whole numbers stay whole beside cells without a value.
                    pd.DataFrame(rows, dtype=object).to_csv(temporary, index=False)

    def read_tables(self) -> dict[str, pd.DataFrame]:
        """Read the CSV files back."""
        files = sorted(self.numbers.glob("*.csv"))
        if not files:
            raise FileNotFoundError(
                f"no numbers in {self.folder}: run without --plots-only first, or correct --out"
            )
        # Only an empty cell is missing: "none" and its kin are names. Python's own engine reads
        # every digit of a number, in all versions of pandas.
        return {
            file.stem: pd.read_csv(file, keep_default_na=False, na_values=[""], engine="python")
            for file in files
        }

    def read_pictures(self) -> dict[str, dict[str, NDArray[np.uint8]]]:
        """Read the denoised pictures: by name, then by ``method/mode``."""
        found = {}
        for file in sorted(self.pictures.glob("*.npz")):
            with np.load(file, allow_pickle=False) as arrays:
                found[file.stem] = {name: arrays[name] for name in arrays}
        return found

    def read_about(self) -> dict[str, Any]:
        """Read how the numbers came about."""
        found: dict[str, Any] = {}
        if self.about_file.exists():
            found = json.loads(self.about_file.read_text(encoding="utf-8"))
        return found

    def _points(self) -> list[dict[str, Any]]:
        found = {
            line["key"]: line
            for line in self._lines()
            if "key" in line and line.get("code") == self._code
        }
        return list(found.values())

    def _lines(self) -> list[dict[str, Any]]:
        if not self._journal.exists():
            return []
        text = self._journal.read_text(encoding="utf-8")
        whole, _, rest = text.rpartition("\n")
        if rest:
            # A run that was killed while writing left half a line; its point runs again.
            write_text(self._journal, f"{whole}\n" if whole else "")
        return [json.loads(line) for line in whole.splitlines()]


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file; a reader never sees half of it."""
    with written_whole(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: str | os.PathLike[str], value: Any) -> None:
    """Write a file for programs to read."""
    write_text(path, json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def save_pictures(path: Path, pictures: dict[str, NDArray[np.uint8]]) -> None:
    """Write the denoised versions of one picture as an ``.npz`` file."""
    with written_whole(path) as temporary:
        np.savez_compressed(temporary, **pictures)  # type: ignore[arg-type]


def fingerprint(images: NDArray[np.uint8]) -> str:
    """Return a short name of the data themselves, whatever file they came from."""
    digest = hashlib.sha256(np.ascontiguousarray(images).tobytes())
    digest.update(repr(images.shape).encode())
    return digest.hexdigest()[:16]
