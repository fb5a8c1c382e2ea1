"""The targets about tables and about all, each decided from the numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from robustnmf_studies.common.sheet import Sheet
from robustnmf_studies.common.table import Table
from robustnmf_studies.trust.errors import DECIMAL, FORESEEN, SIGN, UNFORESEEN
from robustnmf_studies.trust.families import MADE_UP
from robustnmf_studies.trust.groups import best_of, by_method, grouped, left, percent, share
from robustnmf_studies.trust.methods import OURS
from robustnmf_studies.trust.rivals import RIVALS

MET, MISSED, UNKNOWN = "met", "missed", "not measured"
RELIABLE = "reliable"
# A pair of columns of which one follows from the other has something to learn.
LEARNABLE = ("two columns",)
Numbers = Mapping[str, Table]


class Judged(NamedTuple):
    """A target, what was measured, and the verdict."""

    target: str
    measured: str
    verdict: str


def decide(target: str, measured: str, good: bool | None) -> Judged:
    """Return a target's verdict; None where nothing was measured."""
    if good is None:
        return Judged(target, "–", UNKNOWN)
    return Judged(target, measured, MET if good else MISSED)


def judge_tables(numbers: Numbers) -> list[Judged]:
    """Decide the targets about tables.

    Parameters
    ----------
    numbers : mapping of Table
        What `robustnmf_studies.trust.compute.compute` returned, of all cases.

    Returns
    -------
    list of Judged

    Examples
    --------
    >>> {found.verdict for found in judge_tables({})}
    {'not measured'}
    """
    tables = numbers.get("tables", Table())
    foreseen, unforeseen = tables.where(kind=FORESEEN), tables.where(kind=UNFORESEEN)
    ours = tables.where(method=OURS)
    real = Table(row for row in numbers.get("clean_tables", ()) if row["family"] != MADE_UP)
    return [
        *_barren(numbers.get("barren", Table()).where(method=OURS)),
        *_clean(real.where(method=OURS)),
        _mean_f1("tables: mean F1 ≥ 0.70", foreseen.where(method=OURS), 0.70),
        _ahead_in_mean(foreseen),
        _ahead_on_tables(foreseen),
        _no_family_behind(foreseen),
        _mean_f1("kinds nobody foresaw: mean F1 ≥ 0.70", unforeseen.where(method=OURS), 0.70),
        _repair(ours),
        _slips(ours),
        _above_median(ours),
        _left(ours),
        *_harm(ours),
        _answers(numbers),
    ]


def _barren(rows: Table) -> list[Judged]:
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


def _clean(rows: Table) -> list[Judged]:
    found = []
    for measure, words, most_mean, most in (
        ("changed", "changed", 0.002, 0.01),
        ("flagged", "flagged", 0.007, 0.03),
    ):
        mean = rows.mean(measure)
        worst = max(((row[measure], row["name"]) for row in rows), default=(math.nan, ""))
        found.append(
            decide(
                f"real tables without errors: ≤ {100 * most_mean:g} % of the cells {words} in the "
                f"mean, ≤ {100 * most:g} % at worst",
                f"{percent(mean, 2)}; {percent(worst[0], 2)} ({worst[1]})",
                None if math.isnan(mean) else mean <= most_mean and worst[0] <= most,
            )
        )
    return found


def _mean_f1(target: str, rows: Table, least: float) -> Judged:
    mean = rows.mean("f1")
    return decide(target, f"{mean:.3f}", None if math.isnan(mean) else mean >= least)


def _ahead_in_mean(tables: Table) -> Judged:
    means = by_method(tables, "f1")
    best = best_of(means, RIVALS)
    target = "tables: mean F1 ahead of every rival"
    if best is None or OURS not in means:
        return decide(target, "", None)
    measured = f"{means[OURS]:.3f}; {best[0]} {best[1]:.3f}"
    return decide(target, measured, means[OURS] > best[1])


def compared(tables: Table, *names: str) -> dict[str, tuple[float, str, float]]:
    """Return our mean F1, the best rival and its mean F1, for each value of a column."""
    found = {}
    for key, rows in grouped(tables, *names).items():
        means = by_method(rows, "f1")
        best = best_of(means, RIVALS)
        if best is not None and OURS in means:
            found[" ".join(map(str, key))] = (means[OURS], *best)
    return found


def _ahead_on_tables(tables: Table) -> Judged:
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


def _no_family_behind(tables: Table) -> Judged:
    found = compared(tables, "family")
    behind = [
        (theirs - ours, f"{family} ({rival})")
        for family, (ours, rival, theirs) in found.items()
        if theirs > ours
    ]
    target = "tables: no family below its best rival"
    return decide(target, _worst_of(behind), None if not found else not behind)


def _repair(ours: Table) -> Judged:
    mean = ours.mean("repair")
    target = "repair error of found cells ≤ 0.15 robust standard deviations"
    return decide(target, f"{mean:.3f}", None if math.isnan(mean) else mean <= 0.15)


def _slips(ours: Table) -> Judged:
    exact = ours.where(kind=(DECIMAL, SIGN)).mean("exact")
    target = "point moved or sign slipped: most repairs are right to the last digit"
    return decide(target, percent(exact, 0), None if math.isnan(exact) else exact > 0.5)


def _above_median(ours: Table) -> Judged:
    target = "repairs in no family worse than the column's median"
    groups = {
        family: (rows.mean("repair"), rows.mean("by_median"))
        for (family,), rows in grouped(ours, "family").items()
        if rows.values("repair")
    }
    worse = [(a - b, family) for family, (a, b) in groups.items() if a > b]
    return decide(target, _worst_of(worse), None if not groups else not worse)


def _worst_of(gaps: list[tuple[float, str]]) -> str:
    """Return in a few words how many there are and which is the worst."""
    if not gaps:
        return "none"
    worst, name = max(gaps)
    return f"{len(gaps)}; worst {name}, by {worst:.2f}"


def _left(ours: Table) -> Judged:
    ratio = left(ours)
    target = "error left after cleaning ≤ 0.24 of that before"
    return decide(target, f"{ratio:.3f}", None if math.isnan(ratio) else ratio <= 0.24)


def _harm(ours: Table) -> list[Judged]:
    harmed = ours.where(harm=True)
    ratio = share(ours.values("harm"))
    sure = len(harmed.where(verdict=RELIABLE))
    known = bool(ours.values("verdict"))
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
    rows = [row for table in numbers.values() for row in table if row.get("method") in (OURS, None)]
    failed = [row for row in rows if row.get("failure") or row.get("failure_auto_rank")]
    where = f" (first: {failed[0]['name']})" if failed else ""
    target = "every run ends with an answer"
    return decide(target, f"{len(failed)} do not{where}", None if not rows else not failed)


def spread(values: list[float]) -> float:
    """Return the standard deviation of a few draws; 0 for one."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def target_sheet(judged: list[Judged]) -> Sheet:
    """Return the verdicts as a table."""
    return Sheet("Targets", ("target", "measured", "verdict"), judged)


def as_records(judged: list[Judged]) -> list[dict[str, Any]]:
    """Return the verdicts for programs."""
    return [found._asdict() for found in judged]
