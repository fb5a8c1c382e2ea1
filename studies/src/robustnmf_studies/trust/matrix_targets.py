"""The targets about matrices, each decided from the numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pandas as pd

from robustnmf_studies.common.frames import (
    Numbers,
    Record,
    mean_of,
    pick,
    records,
    table_of,
    values_of,
)
from robustnmf_studies.common.targets import Judged, decide
from robustnmf_studies.trust import damage
from robustnmf_studies.trust.groups import grouped, percent, share
from robustnmf_studies.trust.methods import OURS, STACK
from robustnmf_studies.trust.settings import REPEATED_RATE
from robustnmf_studies.trust.targets import RELIABLE, spread

# As near to the best threshold as makes no difference, and further than anyone would accept.
NEAR, FAR = 0.03, 0.2
# An error that is so many times the one before is clearly less.
CLEARLY_LESS = 0.9
_LEAST_AT_30 = {damage.SALT: 0.95, damage.SALT_PEPPER: 0.93, damage.SPIKES: 0.92}
# The nature of the sets that this is about.
_TERM_COUNTS = "term counts"


def judge_matrices(numbers: Numbers) -> list[Judged]:
    """Decide the targets about matrices.

    Parameters
    ----------
    numbers : mapping of DataFrame
        What `robustnmf_studies.trust.compute.compute` returned, of all cases.

    Returns
    -------
    list of Judged

    Examples
    --------
    >>> {found.verdict for found in judge_matrices({})}
    {'not measured'}
    """
    matrices = table_of(numbers, "matrices")
    ours, clean = pick(matrices, method=OURS), table_of(numbers, "clean_matrices")
    return [
        *_near_the_best(ours),
        *_restored(ours),
        _sure(ours),
        *_left_alone(clean),
        *(_at_thirty(ours, kind, least) for kind, least in _LEAST_AT_30.items()),
        _no_set_far(ours),
        _draws(ours),
        _least("occlusion of 20 %, as stacks: mean F1 ≥ 0.97", pick(matrices, method=STACK), 0.97),
        *_term_counts(ours, clean),
        *_warnings(ours),
        *_rank(clean),
        _least("stripes: mean F1 ≥ 0.6", pick(ours, kind=damage.STRIPES), 0.6),
        _least("bad samples: mean F1 ≥ 0.6", pick(ours, kind=damage.SAMPLES), 0.6),
        _missing(table_of(numbers, "missing")),
    ]


def near(row: Record) -> bool:
    """Whether a place is as good as the best threshold of someone who knows the mask."""
    return bool(row["f1"] >= row["best"] - NEAR)


def failed(row: Record) -> bool:
    """Whether a place is one that a user must be warned of."""
    return bool(row["worse"]) or bool(row["f1"] < row["best"] - FAR)


def restored(row: Record) -> bool:
    """Whether data came nearer to the truth: where they cannot, a warning is not false."""
    return row["left"] is not None and bool(row["left"] < CLEARLY_LESS)


def _warned(row: Record) -> bool:
    return row.get("verdict") != RELIABLE


def _none_sure(target: str, rows: Iterable[Record], known: bool) -> Judged:
    there = list(rows)
    sure = sum(not _warned(row) for row in there)
    return decide(target, f"{sure} of {len(there)} called reliable", sure == 0 if known else None)


def _near_the_best(ours: pd.DataFrame) -> list[Judged]:
    rows = records(ours)
    good = share(near(row) for row in rows)
    known = bool(values_of(ours, "verdict"))
    return [
        decide(
            "matrices: within 0.03 of the best threshold at ≥ 75 % of the places",
            percent(good),
            None if math.isnan(good) else good >= 0.75,
        ),
        _none_sure("the rest not reliable", (row for row in rows if not near(row)), known),
    ]


def _restored(ours: pd.DataFrame) -> list[Judged]:
    worse = share(values_of(ours, "worse"))
    known = bool(values_of(ours, "verdict"))
    return [
        decide(
            "restored data worse than the corrupted: ≤ 3 % of the places",
            percent(worse),
            None if math.isnan(worse) else worse <= 0.03,
        ),
        _none_sure("and none of these reliable", records(pick(ours, worse=True)), known),
    ]


def _sure(ours: pd.DataFrame) -> Judged:
    target = "entries scored above 0.9: ≥ 95 % right on every data set"
    rates = []
    for (name,), rows in grouped(ours, "name").items():
        total = sum(values_of(rows, "sure"))
        if total:
            rates.append((sum(values_of(rows, "sure_right")) / total, name))
    worst, name = min(rates, default=(math.nan, ""))
    return decide(target, f"{percent(worst)} ({name})", None if not rates else worst >= 0.95)


def _left_alone(clean: pd.DataFrame) -> list[Judged]:
    found = []
    for measure, words, most in (
        ("flagged", "entries flagged", 0.005),
        ("variance", "of the variance changed by denoise", 0.01),
    ):
        name = f"{measure}_auto_rank"
        rows = [(row[name], row["name"]) for row in records(clean) if row.get(name) is not None]
        worst, who = max(rows, default=(math.nan, ""))
        found.append(
            decide(
                f"matrices without errors, both on auto: ≤ {100 * most:g} % {words} everywhere",
                f"{percent(worst, 2)} ({who})",
                None if not rows else worst <= most,
            )
        )
    return found


def _least(target: str, rows: pd.DataFrame, least: float) -> Judged:
    mean = mean_of(rows, "f1")
    return decide(target, f"{mean:.3f}", None if math.isnan(mean) else mean >= least)


def _at_thirty(ours: pd.DataFrame, kind: str, least: float) -> Judged:
    words = kind.replace("_", " & ")
    rows = pick(ours, kind=kind, rate=REPEATED_RATE)
    return _least(f"30 % {words}: mean F1 ≥ {least:g}", rows, least)


def _repeated(ours: pd.DataFrame) -> pd.DataFrame:
    return pick(ours, kind=tuple(_LEAST_AT_30), rate=REPEATED_RATE)


def _no_set_far(ours: pd.DataFrame) -> Judged:
    rows = _repeated(ours)
    gaps = [
        (mean_of(group, "best") - mean_of(group, "f1"), f"{name}, {kind}")
        for (name, kind), group in grouped(rows, "name", "kind").items()
    ]
    worst, who = max(gaps, default=(math.nan, ""))
    target = "30 % salt, salt & pepper, spikes: no set more than 0.2 below the best threshold"
    return decide(target, f"{worst:.2f} ({who})", None if not gaps else worst <= FAR)


def _draws(ours: pd.DataFrame) -> Judged:
    spreads = [
        (spread(values_of(rows, "f1")), f"{name}, {kind}")
        for (name, kind), rows in grouped(_repeated(ours), "name", "kind").items()
        if len(rows) > 1
    ]
    worst, who = max(spreads, default=(math.nan, ""))
    target = "the same: spread over draws ≤ 0.03"
    return decide(target, f"{worst:.3f} ({who})", None if not spreads else worst <= 0.03)


def _term_counts(ours: pd.DataFrame, clean: pd.DataFrame) -> list[Judged]:
    flagged = mean_of(pick(clean, nature=_TERM_COUNTS), "flagged")
    salt = pick(ours, nature=_TERM_COUNTS, kind=damage.SALT, rate=0.02)
    return [
        decide(
            "term counts without errors: ≤ 0.2 % flagged",
            percent(flagged, 2),
            None if math.isnan(flagged) else flagged <= 0.002,
        ),
        _least("term counts, 2 % salt: F1 ≥ 0.90", salt, 0.90),
    ]


def _warnings(ours: pd.DataFrame) -> list[Judged]:
    known = bool(values_of(ours, "verdict"))
    rows = records(ours)
    failures = [row for row in rows if failed(row)]
    good = [row for row in rows if near(row) and restored(row)]
    named, false = share(map(_warned, failures)), share(map(_warned, good))
    return [
        decide(
            "failures that the verdict names: ≥ 80 %",
            f"{percent(named, 0)} of {len(failures)}",
            named >= 0.8 if known and failures else None,
        ),
        decide(
            "false warnings: ≤ 2 %",
            f"{percent(false)} of {len(good)}",
            false <= 0.02 if known and good else None,
        ),
    ]


def _rank(clean: pd.DataFrame) -> list[Judged]:
    there = [row for row in records(clean) if row.get("error_auto_rank") is not None]
    ratios = [
        (math.sqrt(row["error_auto_rank"] / max(row["error"], 1e-12)), row["name"])
        for row in there
        if row["error"] is not None
    ]
    fits = [(row["fits_auto_rank"], row["name"]) for row in there]
    worst, who = max(ratios, default=(math.nan, ""))
    most, slow = max(fits, default=(math.nan, ""))
    return [
        decide(
            "automatic rank: error of W H ≤ 1.1 × that of rank 10",
            f"{worst:.2f} × ({who})",
            None if not ratios else worst <= 1.1,
        ),
        decide(
            "automatic rank: ≤ 40 times the time of a fit with λ = 0.04",
            f"{most:.0f} × ({slow})",
            None if not fits else most <= 40,
        ),
    ]


def _missing(rows: pd.DataFrame) -> Judged:
    ratios = [
        (max(row["plain"], row["refit"]) / row["oracle"], row["name"])
        for row in records(rows)
        if row.get("oracle") and row.get("plain") is not None and row.get("refit") is not None
    ]
    worst, who = max(ratios, default=(math.nan, ""))
    target = "30 % missing, λ = 0.04: error of W H there ≤ 2 × that of a fit to all"
    return decide(target, f"{worst:.1f} × ({who})", None if not ratios else worst <= 2)
