"""Targets: what is aimed at, what was measured, and whether it got there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from robustnmf_studies.common.frames import text_table

MET, MISSED, UNKNOWN = "met", "missed", "not measured"
NOTHING = "–"


class Judged(NamedTuple):
    """A target in words, the figures that decide, the verdict, and where that is so.

    The name is short, for programs.
    """

    target: str
    measured: str
    verdict: str
    where: str = ""
    name: str = ""


def decide(
    target: str, measured: str, good: bool | None, *, where: str = "", name: str = ""
) -> Judged:
    """Return a target's verdict; None for `good` where nothing was measured.

    Examples
    --------
    >>> decide("F1 ≥ 0.9", "0.95", True).verdict
    'met'
    """
    if good is None:
        return Judged(target, NOTHING, UNKNOWN, name=name)
    return Judged(target, measured, MET if good else MISSED, where, name)


def tally(judged: Sequence[Judged]) -> dict[str, int]:
    """Count the verdicts."""
    verdicts = [found.verdict for found in judged]
    return {verdict: verdicts.count(verdict) for verdict in (MET, MISSED, UNKNOWN)}


def as_records(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """Return the verdicts for programs; what no target of a study has is left out."""
    fields = [name for name in Judged._fields if any(getattr(found, name) for found in judged)]
    return [{name: getattr(found, name) for name in fields} for found in judged]


def target_table(judged: Sequence[Judged], *, where: bool = False) -> pd.DataFrame:
    """Return the verdicts as a table of words, with or without the conditions."""
    columns = ("target", "measured", "verdict", *(("where",) if where else ()))
    rows = [tuple(getattr(found, column) for column in columns) for found in judged]
    return text_table("Targets", columns, rows)
