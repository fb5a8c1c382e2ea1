"""Tables of results: pandas frames, and the few questions that all studies ask of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

# The results of a study: by the name of the table, a row for each measurement.
Numbers = Mapping[str, pd.DataFrame]
Record = dict[str, Any]


def table_of(numbers: Numbers, name: str) -> pd.DataFrame:
    """Return a table by name; an empty one where this run has none."""
    return numbers.get(name, pd.DataFrame())


def pick(frame: pd.DataFrame, **conditions: Any) -> pd.DataFrame:
    """Return the rows that hold these values.

    Parameters
    ----------
    frame : DataFrame
        Any; a column that it lacks holds nothing.
    **conditions
        By column, a value, None for a missing one, or a tuple or list of which any will do.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> frame = pd.DataFrame({"n": [10, 20, 30], "f1": [0.5, None, 0.7]})
    >>> pick(frame, n=(20, 30))["n"].tolist()
    [20, 30]
    >>> pick(frame, f1=None)["n"].tolist()
    [20]
    """
    keep = np.ones(len(frame), dtype=bool)
    for name, wanted in conditions.items():
        if name not in frame:
            keep &= wanted is None
        elif wanted is None:
            keep &= frame[name].isna().to_numpy()
        elif isinstance(wanted, (tuple, list)):
            keep &= frame[name].isin(wanted).to_numpy()
        else:
            keep &= (frame[name] == wanted).to_numpy(dtype=bool, na_value=False)
    return frame[keep]


def values_of(frame: pd.DataFrame, name: str) -> list[Any]:
    """Return one column as a list, without the rows that have nothing there."""
    return frame[name].dropna().tolist() if name in frame else []


def unique_of(frame: pd.DataFrame, name: str) -> list[Any]:
    """Return the different values of a column, in order."""
    return sorted(set(values_of(frame, name)))


def mean_of(frame: pd.DataFrame, name: str) -> float:
    """Return the mean of a column over the rows that have something there; NaN for none."""
    found = values_of(frame, name)
    return math.fsum(found) / len(found) if found else math.nan


def means(frame: pd.DataFrame, x: str, y: str) -> pd.Series:
    """Return the mean of `y` at each `x`; empty where the frame lacks one of them.

    Examples
    --------
    >>> means(pd.DataFrame({"n": [20, 10, 10], "f1": [1.0, 0.25, 0.75]}), "n", "f1").to_dict()
    {10: 0.5, 20: 1.0}
    """
    if x not in frame or y not in frame:
        return pd.Series(dtype=float)
    return frame.dropna(subset=[y]).groupby(x)[y].mean()


def groups(frame: pd.DataFrame, by: str) -> Iterable[tuple[Any, pd.DataFrame]]:
    """Return each value of a column with its rows; nothing where the frame lacks it."""
    return frame.groupby(by) if by in frame else ()


def records(frame: pd.DataFrame) -> list[Record]:
    """Return the rows as mappings, None where nothing is.

    Examples
    --------
    >>> records(pd.DataFrame({"a": [1.5, None]}))
    [{'a': 1.5}, {'a': None}]
    """
    found: list[Record] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return found


class Curve(NamedTuple):
    """Along x, over the runs at each x: the mean of y, its spread and the count."""

    x: list[float]
    mean: list[float]
    spread: list[float]
    counts: list[int]

    @property
    def error(self) -> list[float]:
        """Standard error of each mean; infinite where one run gives no spread."""
        pairs = zip(self.spread, self.counts, strict=True)
        return [spread / math.sqrt(n) if n > 1 else math.inf for spread, n in pairs]


def curve_of(frame: pd.DataFrame, x: str, y: str) -> Curve:
    """Return the mean and the spread of `y` over all rows with the same `x`.

    Examples
    --------
    >>> curve_of(pd.DataFrame({"n": [20, 10, 10], "f1": [1.0, 0.25, 0.75]}), "n", "f1").mean
    [0.5, 1.0]
    """
    if x not in frame or y not in frame:
        return Curve([], [], [], [])
    found = frame.dropna(subset=[x, y]).groupby(x)[y].agg(["mean", "std", "count"])
    return Curve(
        found.index.tolist(),
        found["mean"].astype(float).tolist(),
        # One run has no spread.
        found["std"].astype(float).fillna(0.0).tolist(),
        found["count"].tolist(),
    )


def text_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]] = ()
) -> pd.DataFrame:
    """Return a table of words; terminal, report and documentation print the same.

    Its title is kept in ``attrs["title"]``; the same heading may stand twice.
    """
    frame = pd.DataFrame([tuple(row) for row in rows], columns=list(columns), dtype=object)
    frame.attrs["title"] = title
    return frame


def rows_of(table: pd.DataFrame) -> list[tuple[str, ...]]:
    """Return the rows of a table of words."""
    return list(table.itertuples(index=False, name=None))


def to_markdown(table: pd.DataFrame) -> str:
    r"""Write a table of words for the documentation, without its title.

    Columns are not padded to one width, as ``DataFrame.to_markdown`` would: one long sentence
    would blow up every line, and one changed figure would change them all.

    Examples
    --------
    >>> print(to_markdown(text_table("t", ("a", "b"), [("1", "2|3")])))
    | a | b |
    |---|---|
    | 1 | 2\|3 |
    """
    lines = [
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |"
        for line in (tuple(table.columns), *rows_of(table))
    ]
    return "\n".join([lines[0], "|" + "---|" * table.shape[1], *lines[1:]])
