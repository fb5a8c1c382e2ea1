"""Numbers as people type them: reading a cell, and writing one that looks like its neighbours."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Typed by people and programs where a number is not known.
MISSING = frozenset(
    {"", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "missing", "?", "-", "--", "."}
)
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.(\d*))?|\.(\d+))([eE][+-]?\d+)?", re.ASCII)
# More digits than this are neither read one by one, nor told apart, nor shown: float64 does not
# hold them.
MOST_DIGITS = 15


@dataclass(slots=True)
class NumberFormat:
    """How the numbers of a column are written.

    Attributes
    ----------
    decimals : int
        The most digits after the point that were seen.
    exponents : bool
        Some number has an exponent.
    mark : str
        What stands between groups of three digits; empty if there are no groups.
    before, after : str
        The currency or percent sign on either side, with its blanks.
    """

    decimals: int = 0
    exponents: bool = False
    mark: str = ""
    before: str = ""
    after: str = ""

    @property
    def rounding(self) -> int | None:
        """To how many decimals a new number is rounded, or None where that is not limited."""
        return None if self.exponents or self.decimals > MOST_DIGITS else self.decimals


def parse(text: str, number_format: NumberFormat) -> float | None:
    """Return the number in a cell, or None if it is not one, and note how it is written.

    Parameters
    ----------
    text : str
        Without blanks around it, and with a point for decimals.
    number_format : NumberFormat
        Of its column; changed.

    Returns
    -------
    float or None

    Examples
    --------
    >>> number_format = NumberFormat()
    >>> parse("12.50", number_format), parse("1_000", number_format), number_format.decimals
    (12.5, None, 2)
    """
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    after, bare, exponent = match.groups()
    digits = after if after is not None else bare
    if digits is not None:
        number_format.decimals = max(number_format.decimals, len(digits))
    if exponent is not None:
        number_format.exponents = True
    return float(text)


def numeral(value: float, number_format: NumberFormat) -> str:
    """Return a number as its column writes them.

    Parameters
    ----------
    value : float
        Rounded to what the column shows.
    number_format : NumberFormat
        Of the column.

    Returns
    -------
    str

    Examples
    --------
    >>> numeral(3.14159, NumberFormat(decimals=2)), numeral(2.7, NumberFormat())
    ('3.14', '3')
    """
    if number_format.exponents:
        return f"{value:.6g}"
    return f"{value:.{min(number_format.decimals, MOST_DIGITS)}f}"
