"""A small table of results: pick rows, average over runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

Row = Mapping[str, Any]


class Series(NamedTuple):
    """One curve: its places, and over the runs at each the mean, the spread and the count."""

    x: list[float]
    mean: list[float]
    spread: list[float]
    counts: list[int]

    @property
    def error(self) -> list[float]:
        """Standard error of each mean; infinite where one run gives no spread."""
        return [
            s / math.sqrt(n) if n > 1 else math.inf
            for s, n in zip(self.spread, self.counts, strict=True)
        ]


class Table:
    """Rows of results, each a mapping from names to values.

    Parameters
    ----------
    rows : iterable of mappings
        The results. A row may lack a name; it then holds None there.

    Examples
    --------
    >>> table = Table([{"n": 10, "run": 0, "f1": 0.5}, {"n": 10, "run": 1, "f1": 0.7}])
    >>> table.where(run=1).values("f1")
    [0.7]
    >>> round(table.mean("f1"), 2)
    0.6
    """

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows = list(rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def where(self, **conditions: Any) -> Table:
        """Return the rows that hold these values; a tuple or list means any of its members."""
        return Table(row for row in self.rows if _fits(row, conditions))

    def values(self, name: str) -> list[Any]:
        """Return one column, without the rows that have nothing there."""
        return [row[name] for row in self.rows if row.get(name) is not None]

    def unique(self, name: str) -> list[Any]:
        """Return the different values of a column, in order."""
        return sorted(set(self.values(name)))

    def mean(self, name: str) -> float:
        """Return the mean of a column; NaN if it is empty."""
        values = self.values(name)
        return float(np.mean(values)) if values else math.nan

    def series(self, x: str, y: str) -> Series:
        """Return the mean and the spread of `y` over all rows with the same `x`."""
        places = self.unique(x)
        groups = [self.where(**{x: place}).values(y) for place in places]
        kept = [(place, group) for place, group in zip(places, groups, strict=True) if group]
        return Series(
            [place for place, _ in kept],
            [float(np.mean(group)) for _, group in kept],
            [float(np.std(group, ddof=1)) if len(group) > 1 else 0.0 for _, group in kept],
            [len(group) for _, group in kept],
        )


def _fits(row: Row, conditions: Mapping[str, Any]) -> bool:
    for name, wanted in conditions.items():
        value = row.get(name)
        if value not in wanted if isinstance(wanted, (tuple, list)) else value != wanted:
            return False
    return True
