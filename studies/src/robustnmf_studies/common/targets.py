"""Targets: what is aimed at, what was measured, and whether it got there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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


def tell(words: Mapping[str, str], values: Mapping[str, Any]) -> Judged:
    """Return the verdict on a target, its words filled with values.

    Parameters
    ----------
    words : mapping
        Forms of `str.format` for each of ``target``, ``measured``, ``where`` and ``name``.
    values : mapping
        What they call by name, and ``good``: whether the target is met, None or missing where
        nothing was measured.

    Examples
    --------
    >>> tell({"target": "gap ≤ {most}", "measured": "{gap:+.1%}"}, {"most": 1, "gap": -0.5}).verdict
    'not measured'
    >>> words = {"target": "gap ≤ {most}", "measured": "{gap:+.1%}"}
    >>> tell(words, {"most": 1, "gap": -0.5, "good": True}).measured
    '−50.0 %'
    """
    target, name = (words.get(part, "").format_map(values) for part in ("target", "name"))
    if values.get("good") is None:
        return decide(target, "", None, name=name)
    measured, where = (words.get(part, "").format_map(values) for part in ("measured", "where"))
    measured = re.sub("(?<! )%", " %", re.sub(r"-(?=\d)", "−", measured))
    return decide(target, measured, bool(values["good"]), where=where, name=name)


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
