"""What the cells of a column tell about the way its numbers are written."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from robustnmf._tables.styles import MARKS, taken_apart

POINTS = (".", ",")
OTHER = {".": ",", ",": "."}
_PLAIN = re.compile(r"(\d+)(?:([.,])(\d*))?", re.ASCII)


@dataclass(frozen=True)
class NotationSettings:
    """What settles how a column writes its numbers.

    No study chose them; tests/tables/test_styles.py says what they are to reach.
    """

    # So many factors of ten between the usual sizes of cells without a sign and cells with it, read
    # as decimals, say that it marks thousands.
    far: float = 1.5
    # So large a share of cells that can be read in one way only leaves no doubt.
    many: float = 0.2
    # So small a share of the cells may be mistyped.
    few: float = 0.05
    # More strange cells than this, and more than numbers, are words.
    words: int = 20
    # Rows that are looked at closely.
    rows: int = 2000


NOTATION = NotationSettings()


@dataclass
class Survey:
    """What the cells of a column tell about how its numbers are written.

    Attributes
    ----------
    decimals, groups, unclear : Counter of str
        Cells in which a sign can only stand before decimals, can only stand between groups of
        three digits, or can do either.
    units : Counter of str
        Currencies and percent signs; an empty text counts the cells without.
    first : dict
        The first cell of each kind, and its row.
    """

    decimals: Counter[str] = field(default_factory=Counter)
    groups: Counter[str] = field(default_factory=Counter)
    unclear: Counter[str] = field(default_factory=Counter)
    units: Counter[str] = field(default_factory=Counter)
    first: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    strange: int = 0
    small: int = 0
    large: int = 0
    log_small: float = 0.0
    log_unclear: dict[str, float] = field(default_factory=lambda: dict.fromkeys(POINTS, 0.0))

    @property
    def numbers(self) -> int:
        """How many cells are numbers in some way of writing."""
        return self.units.total()

    @property
    def settled(self) -> bool:
        """Whether so many cells can be read in one way only that no other could change it."""
        return self.decimals.total() > NOTATION.many * self.unclear.total()

    @property
    def hopeless(self) -> bool:
        """Whether the column holds words, so that no more need be looked at."""
        return self.strange > NOTATION.words and self.strange > self.numbers

    def add(self, cell: str, row: int) -> None:
        """Look at one more cell."""
        plain = _PLAIN.fullmatch(cell)
        if plain is not None:
            # Most cells of most files; the rest of this method would do the same, but slowly.
            whole, sign, rest = plain.groups()
            self._count("units", "", cell, row)
            if sign is None:
                self._add_whole(whole)
            elif len(rest) != 3 or len(whole) > 3 or whole[0] == "0":
                self._count("decimals", sign, cell, row)
            else:
                self._count("unclear", sign, cell, row)
                self.log_unclear[sign] += math.log10(int(whole + rest)) - 3
            return
        parts = taken_apart(cell)
        kind = None if parts is None else _kind(parts.core)
        if parts is None or kind is None:
            self.strange += 1
            return
        self._count("units", parts.unit, cell, row)
        for name, sign in kind:
            self._count(name, sign, cell, row)
            if name == "unclear":
                self.log_unclear[sign] += math.log10(float(parts.core.replace(",", ".")))
        if not kind:
            self._add_whole(parts.core.partition("e")[0].partition("E")[0])

    def add_plain(
        self,
        sign: str,
        values: NDArray[np.float64],
        decimals: NDArray[np.int64],
        unclear: NDArray[np.bool_],
        cell: Callable[[int], tuple[str, int]],
    ) -> None:
        """Look at many plain numbers, as `add` looks at each.

        Parameters
        ----------
        sign : {".", ","}
            What stands before their decimals.
        values : array
            The numbers, without their signs.
        decimals : int array
            How many each has; -1 without a sign.
        unclear : bool array
            Those whose decimals may be a group of three digits.
        cell : callable
            Given the place of one of them, returns its text and its row.
        """
        whole = decimals < 0
        kinds = {
            ("units", ""): np.ones(len(values), dtype=bool),
            ("unclear", sign): unclear,
            ("decimals", sign): ~whole & ~unclear,
        }
        for (name, key), which in kinds.items():
            if count := int(np.count_nonzero(which)):
                counter = getattr(self, name)
                if not counter[key]:
                    self.first[name, key] = cell(int(which.argmax()))
                counter[key] += count
        self.log_unclear[sign] += float(np.log10(values[unclear]).sum())
        small = values[whole & (values > 0) & (values < 1000)]
        self.small += len(small)
        self.log_small += float(np.log10(small).sum())
        self.large += int(np.count_nonzero(whole & (values >= 1000)))

    def _count(self, name: str, key: str, cell: str, row: int) -> None:
        counter = getattr(self, name)
        counter[key] += 1
        if counter[key] == 1:
            self.first[name, key] = cell, row

    def _add_whole(self, digits: str) -> None:
        # Longer ones than any number are identifiers.
        value = int(digits[:19])
        if value >= 1000:
            self.large += 1
        elif value:
            self.small += 1
            self.log_small += math.log10(value)

    def apart(self, sign: str) -> float | None:
        """By how many factors of ten whole numbers exceed those with a sign, read as decimals."""
        if not self.small or not self.unclear[sign]:
            return None
        return self.log_small / self.small - self.log_unclear[sign] / self.unclear[sign]

    def seems_grouped(self, sign: str) -> bool:
        """Whether cells with a sign fit the others only if it stands between thousands."""
        apart = self.apart(sign)
        return apart is not None and apart > NOTATION.far


def _kind(core: str) -> list[tuple[str, str]] | None:
    """Return what the signs in a number can be; None if they make no sense."""
    body, _, exponent = core.replace("E", "e").partition("e")
    marks = [c for c in body if not c.isdigit()]
    if not marks:
        return []
    blank = next((name for name in (" ", "'") if set(MARKS[name]) & set(marks)), None)
    last = marks[-1]
    if blank is not None:
        decimal = last if last in POINTS else ""
        known = [("groups", blank), *([("decimals", decimal)] if decimal else [])]
        return known if _is_grouped(body, blank, decimal) and not exponent else None
    if len(set(marks)) == 2:
        other = OTHER[last]
        return [("groups", other), ("decimals", last)] if _is_grouped(body, other, last) else None
    if len(marks) > 1:
        return [("groups", last)] if _is_grouped(body, last, "") else None
    if exponent or not _is_grouped(body, last, ""):
        return [("decimals", last)]
    return [("unclear", last)]


def _is_grouped(body: str, thousands: str, decimal: str) -> bool:
    mark = f"[{re.escape(MARKS[thousands])}]"
    end = rf"(?:{re.escape(decimal)}\d*)?" if decimal else ""
    return re.fullmatch(rf"[1-9]\d{{0,2}}(?:{mark}\d{{3}})+{end}", body) is not None
