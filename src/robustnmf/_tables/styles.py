"""How a column writes its numbers: decimal sign, groups of thousands, currency, percent."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from robustnmf._tables.numerals import NumberFormat, numeral, parse

# What may stand between groups of three digits, by the name that an option gives it.
MARKS = {".": ".", ",": ",", "'": "'’", " ": " \u00a0\u202f\u2009"}
SHARES = frozenset("%‰")
_BLANKS = "[ \u00a0\u202f\u2009]*"
_CURRENCY = (
    "(?:[$¢£¤¥฿₠-₿]|Fr\\.?|kr\\.?|zł|Kč|CHF|EUR|USD|GBP|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF"
    "|AUD|CAD|NZD|BRL|ZAR)"
)
_PARTS = re.compile(
    rf"([+-]?)((?:{_BLANKS}{_CURRENCY}{_BLANKS})?)"
    r"([+-]?)([.,]?\d(?:[\d.,'’ \u00a0\u202f\u2009]*\d)?[.,]?(?:[eE][+-]?\d+)?)"
    rf"((?:{_BLANKS}(?:{_CURRENCY}|[%‰]))?)",
    re.ASCII,
)


class Parts(NamedTuple):
    """A cell with a number in it, taken apart.

    `outer` and `inner` are signs before and after the currency that stands `before`.
    """

    outer: str
    before: str
    inner: str
    core: str
    after: str

    @property
    def unit(self) -> str:
        """The currency or the percent sign; empty if there is none."""
        return self.before.strip() or self.after.strip()

    @property
    def negative(self) -> bool:
        """Whether there is a minus."""
        return "-" in (self.outer, self.inner)


def taken_apart(cell: str) -> Parts | None:
    """Take apart what might be a number in some way of writing; None if it is none in any.

    Parameters
    ----------
    cell : str
        Without blanks or quotes around it.

    Returns
    -------
    Parts or None

    Examples
    --------
    >>> taken_apart("-€ 1.196,50").core, taken_apart("12 %").unit
    ('1.196,50', '%')
    >>> taken_apart("twelve")
    """
    match = _PARTS.fullmatch(cell)
    if match is None:
        return None
    parts = Parts(*match.groups())
    if (parts.outer and parts.inner) or (parts.before and parts.after):
        return None
    return parts


@dataclass(frozen=True)
class Style:
    """How the numbers of a column are written.

    Attributes
    ----------
    decimal : {".", ","}
        Before the decimals.
    thousands : str
        Between groups of three digits, a key of `MARKS`; empty if there are no groups.
    unit : str
        The currency or percent sign; empty if there is none.
    """

    decimal: str = "."
    thousands: str = ""
    unit: str = ""

    @property
    def plain(self) -> bool:
        """Whether digits and the decimal sign are all there is."""
        return not self.thousands and not self.unit

    def read(self, cell: str, number_format: NumberFormat) -> float | None:
        """Return the number in a cell, or None if it is none in this style.

        Parameters
        ----------
        cell : str
            Without blanks or quotes around it.
        number_format : NumberFormat
            Of its column; changed.

        Returns
        -------
        float or None

        Examples
        --------
        >>> style, number_format = Style(",", ".", "€"), NumberFormat()
        >>> [style.read(cell, number_format) for cell in ("1.196,50 €", "935", "1.19")]
        [1196.5, 935.0, None]
        >>> style.write(1200, number_format, "935"), style.write(12345.678, number_format, "")
        ('1.200,00', '12.345,68 €')
        """
        parts = taken_apart(cell)
        if parts is None or not self._same_unit(parts.unit):
            return None
        core = parts.core
        grouped = _groups(self.thousands, self.decimal).fullmatch(core) if self.thousands else None
        if grouped:
            core = "".join(c for c in core if c not in MARKS[self.thousands])
        if self.decimal != ".":
            if "." in core:
                return None
            core = core.replace(self.decimal, ".", 1)
        value = parse(core, number_format)
        if value is None:
            return None
        if grouped:
            number_format.mark = number_format.mark or grouped[1]
        if parts.unit and not (number_format.before or number_format.after):
            number_format.before, number_format.after = parts.before, parts.after
        return -value if parts.negative else value

    def write(self, value: float, number_format: NumberFormat, old: str) -> str:
        """Return a number in this style, with the currency or percent sign of an old cell.

        Parameters
        ----------
        value : float
            The number.
        number_format : NumberFormat
            Of the column.
        old : str
            What stood there; a cell without a number is written as the others of its column.

        Returns
        -------
        str
        """
        if self.plain:
            return self.write_plain([value], number_format)[0]
        text = numeral(value, number_format)
        digits = text.removeprefix("-")
        # There is no minus zero in a table.
        sign = "-" if text != digits and float(text) else ""
        whole, point, rest = digits.partition(".")
        if number_format.mark and whole.isdigit():
            whole = f"{int(whole):,}".replace(",", number_format.mark) if len(whole) > 3 else whole
        body = whole + (self.decimal + rest if point else "")
        parts = taken_apart(old)
        if parts is None:
            return f"{number_format.before}{sign}{body}{number_format.after}"
        # A minus stands where the old sign stood.
        outer, inner = (sign, "") if parts.outer else ("", sign)
        return f"{outer}{parts.before}{inner}{body}{parts.after}"

    def write_plain(self, values: Iterable[float], number_format: NumberFormat) -> list[str]:
        """Return numbers in this style, if it is `plain`: with nothing around them but a minus."""
        texts = [numeral(value, number_format) for value in values]
        # There is no minus zero in a table.
        texts = [text[1:] if text[0] == "-" and not float(text) else text for text in texts]
        return texts if self.decimal == "." else [x.replace(".", self.decimal) for x in texts]

    def _same_unit(self, unit: str) -> bool:
        # Without its currency an amount is still one; without its percent sign a share is another.
        return unit == self.unit or (not unit and self.unit not in SHARES)


@lru_cache(maxsize=16)
def _groups(thousands: str, decimal: str) -> re.Pattern[str]:
    """Numbers in groups, of which the first group mark is caught."""
    mark = f"[{re.escape(MARKS[thousands])}]"
    return re.compile(
        rf"[1-9]\d{{0,2}}({mark})\d{{3}}(?:{mark}\d{{3}})*(?:{re.escape(decimal)}\d*)?"
    )
