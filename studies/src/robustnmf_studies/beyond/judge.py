"""The targets, each decided from the numbers."""

from __future__ import annotations

from statistics import fmean

import pandas as pd

from robustnmf_studies.beyond.measures import SURE
from robustnmf_studies.beyond.methods import AUTO, FIXED
from robustnmf_studies.beyond.numbers import corrupt_places, gap, place_words, places
from robustnmf_studies.beyond.settings import (
    CORRUPTION_NAMES,
    CORRUPTIONS,
    FOREIGN,
    FOREIGN_NAMES,
    NONE,
    ORL,
    SALT,
    SET_NAMES,
    SQUARE,
    SYNTHETIC,
)
from robustnmf_studies.common.frames import Numbers, pick, table_of, values_of
from robustnmf_studies.common.targets import Judged, decide
from robustnmf_studies.common.verdicts import percent

MOST_GAP = 0.03
MOST_FLAGGED = 0.005
MOST_FITS = 4.0
LEAST_SURE_RIGHT = 0.85
LEAST_EXACT = 0.8
MOST_MISS = 2
MOST_RANK_FITS = 15.0
MOST_SPOILED = 1.05

# What was measured, whether it is good enough (None where nothing was measured), and where.
Finding = tuple[str, bool | None, str]
_NOT_MEASURED: Finding = ("", None, "")


def judge(numbers: Numbers) -> list[Judged]:
    """Decide every target from the numbers.

    Examples
    --------
    >>> judge({})[0].verdict
    'not measured'
    """
    detect, ranks = table_of(numbers, "detect"), table_of(numbers, "ranks")
    synthetic = pick(ranks, data=SYNTHETIC)
    wrong = corrupt_places(detect)
    found: list[tuple[str, str, Finding]] = []
    for (n, pixels), (least, most) in SALT.items():
        place = f"{n} ORL faces, {pixels} px of salt"
        rows = pick(detect, data=ORL, n=n, corruption="salt", amount=pixels, method=AUTO)
        error = f"{place}: W H error ≤ {most:.2f} of the oracle's"
        found += [
            (f"f1-{n}-{pixels}", f"{place}: F1 ≥ {least:.2f}", _salt(rows, "f1", least=least)),
            (f"wh-{n}-{pixels}", error, _salt(rows, "wh_relative", most=most)),
        ]
    below = f"F1 at most {MOST_GAP} below the oracle's best threshold"
    found += [
        (
            f"{data}-{kind}",
            f"{SET_NAMES[data]}, {CORRUPTION_NAMES[kind]}: {below}",
            _oracle_gap(pick(detect, data=data, corruption=kind)),
        )
        for data in SET_NAMES
        for kind in CORRUPTIONS
        # Rows of synthetic data are no pictures.
        if (data, kind) != (SYNTHETIC, SQUARE)
    ]
    clean = places(pick(detect, corruption=NONE))
    rank = "Rank 3 to 20, synthetic"
    found += [
        (
            "none",
            "No corruption: ≤ 0.5 % flagged",
            _worst(clean, "flagged", "{:.3%}", most=MOST_FLAGGED),
        ),
        (
            "cost",
            "Auto takes ≤ 4 fits at λ = 0.04",
            _worst(places(detect), "relative", "{:.1f}", most=MOST_FITS),
        ),
        (
            "sure",
            f"Scored above {SURE}: ≥ 85 % right",
            _sure_ones(wrong, table_of(numbers, "calibration")),
        ),
        ("refit-wh", "W H error below RobustNMF+WNMF's", _beats_refit(wrong, "wh_relative")),
        (
            "refit-noise",
            "Error of the noise's size below RobustNMF+WNMF's",
            _beats_refit(wrong, "noise_error"),
        ),
        ("rank-exact", f"{rank}: exact in 8 of 10", _rank_exact(synthetic)),
        ("rank-miss", f"{rank}: never off by more than 2", _rank_miss(synthetic)),
        ("rank-cost", "Choosing the rank takes ≤ 15 fits with lam='auto'", _rank_cost(ranks)),
    ]
    found += [
        (
            f"foreign-{kind}",
            f"5 % {FOREIGN_NAMES[kind]}: error on faces ≤ {MOST_SPOILED} of that without",
            _foreign(pick(table_of(numbers, "samples"), corruption=kind)),
        )
        for kind in FOREIGN
    ]
    return [
        decide(target, measured, good, where=where, name=name)
        for name, target, (measured, good, where) in found
    ]


def _salt(
    rows: pd.DataFrame, measure: str, *, least: float = -float("inf"), most: float = float("inf")
) -> Finding:
    values = values_of(rows, measure)
    if not values:
        return _NOT_MEASURED
    value = fmean(values)
    spread = f"{min(values):.3f} to {max(values):.3f} over {_runs(len(values))}"
    return f"{value:.3f}", least <= value <= most, spread


def _oracle_gap(rows: pd.DataFrame) -> Finding:
    found = places(rows)
    if len(found):
        found["gap", AUTO] = gap(found)
    return _worst(found, "gap", "{:+.3f}", most=MOST_GAP)


def _worst(
    found: pd.DataFrame, measure: str, form: str, *, most: float = 0.0, least: float | None = None
) -> Finding:
    """Judge a bound on a figure of auto that must hold at every place, and name the worst."""
    if not len(found):
        return _NOT_MEASURED
    values = found[measure, AUTO]
    good = values <= most if least is None else values >= least
    at = values.idxmax() if least is None else values.idxmin()
    where = f"worst: {place_words(at)}"
    if len(found) > 1:
        where = f"{good.sum()} of {len(found)} places; {where}"
    fewest, largest = (int(count) for count in found["runs", AUTO].agg(["min", "max"]))
    counts = _runs(fewest) if fewest == largest else f"{fewest} to {largest} runs"
    measured = form.format(values[at]).replace("-", "−").replace("%", " %")
    return measured, bool(good.all()), f"{where}; {counts}"


def _runs(count: int) -> str:
    return f"{count} run" if count == 1 else f"{count} runs"


def _sure_ones(wrong: pd.DataFrame, calibration: pd.DataFrame) -> Finding:
    """Judge whether entries that are called surely wrong are so."""
    told = wrong[wrong["sure_right", AUTO].notna()] if len(wrong) else wrong
    measured, good, where = _worst(told, "sure_right", "{:.1%}", least=LEAST_SURE_RIGHT)
    top = pick(calibration, bin=SURE)
    top = top[top["corruption"] != NONE] if len(top) else top
    if good is not None and len(top):
        # Where next to nothing is found, a handful of entries decides; of all entries they are few.
        right = (top["count"] * top["right"]).sum() / top["count"].sum()
        where = f"{100 * right:.1f} % of all such entries; {where}"
    return measured, good, where


def _beats_refit(wrong: pd.DataFrame, measure: str) -> Finding:
    """Judge whether auto has a smaller error than RobustNMF+WNMF everywhere."""
    if not len(wrong):
        return _NOT_MEASURED
    ratios = wrong[measure, AUTO] / wrong[measure, "refit"]
    won = ratios < 1
    measured = f"{ratios.sort_values().iloc[len(ratios) // 2]:.2f} of it in the middle"
    where = f"smaller at {won.sum()} of {len(wrong)} places"
    if not won.all():
        where += f"; not at: {place_words(won.idxmin())}"
    return measured, bool(won.all()), where


def _rank_exact(synthetic: pd.DataFrame) -> Finding:
    if not len(synthetic):
        return _NOT_MEASURED
    exact = synthetic["found"] == synthetic["rank"]
    shares = exact.groupby(synthetic["amount"]).mean()
    by_share = [f"{percent(share)} at {100 * amount:g} %" for amount, share in shares.items()]
    good = exact.sum() >= LEAST_EXACT * len(exact)
    return f"{exact.sum()} of {len(exact)}", bool(good), ", ".join(by_share)


def _rank_miss(synthetic: pd.DataFrame) -> Finding:
    if not len(synthetic):
        return _NOT_MEASURED
    misses = synthetic["found"] - synthetic["rank"]
    worst = synthetic.loc[misses.abs().idxmax()]
    miss = worst["found"] - worst["rank"]
    where = f"{worst['found']} found of {worst['rank']}, {100 * worst['amount']:g} % corrupt"
    return f"{miss:+d}".replace("-", "−"), bool(abs(miss) <= MOST_MISS), where


def _rank_cost(ranks: pd.DataFrame) -> Finding:
    if not len(ranks):
        return _NOT_MEASURED
    groups = ranks.groupby(["data", "rank", "amount"])[["relative_auto", "relative_fixed"]]
    found = groups.median()
    data, rank, amount = slowest = found["relative_auto"].idxmax()
    auto, fixed = found.loc[slowest]
    place = f"{SET_NAMES[data]}, {f'rank {rank:g}, ' if rank else ''}{100 * amount:g} % corrupt"
    where = f"worst: {place}; {fixed:.1f} fits at λ = 0.04 there"
    return f"{auto:.1f}", bool(auto <= MOST_RANK_FITS), where


def _foreign(rows: pd.DataFrame) -> Finding:
    """Judge what foreign samples do to the components."""
    own = pick(rows, method=AUTO)
    if not len(own):
        return _NOT_MEASURED
    value, recall, precision = own[["relative", "recall", "precision"]].mean()
    fixed = pick(rows, method=FIXED)["relative"].mean()
    where = (
        f"λ = 0.04: {fixed:.3f}; reported: precision {precision:.2f}, recall {recall:.2f}, "
        f"{_runs(len(own))}"
    )
    return f"{value:.3f}", bool(value <= MOST_SPOILED), where
