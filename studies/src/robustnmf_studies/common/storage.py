"""Where results live: a journal to resume from, tables to read, and how they came about.

The journal is the only thing written while points run: one line each, so that a run that is
stopped loses at most the points in work. Tables are written from it at the end.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.files import written_whole
from robustnmf_studies.common.points import Unit
from robustnmf_studies.common.table import Table

_SAME = "start a new folder with --out, or remove this one"


class Storage:
    """The folder of one reproduction.

    Parameters
    ----------
    folder : Path
        Created if it does not exist. One that holds other files is refused.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.numbers = folder / "numbers"
        self.figures = folder / "figures"
        self.pictures = self.numbers / "pictures"
        self._journal = self.numbers / "journal.jsonl"
        self._about = self.numbers / "run.json"

    def check(self) -> None:
        """Raise if results must not be written here."""
        if self.folder.exists() and not self.folder.is_dir():
            raise NotADirectoryError(f"{self.folder} is a file: give the name of a folder")
        if self.folder.is_dir() and any(self.folder.iterdir()) and not self.numbers.is_dir():
            raise FileExistsError(
                f"{self.folder} holds files that are not ours: give a new or an empty folder"
            )

    def open(self, header: dict[str, Any]) -> None:
        """Make the folders, or see that what is in them was made in the same way.

        Parameters
        ----------
        header : dict
            What all points share. A journal of another header is refused, since its points
            cannot be mixed with new ones.
        """
        self.check()
        for folder in (self.numbers, self.figures, self.pictures):
            folder.mkdir(parents=True, exist_ok=True)
        lines = self._lines()
        if not lines:
            self._journal.write_text(json.dumps({"header": header}) + "\n", encoding="utf-8")
            return
        before = lines[0].get("header", {})
        differ = [name for name in header if header[name] != before.get(name)]
        if differ:
            name = differ[0]
            raise ValueError(
                f"{self.folder} holds results of another {name} "
                f"({before.get(name)}, now {header[name]}): {_SAME}"
            )

    def done(self) -> set[str]:
        """Return the keys of the points that are finished."""
        return {line["key"] for line in self._lines() if "key" in line}

    def add(self, point: Unit, tables: dict[str, list[dict[str, Any]]]) -> None:
        """Write down a finished point."""
        line = json.dumps({"key": point.key, "tables": tables}, allow_nan=False)
        with self._journal.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())

    def write_tables(self) -> None:
        """Write all points of the journal as CSV files, one for each table."""
        tables: dict[str, list[dict[str, Any]]] = {}
        for line in self._lines():
            for name, rows in line.get("tables", {}).items():
                tables.setdefault(name, []).extend(rows)
        for name, rows in tables.items():
            if rows:
                _write_csv(self.numbers / f"{name}.csv", rows)

    def read_tables(self) -> dict[str, Table]:
        """Read the CSV files back; what they do not hold is an empty table."""
        files = sorted(self.numbers.glob("*.csv"))
        if not files:
            raise FileNotFoundError(
                f"no numbers in {self.folder}: run without --plots-only first, or correct --out"
            )
        return {file.stem: _read_csv(file) for file in files}

    def read_pictures(self) -> dict[str, dict[str, NDArray[np.uint8]]]:
        """Read the denoised pictures: by name, then by ``method/mode``."""
        found = {}
        for file in sorted(self.pictures.glob("*.npz")):
            with np.load(file, allow_pickle=False) as arrays:
                found[file.stem] = {name: arrays[name] for name in arrays}
        return found

    def write_about(self, about: dict[str, Any]) -> None:
        """Write how the numbers came about."""
        _write_json(self._about, about)

    def read_about(self) -> dict[str, Any]:
        """Read how the numbers came about."""
        if not self._about.exists():
            return {}
        found: dict[str, Any] = json.loads(self._about.read_text(encoding="utf-8"))
        return found

    def write_claims(self, claims: Any) -> None:
        """Write the table of claims for programs to read."""
        _write_json(self.numbers / "claims.json", claims)

    def write_text(self, name: str, text: str) -> Path:
        """Write a text file into the folder itself."""
        path = self.folder / name
        with written_whole(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
        return path

    def _lines(self) -> list[dict[str, Any]]:
        if not self._journal.exists():
            return []
        text = self._journal.read_text(encoding="utf-8")
        whole, _, rest = text.rpartition("\n")
        if rest:
            # A run that was killed while writing left half a line; its point runs again.
            with written_whole(self._journal) as temporary:
                temporary.write_text(f"{whole}\n" if whole else "", encoding="utf-8")
        return [json.loads(line) for line in whole.splitlines()]


def save_pictures(path: Path, pictures: dict[str, NDArray[np.uint8]]) -> None:
    """Write the denoised versions of one picture as an ``.npz`` file."""
    with written_whole(path) as temporary:
        np.savez_compressed(temporary, **pictures)  # type: ignore[arg-type]


def fingerprint(images: NDArray[np.uint8]) -> str:
    """Return a short name of the data themselves, whatever file they came from."""
    digest = hashlib.sha256(np.ascontiguousarray(images).tobytes())
    digest.update(repr(images.shape).encode())
    return digest.hexdigest()[:16]


def _write_json(path: Path, value: Any) -> None:
    with written_whole(path) as temporary:
        temporary.write_text(
            json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False) + "\n",
            encoding="utf-8",
        )


def _write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with (
        written_whole(path) as temporary,
        temporary.open("w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)


def _read_csv(path: Path) -> Table:
    with path.open(newline="", encoding="utf-8") as file:
        return Table({name: _value(text) for name, text in row.items()} for row in _rows(file))


def _rows(file: Iterable[str]) -> list[dict[str, str]]:
    return list(csv.DictReader(file))


def _value(text: str) -> Any:
    """Turn a cell back into what was written."""
    if text == "":
        return None
    if text in ("True", "False"):
        return text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
