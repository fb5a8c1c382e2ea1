"""Rows of numbers, grouped and averaged."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pandas as pd

from robustnmf_studies.common.frames import mean_of, values_of

NONE = "–"


def grouped(table: pd.DataFrame, *names: str) -> dict[tuple[Any, ...], pd.DataFrame]:
    """Return the rows by the values they hold in some columns, in the order they come.

    Examples
    --------
    >>> groups = grouped(pd.DataFrame({"a": [1, 1, 0], "x": [2, 4, 1]}), "a")
    >>> {key: mean_of(rows, "x") for key, rows in groups.items()}
    {(1,): 3.0, (0,): 1.0}
    """
    if not set(names) <= set(table.columns):
        return {}
    return dict(iter(table.groupby(list(names), sort=False)))


def by_method(table: pd.DataFrame, measure: str) -> dict[str, float]:
    """Return each method's mean of a measure; those without any are left out."""
    means = {key[0]: mean_of(rows, measure) for key, rows in grouped(table, "method").items()}
    return {name: mean for name, mean in means.items() if not math.isnan(mean)}


def left(table: pd.DataFrame) -> float:
    """Return the error left after cleaning relative to that before, over all rows together."""
    before = sum(values_of(table, "before"))
    return sum(values_of(table, "after")) / before if before > 0 else math.nan


def share(truths: Iterable[Any]) -> float:
    """Return the share of what is true; NaN of nothing."""
    found = [bool(truth) for truth in truths]
    return sum(found) / len(found) if found else math.nan


def best_of(means: dict[str, float], names: Iterable[str]) -> tuple[str, float] | None:
    """Return who of some has the highest figure, and the figure; None if nobody has one."""
    there = [(means[name], name) for name in names if name in means]
    if not there:
        return None
    figure, name = max(there)
    return name, figure


def words(value: float | None, form: str) -> str:
    """Return a number in words; a dash where there is none."""
    return NONE if value is None or math.isnan(value) else format(value, form)


def percent(value: float | None, digits: int = 1) -> str:
    """Return a share in percent; a dash where there is none."""
    return NONE if value is None or math.isnan(value) else f"{100 * value:.{digits}f} %"
