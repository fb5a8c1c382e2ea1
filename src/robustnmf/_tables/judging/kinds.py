"""What kind of thing a column holds, and so whether its cells can be judged at all.

A code, a counter, a date or a yes and no is not a quantity: no mixture of the other columns says
what it should be, and to "repair" one is to destroy it. Such columns are left alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from robustnmf._common.arrays import Array


@dataclass(frozen=True)
class KindSettings:
    """When a column holds no measurements.

    Chosen on the first edition of the study of trust (``robustnmf reproduce trust-tuning``).
    """

    # Fewer known values than this tell nothing of a column.
    few_values: int = 12
    # A value that so large a share of the cells have says that the rest are exceptions, not a
    # quantity.
    usual_share: float = 0.5
    # Up to so many different whole numbers (or others) are codes, steps of a scale, or answers, if
    # they lie within this span; a few may be any numbers.
    most_codes: int = 12
    most_steps: int = 6
    code_span: int = 20
    few_codes: int = 4
    # Values that turn up only once may be errors among codes: the others have to be this share.
    coded_share: float = 0.85
    # What lies so many times as far from the codes as they are wide is none of them, if there are
    # few such cells.
    stray_distance: float = 10.0
    stray_share: float = 0.05
    # So large a share of equal steps from row to row makes a counter.
    counted_share: float = 0.8
    # So large a share of numbers that read as days makes dates.
    dated_share: float = 0.9


KIND = KindSettings()

_WORDS = (
    "id|ids|uid|guid|key|idx|index|zip|zipcode|plz|post ?code|postal ?code|phone|tel|fax",
    "isbn|ean|sku|code|date|year|yr|timestamp|number|nr|no",
)
_NAMED = re.compile(rf"(^|[^a-z])({'|'.join(_WORDS)})([^a-z]|$)", re.IGNORECASE)


class Codes(NamedTuple):
    """What can be a code."""

    lowest: float
    highest: float
    commonest: float


@dataclass(frozen=True)
class Kind:
    """What a column holds.

    Attributes
    ----------
    name : str
        In a word or two: "measured", "codes", "counter", "dates", "identifiers", "one value",
        "mostly one value", "too few values".
    judged : bool
        Whether its cells are judged by the other columns.
    codes : Codes or None
        Of codes, if strays among them can be told.
    """

    name: str
    judged: bool
    codes: Codes | None = None


MEASURED = Kind("measured", True)


def kind_of(values: Array, name: str = "") -> Kind:
    """Tell what a column holds from its values and its heading.

    Parameters
    ----------
    values : array of numbers
        The column, with NaN for missing cells.
    name : str
        Its heading.

    Returns
    -------
    Kind

    Examples
    --------
    >>> kind_of(np.arange(100.0) % 2).name
    'codes'
    >>> kind_of(np.arange(100.0)).name
    'counter'
    >>> kind_of(np.random.default_rng(0).normal(size=100)).name
    'measured'
    """
    known = values[~np.isnan(values)]
    if len(known) < KIND.few_values:
        return Kind("too few values", False)
    distinct, counts = np.unique(known, return_counts=True)
    if len(distinct) == 1:
        return Kind("one value", False)
    whole = bool(np.all(known == np.round(known)))
    often = counts >= max(2, len(known) // 50)
    # A value that stands in a fiftieth of the cells is one of the codes; the rest may be errors
    # among them.
    if often.any():
        near = whole and np.ptp(distinct[often]) <= KIND.code_span
        most = KIND.most_codes if near else KIND.few_codes if whole else KIND.most_steps
        if often.sum() <= most and counts[often].sum() >= KIND.coded_share * len(known):
            return Kind("codes", False, _codes(known, distinct[often]))
    if counts.max() >= KIND.usual_share * len(known):
        return Kind("mostly one value", False)
    if whole and _counts(values):
        return Kind("counter", False)
    if whole and _dates(known):
        return Kind("dates", False)
    if whole and _NAMED.search(name):
        return Kind("identifiers", False)
    return MEASURED


def _codes(known: Array, common: Array) -> Codes | None:
    """Return how far codes can lie, from those that are common; None if that cannot be told."""
    low, high = float(common.min()), float(common.max())
    slack = KIND.stray_distance * max(high - low, abs(low), abs(high), 1.0)
    low, high = low - slack, high + slack
    if ((known < low) | (known > high)).mean() > KIND.stray_share:
        return None
    values, counts = np.unique(known, return_counts=True)
    return Codes(low, high, float(values[counts.argmax()]))


def _counts(values: Array) -> bool:
    steps = np.diff(values)
    steps = steps[~np.isnan(steps)]
    if len(steps) < KIND.few_values:
        return False
    sizes, counts = np.unique(steps, return_counts=True)
    usual = sizes[np.argmax(counts)]
    return bool(usual != 0 and counts.max() >= KIND.counted_share * len(steps))


def _dates(known: Array) -> bool:
    """Whether numbers read as 20240131, or as years that hardly vary."""
    year, month, day = known // 10000, known // 100 % 100, known % 100
    days = (year >= 1800) & (year < 2200) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    return bool(days.mean() >= KIND.dated_share)
