"""Places: one data set, one kind and share of corruption, one number of samples; all its runs."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any, NamedTuple

import pandas as pd

from robustnmf_studies.beyond.methods import AUTO, ORACLE
from robustnmf_studies.beyond.settings import CORRUPTION_NAMES, NONE, SET_NAMES
from robustnmf_studies.common.frames import mean_of, pick, values_of


class Place(NamedTuple):
    """Where methods are compared, and the rows of all methods and runs there."""

    data: str
    n: int
    corruption: str
    amount: int | float
    rows: pd.DataFrame

    def mean(self, method: str, measure: str) -> float:
        """Return the mean of a measure over the runs of a method."""
        return mean_of(pick(self.rows, method=method), measure)

    def fits(self, method: str) -> float:
        """Return the time of a method in fits at λ = 0.04, in the middle of the runs."""
        # A machine that is busy for a moment makes single runs far too long.
        return median(values_of(pick(self.rows, method=method), "relative"))

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return len(pick(self.rows, method=AUTO))

    @property
    def gap(self) -> float:
        """By how much F1 stays below the best threshold on the oracle's residual."""
        return self.mean(ORACLE, "f1") - self.mean(AUTO, "f1")

    @property
    def words(self) -> str:
        """Name for readers."""
        return f"{SET_NAMES[self.data]}, n = {self.n:g}, {self.noise}"

    @property
    def noise(self) -> str:
        """The corruption, for readers."""
        kind = CORRUPTION_NAMES[self.corruption]
        return kind if self.corruption == NONE else f"{kind} {amount_words(self.amount)}"


def amount_words(amount: int | float) -> str:
    """Write an amount: a share in percent, or a number of entries.

    Examples
    --------
    >>> amount_words(0.1), amount_words(50)
    ('10 %', '50 px')
    """
    return f"{100 * amount:g} %" if amount < 1 else f"{amount:g} px"


def places(table: pd.DataFrame, **conditions: Any) -> Iterator[Place]:
    """Yield the places of a table, in the order in which they were planned.

    Parameters
    ----------
    table : pd.DataFrame
        The rows of ``detect``.
    **conditions
        As for `Table.where`.
    """
    found = pick(table, **conditions)
    if len(found):
        groups = dict(iter(found.groupby(["data", "n", "corruption", "amount"])))
        for data, n, corruption, amount in sorted(groups, key=_rank):
            rows = groups[data, n, corruption, amount]
            yield Place(data, n, corruption, amount, rows)


def _rank(key: tuple[str, int, str, int | float]) -> tuple[float, ...]:
    data, n, corruption, amount = key
    return (
        list(SET_NAMES).index(data),
        list(CORRUPTION_NAMES).index(corruption),
        n,
        # Pixels come before shares.
        amount < 1,
        amount,
    )


def corrupt_places(table: pd.DataFrame, **conditions: Any) -> list[Place]:
    """Return the places at which something is wrong with the data."""
    return [place for place in places(table, **conditions) if place.corruption != NONE]
