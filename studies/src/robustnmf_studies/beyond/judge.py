"""The targets, each decided from the numbers; ``targets.toml`` has their words."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pandas as pd

from robustnmf_studies.beyond import settings
from robustnmf_studies.beyond.measures import SURE
from robustnmf_studies.beyond.methods import AUTO, FIXED
from robustnmf_studies.beyond.numbers import by_case, case_words, corrupt_cases
from robustnmf_studies.beyond.settings import CORRUPTIONS, FOREIGN_NAMES, SET_NAMES, SYNTHETIC
from robustnmf_studies.common.frames import Numbers, pick, table_of
from robustnmf_studies.common.targets import Judged, tell
from robustnmf_studies.common.verdicts import percent
from robustnmf_studies.common.words import read_words

MOST_GAP = 0.03
MOST_FLAGGED = 0.005
MOST_FITS = 4.0
LEAST_SURE_RIGHT = 0.85
LEAST_EXACT = 0.8
MOST_MISS = 2
MOST_RANK_FITS = 15.0
MOST_SPOILED = 1.05

# What a target's words are filled with, and whether it is met; without that where nothing was
# measured.
Values = dict[str, Any]


def judge(numbers: Numbers) -> list[Judged]:
    """Decide every target from the numbers.

    Examples
    --------
    >>> judge({})[0].verdict
    'not measured'
    """
    detect, ranks = table_of(numbers, "detect"), table_of(numbers, "ranks")
    synthetic = pick(ranks, data=SYNTHETIC)
    wrong, clean = corrupt_cases(detect), by_case(pick(detect, corruption=settings.NONE))
    found: list[tuple[str, Values]] = []
    for (n, pixels), (least, most) in settings.SALT.items():
        rows = pick(detect, data=settings.ORL, n=n, corruption="salt", amount=pixels, method=AUTO)
        case = {"n": n, "pixels": pixels}
        found += [
            ("salt-f1", case | {"bound": least} | _mean(rows, "f1", least=least)),
            ("salt-wh", case | {"bound": most} | _mean(rows, "wh_relative", most=most)),
        ]
    for data, kind in itertools.product(SET_NAMES, CORRUPTIONS):
        # Rows of synthetic data are no pictures.
        if (data, kind) != (SYNTHETIC, settings.SQUARE):
            names = {"set": SET_NAMES[data], "corruption": settings.CORRUPTION_NAMES[kind]}
            own = by_case(pick(detect, data=data, corruption=kind))
            values = {"data": data, "kind": kind, "bound": MOST_GAP, **names}
            found.append(("oracle", values | _worst(own, "gap", most=MOST_GAP)))
    found += [
        ("none", _worst(clean, "flagged", most=MOST_FLAGGED)),
        ("cost", _worst(by_case(detect), "relative", most=MOST_FITS)),
        ("sure", _sure_ones(wrong, table_of(numbers, "calibration"))),
        ("refit-wh", _beats_refit(wrong, "wh_relative")),
        ("refit-noise", _beats_refit(wrong, "noise_error")),
        ("rank-exact", _rank_exact(synthetic)),
        ("rank-miss", _rank_miss(synthetic)),
        ("rank-cost", _rank_cost(ranks)),
    ]
    for kind in settings.FOREIGN:
        values = {"kind": kind, "foreign": FOREIGN_NAMES[kind], "bound": MOST_SPOILED}
        own = pick(table_of(numbers, "samples"), corruption=kind)
        found.append(("foreign", values | _foreign(own)))
    words = read_words("beyond", "targets")
    return [tell(words[target], values) for target, values in found]


def _mean(
    rows: pd.DataFrame, measure: str, *, least: float = -math.inf, most: float = math.inf
) -> Values:
    if not len(rows):
        return {}
    low, value, high = rows[measure].agg(["min", "mean", "max"])
    runs = _runs(rows[measure].count())
    return {"good": least <= value <= most, "value": value, "low": low, "high": high, "runs": runs}


def _worst(
    found: pd.DataFrame, measure: str, *, least: float = -math.inf, most: float = math.inf
) -> Values:
    """Judge a bound on a figure of auto that must hold in every case, and name the worst."""
    if not len(found):
        return {}
    values, runs = found[measure, AUTO], found["runs", AUTO]
    good = values.between(least, most)
    at = values.idxmax() if most < math.inf else values.idxmin()
    passed = f"{good.sum()} of {len(found)} cases; " if len(found) > 1 else ""
    where = f"{passed}worst: {case_words(at)}; {_runs(runs.min(), runs.max())}"
    return {"good": good.all(), "value": values[at], "cases": where}


def _runs(fewest: float, most: float | None = None) -> str:
    if most not in (None, fewest):
        return f"{fewest:g} to {most:g} runs"
    return f"{fewest:g} run" if fewest == 1 else f"{fewest:g} runs"


def _sure_ones(wrong: pd.DataFrame, calibration: pd.DataFrame) -> Values:
    """Judge whether entries that are called surely wrong are so."""
    told = wrong[wrong["sure_right", AUTO].notna()] if len(wrong) else wrong
    top = pick(calibration, bin=SURE, corruption=CORRUPTIONS)
    right = ""
    if len(top):
        # Where next to nothing is found, a handful of entries decides; of all entries they are few.
        share = (top["count"] * top["right"]).sum() / top["count"].sum()
        right = f"{100 * share:.1f} % of all such entries; "
    return {"all": right} | _worst(told, "sure_right", least=LEAST_SURE_RIGHT)


def _beats_refit(wrong: pd.DataFrame, measure: str) -> Values:
    """Judge whether auto has a smaller error than RobustNMF+WNMF everywhere."""
    if not len(wrong):
        return {}
    ratios = wrong[measure, AUTO] / wrong[measure, "refit"]
    won = ratios < 1
    lost = "" if won.all() else f"; not at: {case_words(won.idxmin())}"
    middle = ratios.sort_values().iloc[len(ratios) // 2]
    counts = {"won": won.sum(), "total": len(wrong), "lost": lost}
    return {"good": won.all(), "value": middle} | counts


def _rank_exact(synthetic: pd.DataFrame) -> Values:
    if not len(synthetic):
        return {}
    exact = synthetic["found"] == synthetic["rank"]
    shares = exact.groupby(synthetic["amount"]).mean()
    return {
        "good": exact.sum() >= LEAST_EXACT * len(exact),
        "exact": exact.sum(),
        "total": len(exact),
        "shares": ", ".join(f"{percent(share)} at {100 * a:g} %" for a, share in shares.items()),
    }


def _rank_miss(synthetic: pd.DataFrame) -> Values:
    if not len(synthetic):
        return {}
    worst = synthetic.loc[(synthetic["found"] - synthetic["rank"]).abs().idxmax()]
    miss = worst["found"] - worst["rank"]
    return {"good": abs(miss) <= MOST_MISS, "miss": miss, "share": 100 * worst["amount"], **worst}


def _rank_cost(ranks: pd.DataFrame) -> Values:
    if not len(ranks):
        return {}
    groups = ranks.groupby(["data", "rank", "amount"])[["relative_auto", "relative_fixed"]]
    found = groups.median()
    data, rank, amount = slowest = found["relative_auto"].idxmax()
    auto, fixed = found.loc[slowest]
    case = f"{SET_NAMES[data]}, {f'rank {rank:g}, ' if rank else ''}{100 * amount:g} % corrupt"
    return {"good": auto <= MOST_RANK_FITS, "auto": auto, "fixed": fixed, "case": case}


def _foreign(rows: pd.DataFrame) -> Values:
    """Judge what foreign samples do to the components."""
    own = pick(rows, method=AUTO)
    if not len(own):
        return {}
    mean = own[["relative", "recall", "precision"]].mean()
    fixed = pick(rows, method=FIXED)["relative"].mean()
    good = mean["relative"] <= MOST_SPOILED
    return {"good": good, "fixed": fixed, "runs": _runs(len(own)), **mean}
