"""The targets about tables and about all, each decided from the numbers."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from robustnmf_studies.common.frames import (
    Numbers,
    mean_of,
    pick,
    records,
    table_of,
    values_of,
)
from robustnmf_studies.common.targets import Judged, decide
from robustnmf_studies.trust.errors import DECIMAL, FORESEEN, SIGN, UNFORESEEN
from robustnmf_studies.trust.families import MADE_UP
from robustnmf_studies.trust.groups import best_of, by_method, grouped, left, percent, share
from robustnmf_studies.trust.methods import OURS
from robustnmf_studies.trust.rivals import RIVALS

RELIABLE = "reliable"
# A pair of columns of which one follows from the other has something to learn.
LEARNABLE = ("two columns",)


def judge_tables(numbers: Numbers) -> list[Judged]:
    """Decide the targets about tables.

    Parameters
    ----------
    numbers : mapping of DataFrame
        What `robustnmf_studies.trust.compute.compute` returned, of all cases.

    Returns
    -------
    list of Judged

    Examples
    --------
    >>> {found.verdict for found in judge_tables({})}
    {'not measured'}
    """
    tables = table_of(numbers, "tables")
    foreseen, unforeseen = pick(tables, kind=FORESEEN), pick(tables, kind=UNFORESEEN)
    ours = pick(tables, method=OURS)
    real = _real(table_of(numbers, "clean_tables"))
    return [
        *_barren(pick(table_of(numbers, "barren"), method=OURS)),
        *_clean(pick(real, method=OURS)),
        _mean_f1("tables: mean F1 ≥ 0.70", pick(foreseen, method=OURS), 0.70),
        _ahead_in_mean(foreseen),
        _ahead_on_tables(foreseen),
        _no_family_behind(foreseen),
        _mean_f1("kinds nobody foresaw: mean F1 ≥ 0.70", pick(unforeseen, method=OURS), 0.70),
        _repair(ours),
        _slips(ours),
        _above_median(ours),
        _left(ours),
        *_harm(ours),
        _answers(numbers),
    ]


def _real(clean: pd.DataFrame) -> pd.DataFrame:
    return clean[clean["family"] != MADE_UP] if len(clean) else clean


def _barren(frame: pd.DataFrame) -> list[Judged]:
    rows = records(frame)
    changed = [(row["changed"], row["name"]) for row in rows]
    worst, name = max(changed, default=(math.nan, ""))
    told = [row for row in rows if row["name"] not in LEARNABLE]
    quiet = [row["name"] for row in told if row.get("verdict") in (None, RELIABLE)]
    return [
        decide(
            "nothing to learn, discrete, constant, tiny: ≤ 0.1 % of the cells change",
            f"at most {percent(worst, 2)} ({name})" if worst > 0 else "none",
            None if not changed else worst <= 0.001,
        ),
        decide(
            "and the verdict says that nothing can be learned",
            f"{len(told) - len(quiet)} of {len(told)}",
            None if not told else not quiet,
        ),
    ]


def _clean(rows: pd.DataFrame) -> list[Judged]:
    found = []
    for measure, words, most_mean, most in (
        ("changed", "changed", 0.002, 0.01),
        ("flagged", "flagged", 0.007, 0.03),
    ):
        mean = mean_of(rows, measure)
        worst = max(((row[measure], row["name"]) for row in records(rows)), default=(math.nan, ""))
        found.append(
            decide(
                f"real tables without errors: ≤ {100 * most_mean:g} % of the cells {words} in the "
                f"mean, ≤ {100 * most:g} % at worst",
                f"{percent(mean, 2)}; {percent(worst[0], 2)} ({worst[1]})",
                None if math.isnan(mean) else mean <= most_mean and worst[0] <= most,
            )
        )
    return found


def _mean_f1(target: str, rows: pd.DataFrame, least: float) -> Judged:
    mean = mean_of(rows, "f1")
    return decide(target, f"{mean:.3f}", None if math.isnan(mean) else mean >= least)


def _ahead_in_mean(tables: pd.DataFrame) -> Judged:
    means = by_method(tables, "f1")
    best = best_of(means, RIVALS)
    target = "tables: mean F1 ahead of every rival"
    if best is None or OURS not in means:
        return decide(target, "", None)
    measured = f"{means[OURS]:.3f}; {best[0]} {best[1]:.3f}"
    return decide(target, measured, means[OURS] > best[1])


def compared(tables: pd.DataFrame, *names: str) -> dict[str, tuple[float, str, float]]:
    """Return our mean F1, the best rival and its mean F1, for each value of a column."""
    found = {}
    for key, rows in grouped(tables, *names).items():
        means = by_method(rows, "f1")
        best = best_of(means, RIVALS)
        if best is not None and OURS in means:
            found[" ".join(map(str, key))] = (means[OURS], *best)
    return found


def _ahead_on_tables(tables: pd.DataFrame) -> Judged:
    means = [by_method(rows, "f1") for rows in grouped(tables, "name").values()]
    means = [figures for figures in means if OURS in figures]
    target = "tables: ahead of each rival on four fifths of the tables"
    won = [
        (share(figures[OURS] >= figures[rival] for figures in means if rival in figures), rival)
        for rival in RIVALS
        if any(rival in figures for figures in means)
    ]
    if not won:
        return decide(target, "", None)
    least, rival = min(won)
    found = compared(tables, "name").values()
    at_once = share(ours >= theirs for ours, _, theirs in found)
    measured = f"{percent(least, 0)} ({rival}); of all at once {percent(at_once, 0)}"
    return decide(target, measured, least >= 0.8)


def _no_family_behind(tables: pd.DataFrame) -> Judged:
    found = compared(tables, "family")
    behind = [
        (theirs - ours, f"{family} ({rival})")
        for family, (ours, rival, theirs) in found.items()
        if theirs > ours
    ]
    target = "tables: no family below its best rival"
    return decide(target, _worst_of(behind), None if not found else not behind)


def _repair(ours: pd.DataFrame) -> Judged:
    mean = mean_of(ours, "repair")
    target = "repair error of found cells ≤ 0.15 robust standard deviations"
    return decide(target, f"{mean:.3f}", None if math.isnan(mean) else mean <= 0.15)


def _slips(ours: pd.DataFrame) -> Judged:
    exact = mean_of(pick(ours, kind=(DECIMAL, SIGN)), "exact")
    target = "point moved or sign slipped: most repairs are right to the last digit"
    return decide(target, percent(exact, 0), None if math.isnan(exact) else exact > 0.5)


def _above_median(ours: pd.DataFrame) -> Judged:
    target = "repairs in no family worse than the column's median"
    groups = {
        family: (mean_of(rows, "repair"), mean_of(rows, "by_median"))
        for (family,), rows in grouped(ours, "family").items()
        if values_of(rows, "repair")
    }
    worse = [(a - b, family) for family, (a, b) in groups.items() if a > b]
    return decide(target, _worst_of(worse), None if not groups else not worse)


def _worst_of(gaps: list[tuple[float, str]]) -> str:
    """Return in a few words how many there are and which is the worst."""
    if not gaps:
        return "none"
    worst, name = max(gaps)
    return f"{len(gaps)}; worst {name}, by {worst:.2f}"


def _left(ours: pd.DataFrame) -> Judged:
    ratio = left(ours)
    target = "error left after cleaning ≤ 0.24 of that before"
    return decide(target, f"{ratio:.3f}", None if math.isnan(ratio) else ratio <= 0.24)


def _harm(ours: pd.DataFrame) -> list[Judged]:
    harmed = pick(ours, harm=True)
    ratio = share(values_of(ours, "harm"))
    sure = len(pick(harmed, verdict=RELIABLE))
    known = bool(values_of(ours, "verdict"))
    return [
        decide(
            "cleaned table further from the truth than the dirty one: ≤ 5 % of the runs",
            percent(ratio),
            None if math.isnan(ratio) else ratio <= 0.05,
        ),
        decide(
            "and none of these called reliable",
            f"{sure} of {len(harmed)}",
            None if not known else sure == 0,
        ),
    ]


def _answers(numbers: Numbers) -> Judged:
    # Where there is no other method, the rows do not name it.
    rows = [
        row
        for table in numbers.values()
        for row in records(table)
        if row.get("method") in (OURS, None)
    ]
    failed = [row for row in rows if row.get("failure") or row.get("failure_auto_rank")]
    where = f" (first: {failed[0]['name']})" if failed else ""
    target = "every run ends with an answer"
    return decide(target, f"{len(failed)} do not{where}", None if not rows else not failed)


def spread(values: list[float]) -> float:
    """Return the standard deviation of a few draws; 0 for one."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
