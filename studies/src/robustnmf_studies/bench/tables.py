"""The results as tables of words: the terminal and the documentation print the same."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from robustnmf_studies.bench.results import EXPONENT, Result, Row
from robustnmf_studies.bench.targets import TARGETS, verdict
from robustnmf_studies.common.frames import text_table

NONE = "–"


def sheets(result: Result) -> list[pd.DataFrame]:
    """Return all tables that have something in them."""
    found = (comparison_sheet(result), growth_sheet(result), quality_sheet(result))
    return [sheet for sheet in (*found, tuning_sheet(result)) if len(sheet)]


def comparison_sheet(result: Result) -> pd.DataFrame:
    """Return what was compared, with targets and verdicts."""
    headings = ("what", "against", "ours", "theirs", "median", "spread", "target", "")
    rows = [_line(row) for row in result.rows if not row.key.startswith("tuning.")]
    return text_table("Benchmarks", headings, rows)


def _line(row: Row) -> tuple[str, ...]:
    sides = tuple(
        f"{figure(side)} {row.unit}" if side is not None else NONE
        for side in (row.ours, row.theirs)
    )
    target = TARGETS.get(row.key)
    if row.median is None:
        middle, spread = _why_not(row), NONE
    else:
        digits = 3 if row.measure == EXPONENT else None
        middle = f"{figure(row.median, digits)} {row.measure}"
        low, high = min(row.values), max(row.values)
        spread = f"{figure(low, digits)} to {figure(high, digits)}" if len(row.values) > 1 else NONE
    return (
        row.what,
        row.rival or NONE,
        *sides,
        middle,
        spread,
        str(target) if target else NONE,
        verdict(row),
    )


def _why_not(row: Row) -> str:
    """Why there is no figure, in short; the note says the rest."""
    return row.note.partition(":")[0] or NONE


def target_sheet(result: Result) -> pd.DataFrame:
    """Return every target, whether or not this run measured it."""
    rows = {row.key: row for row in result.rows}
    lines = []
    for key, target in TARGETS.items():
        row = rows.get(key, Row(key, key, "", ()))
        value = NONE if row.median is None else f"{figure(row.median)} {row.measure}"
        spread = NONE
        if len(row.values) > 1:
            spread = f"{figure(min(row.values))} to {figure(max(row.values))}"
        lines.append((row.what, target.where, str(target), value, spread, verdict(row)))
    headings = ("what", "target set for", "target", "median", "spread", "")
    return text_table("Targets", headings, lines)


def notes(result: Result) -> list[str]:
    """Return the notes of all rows."""
    found = [f"{row.key}: {row.note}" for row in result.rows if row.note]
    if any(verdict(row).endswith("*") for row in result.rows):
        found.append("* not the size or the number of iterations that the target is set for")
    return [note for note in dict.fromkeys(found) if not note.startswith("tuning.")]


def quality_sheet(result: Result) -> pd.DataFrame:
    """Return how well the other robust methods do."""
    compared = [row for row in result.rows if row.key.startswith("others.")]
    measured = [row for row in compared if row.details]
    lines = []
    if measured:
        lines.append(_quality("RobustNMF", measured[0].ours, measured[0].details["ours"]))
    for row in compared:
        if row.details:
            lines.append(_quality(row.rival, row.theirs, row.details["theirs"]))
        else:
            lines.append((row.rival, _why_not(row), *[NONE] * 5))
    headings = ("method", "time", "precision", "recall", "F1", "best F1", "error of W H")
    return text_table(
        "Other robust methods: wrong entries found, clean data restored", headings, lines
    )


def _quality(name: str, seconds: float | None, scores: dict[str, float]) -> tuple[str, ...]:
    found = (f"{scores[key]:.2f}" for key in ("precision", "recall", "f1", "best_f1"))
    time = NONE if seconds is None else f"{figure(seconds)} s"
    return (name, time, *found, f"{scores['msre']:,.0f}")


def growth_sheet(result: Result) -> pd.DataFrame:
    """Return the time of an iteration at each size of each series."""
    lines = []
    for row in result.rows:
        if row.key.startswith("growth."):
            times = row.details["seconds"]
            pairs = zip(row.details["values"], times, strict=True)
            series = ", ".join(f"{value:,}: {1000 * time:.1f}" for value, time in pairs)
            lines.append((row.details["axis"], series, f"{row.median:.3f}"))
    headings = ("doubled", "milliseconds an iteration", "exponent")
    return text_table("Growth", headings, lines)


def tuning_sheet(result: Result) -> pd.DataFrame:
    """Return the ranking of the settings of `hals`."""
    lines = []
    ranked = [row for row in result.rows if row.key.startswith("tuning.")]
    for place, row in enumerate(ranked, start=1):
        gaps = (_gap(found) for found in row.details["gaps"])
        middle = f"{figure(row.median or 0.0)}"
        here = " (now)" if row.key == "tuning.present" else ""
        lines.append((f"{place}", row.what + here, middle, *gaps))
    first = ranked[0].details["gaps"] if ranked else []
    headings = ("", "setting", "× the fastest", *(f"to {found['gap']:g}" for found in first))
    title = "Iterations, seconds and share of the problems to within a gap of the best objective"
    return text_table(title, headings, lines)


def _gap(found: dict[str, Any]) -> str:
    if found["iterations"] is None:
        return NONE
    share = f"{found['reached']}/{found['of']}"
    return f"{found['iterations']:.0f}, {figure(found['seconds'])} s, {share}"


def figure(value: float, digits: int | None = None) -> str:
    """Write a number with three digits that count, and no powers of ten.

    Examples
    --------
    >>> figure(1234.5), figure(12.345), figure(0.012345), figure(1.0, 3)
    ('1,234', '12.3', '0.0123', '1.000')
    """
    if digits is not None:
        return f"{value:.{digits}f}"
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    places = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{places}f}"
