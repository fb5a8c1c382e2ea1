"""A model of a table in a file: each thing, how it is stored, what is checked."""

from __future__ import annotations

from typing import Any

from robustnmf._common.diagnosis import Diagnosis
from robustnmf._saving import (
    Flag,
    Keys,
    Names,
    Record,
    RefusedError,
    Several,
    Text,
    Whole,
)
from robustnmf._tables.numerals import NumberFormat
from robustnmf._tables.row_judges import RowsByCells
from robustnmf._tables.saved_judging import DECIMALS, LEARNED, Decimals
from robustnmf._tables.styles import MARKS, Style

BY_CELLS, BY_PARTS = "table", "table by parts"


class _Model(Keys):
    """A `TableModel`, by its attributes."""

    def pack(self, value: Any, at: str, tensors: Any) -> dict[str, Any]:
        """Return a dict of the same keys."""
        return super().pack({key: getattr(value, key) for key in self.fields}, at, tensors)

    def unpack(self, found: Any, at: str, source: Any) -> dict[str, Any]:
        """Return its attributes."""
        parts = super().unpack(found, at, source)
        for key in ("names", "headings"):
            parts[key] = parts[key].tolist()
        lists = (parts["decimals"], parts["styles"], parts["formats"], parts["judge"].kinds)
        if any(len(own) != len(parts["names"]) for own in lists):
            raise RefusedError("it says more or less of its columns than their names")
        if len(set(parts["names"]) & set(parts["headings"])) < len(parts["names"]):
            raise RefusedError("the names of its columns are not among its headings")
        return parts


def _wrong_style(style: Style) -> str:
    marks = ("", *MARKS)
    if style.decimal not in (".", ",") or style.thousands not in marks:
        return "no number is written like that"
    return ""


def fields_of(kind: str) -> Keys:
    """Return how a model of a table is stored, judged by its cells or by its parts."""
    if kind == BY_CELLS:
        judge = Record(
            "by cells",
            RowsByCells,
            {"learned": LEARNED, "cautious": Flag(), "negative_wrong": Flag()},
        )
    else:
        # The parts load scikit-learn, for which those who need none must not wait.
        from robustnmf._tables.saved_parts import by_parts

        judge = by_parts()
    return _Model(
        {
            "names": Names("columns"),
            "headings": Names("headings"),
            "decimals": DECIMALS,
            "styles": Several(
                Record(
                    "style",
                    Style,
                    {"decimal": Text(), "thousands": Text(), "unit": Text()},
                    _wrong_style,
                ),
                list,
            ),
            "formats": Several(
                Record(
                    "format",
                    NumberFormat,
                    {
                        "decimals": Decimals(),
                        "exponents": Flag(),
                        "mark": Text(),
                        "before": Text(),
                        "after": Text(),
                    },
                ),
                list,
            ),
            "judge": judge,
            "trust": Record(
                "diagnosis", Diagnosis, {"verdict": Text(), "reasons": Several(Text())}
            ),
            "n_rows": Whole(),
        }
    )
