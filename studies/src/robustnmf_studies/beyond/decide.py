"""What decides the targets: from the numbers to met or missed, with the figures."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

import pandas as pd

from robustnmf_studies.beyond.measures import SURE
from robustnmf_studies.beyond.methods import AUTO, FIXED
from robustnmf_studies.beyond.places import Place, corrupt_places, places
from robustnmf_studies.beyond.settings import NONE, ORL, SET_NAMES, SYNTHETIC
from robustnmf_studies.common.frames import (
    Numbers,
    mean_of,
    pick,
    records,
    table_of,
    unique_of,
    values_of,
)
from robustnmf_studies.common.verdicts import NOT_MEASURED, Finding, percent

MET, MISSED = "met", "missed"

# Faces, pixels of salt: the least F1, and the largest error of W H relative to the oracle's.
SALT = {
    (50, 50): (0.90, 1.15),
    (50, 100): (0.91, 1.25),
    (100, 50): (0.92, 1.03),
    (100, 100): (0.93, 1.06),
    (100, 200): (0.92, 1.15),
    (400, 100): (0.92, 1.03),
}
MOST_GAP = 0.03
MOST_FLAGGED = 0.005
MOST_FITS = 4.0
LEAST_SURE_RIGHT = 0.85
LEAST_EXACT = 0.8
MOST_MISS = 2
MOST_RANK_FITS = 15.0
MOST_SPOILED = 1.05


def _detect(numbers: Numbers) -> pd.DataFrame:
    return table_of(numbers, "detect")


def _verdict(good: bool) -> str:
    return MET if good else MISSED


def salt_f1(n: int, pixels: int, least: float, numbers: Numbers) -> Finding:
    """Judge the mean F1 at one of the settings on ORL faces."""
    return _salt(n, pixels, numbers, "f1", lambda value: value >= least)


def salt_error(n: int, pixels: int, most: float, numbers: Numbers) -> Finding:
    """Judge the mean error of W H, relative to the oracle's, at one of the settings."""
    return _salt(n, pixels, numbers, "wh_relative", lambda value: value <= most)


def _salt(
    n: int, pixels: int, numbers: Numbers, measure: str, good: Callable[[float], bool]
) -> Finding:
    rows = pick(_detect(numbers), data=ORL, n=n, corruption="salt", amount=pixels, method=AUTO)
    if not values_of(rows, measure):
        return NOT_MEASURED
    value = mean_of(rows, measure)
    values = values_of(rows, measure)
    spread = f"{min(values):.3f} to {max(values):.3f} over {_runs(len(values))}"
    return Finding(_verdict(good(value)), f"{value:.3f}", spread)


def other_corruption(data: str, corruption: str, numbers: Numbers) -> Finding:
    """Judge how far F1 stays below the best threshold on the oracle's residual."""
    found = corrupt_places(_detect(numbers), data=data, corruption=corruption)
    return _worst(found, lambda place: place.gap, MOST_GAP, "{:+.3f}")


def nothing_wrong(numbers: Numbers) -> Finding:
    """Judge what is flagged in data with nothing wrong in it."""
    found = list(places(_detect(numbers), corruption=NONE))
    return _worst(found, lambda p: p.mean(AUTO, "flagged"), MOST_FLAGGED, "{:.3%}")


def cost(numbers: Numbers) -> Finding:
    """Judge how long auto takes, in fits at λ = 0.04."""
    found = list(places(_detect(numbers)))
    return _worst(found, lambda place: place.fits(AUTO), MOST_FITS, "{:.1f}")


def sure_ones(numbers: Numbers) -> Finding:
    """Judge whether entries that are called surely wrong are so."""
    found = [p for p in corrupt_places(_detect(numbers)) if values_of(p.rows, "sure_right")]
    finding = _worst(
        found, lambda p: p.mean(AUTO, "sure_right"), LEAST_SURE_RIGHT, "{:.1%}", least=True
    )
    top = pick(table_of(numbers, "calibration"), bin=SURE)
    top = top[top["corruption"] != NONE] if len(top) else top
    if not found or not len(top):
        return finding
    # Where next to nothing is found, a handful of entries decides; of all entries they are few.
    right = float((top["count"] * top["right"]).sum() / top["count"].sum())
    return finding._replace(where=f"{100 * right:.1f} % of all such entries; {finding.where}")


def _worst(
    found: list[Place],
    measure: Callable[[Place], float],
    bound: float,
    form: str,
    *,
    least: bool = False,
) -> Finding:
    """Judge a bound that must hold at every place, and name the worst."""
    if not found:
        return NOT_MEASURED
    values = [measure(place) for place in found]
    kept = sum(value >= bound if least else value <= bound for value in values)
    worst = min(values) if least else max(values)
    where = f"worst: {found[values.index(worst)].words}"
    if len(found) > 1:
        where = f"{kept} of {len(found)} places; {where}"
    runs = {place.runs for place in found}
    counts = _runs(runs.pop()) if len(runs) == 1 else f"{min(runs)} to {max(runs)} runs"
    measured = form.format(worst).replace("-", "−").replace("%", " %")
    return Finding(_verdict(kept == len(found)), measured, f"{where}; {counts}")


def _runs(count: int) -> str:
    return f"{count} run" if count == 1 else f"{count} runs"


def beats_refit(measure: str, numbers: Numbers) -> Finding:
    """Judge whether auto has a smaller error than RobustNMF+WNMF everywhere."""
    found = corrupt_places(_detect(numbers))
    if not found:
        return NOT_MEASURED
    pairs = [(place.mean(AUTO, measure), place.mean("refit", measure)) for place in found]
    won = sum(own < other for own, other in pairs)
    ratios = sorted(own / other for own, other in pairs)
    measured = f"{ratios[len(ratios) // 2]:.2f} of it in the middle"
    lost = [place.words for place, (own, other) in zip(found, pairs, strict=True) if own >= other]
    where = f"smaller at {won} of {len(found)} places" + (f"; not at: {lost[0]}" if lost else "")
    return Finding(_verdict(won == len(found)), measured, where)


def _synthetic_ranks(numbers: Numbers) -> pd.DataFrame:
    return pick(table_of(numbers, "ranks"), data=SYNTHETIC)


def rank_exact(numbers: Numbers) -> Finding:
    """Judge how often the true rank is found."""
    rows = _synthetic_ranks(numbers)
    if not len(rows):
        return NOT_MEASURED
    exact = int((rows["found"] == rows["rank"]).sum())
    by_share = [
        f"{percent(_exact(pick(rows, amount=amount)))} at {100 * amount:g} %"
        for amount in unique_of(rows, "amount")
    ]
    return Finding(
        _verdict(exact >= LEAST_EXACT * len(rows)), f"{exact} of {len(rows)}", ", ".join(by_share)
    )


def _exact(rows: pd.DataFrame) -> float:
    return float((rows["found"] == rows["rank"]).mean())


def rank_miss(numbers: Numbers) -> Finding:
    """Judge by how much the rank is missed at most."""
    rows = _synthetic_ranks(numbers)
    if not len(rows):
        return NOT_MEASURED
    worst = max(records(rows), key=lambda row: abs(row["found"] - row["rank"]))
    miss = worst["found"] - worst["rank"]
    where = f"{worst['found']} found of {worst['rank']}, {100 * worst['amount']:g} % corrupt"
    return Finding(_verdict(abs(miss) <= MOST_MISS), f"{miss:+d}".replace("-", "−"), where)


def rank_cost(numbers: Numbers) -> Finding:
    """Judge how long the choice of the rank takes, in fits with ``lam="auto"``."""
    rows = table_of(numbers, "ranks")
    if not len(rows):
        return NOT_MEASURED
    keys = {(row["data"], row["rank"], row["amount"]) for row in records(rows)}
    found = [pick(rows, data=data, rank=rank, amount=amount) for data, rank, amount in keys]
    slowest = max(found, key=_rank_fits)
    row = slowest.iloc[0]
    rank = f"rank {row['rank']:g}, " if row["rank"] else ""
    where = (
        f"worst: {SET_NAMES[row['data']]}, {rank}{100 * row['amount']:g} % corrupt; "
        f"{median(values_of(slowest, 'relative_fixed')):.1f} fits at λ = 0.04 there"
    )
    value = _rank_fits(slowest)
    return Finding(_verdict(value <= MOST_RANK_FITS), f"{value:.1f}", where)


def _rank_fits(rows: pd.DataFrame) -> float:
    return median(values_of(rows, "relative_auto"))


def foreign(kind: str, numbers: Numbers) -> Finding:
    """Judge what foreign samples do to the components."""
    rows = pick(table_of(numbers, "samples"), corruption=kind)
    own = pick(rows, method=AUTO)
    if not len(own):
        return NOT_MEASURED
    value = mean_of(own, "relative")
    fixed = mean_of(pick(rows, method=FIXED), "relative")
    recall, precision = mean_of(own, "recall"), mean_of(own, "precision")
    where = (
        f"λ = 0.04: {fixed:.3f}; reported: precision {precision:.2f}, recall {recall:.2f}, "
        f"{_runs(len(own))}"
    )
    return Finding(_verdict(value <= MOST_SPOILED), f"{value:.3f}", where)
