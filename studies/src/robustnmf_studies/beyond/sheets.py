"""The numbers of the study as tables of words, for the report and the documentation alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import fmean, median

import pandas as pd

from robustnmf_studies.beyond.decide import SALT
from robustnmf_studies.beyond.methods import AUTO, FIXED, NAMES, ORACLE
from robustnmf_studies.beyond.places import Place, amount_words, corrupt_places, places
from robustnmf_studies.beyond.settings import (
    CORRUPTION_NAMES,
    FOREIGN_NAMES,
    NONE,
    SET_NAMES,
    SYNTHETIC,
)
from robustnmf_studies.common.frames import (
    Numbers,
    mean_of,
    pick,
    records,
    table_of,
    text_table,
    unique_of,
    values_of,
)

EMPTY = "–"


def number_sheets(numbers: Numbers) -> dict[str, pd.DataFrame]:
    """Return all tables that have something in them, by name.

    Parameters
    ----------
    numbers : mapping of DataFrame
        The tables of results.

    Returns
    -------
    dict of Sheet
    """
    detect = table_of(numbers, "detect")
    wrong = corrupt_places(detect)
    heart = [place for place in wrong if _is_target(place)]
    rest = [place for place in wrong if not _is_target(place)]
    clean = list(places(detect, corruption=NONE))
    found = {
        "f1": _methods("F1 of the mask, salt", heart, "f1", "{:.3f}"),
        "wh": _methods("W H error relative to the oracle's, salt", heart, "wh_relative", "{:.2f}"),
        "noise": _methods("Error of the noise's size, salt", heart, "noise_error", "{:.2f}"),
        "restored": _methods("Error left in the restored data", heart, "restored", "{:.3f}"),
        "seconds": _methods("Time in fits at λ = 0.04", heart, "relative", "{:.1f}", middle=median),
        "other-f1": _methods("F1, all other places", rest, "f1", "{:.3f}"),
        "other-wh": _methods("W H error relative to the oracle's", rest, "wh_relative", "{:.2f}"),
        "auto": _auto(wrong),
        "flagged": _methods("Flagged with nothing wrong", clean, "flagged", "{:.2%}"),
        "ranks": _ranks(table_of(numbers, "ranks")),
        "real-ranks": _real_ranks(table_of(numbers, "ranks")),
        "samples": _samples(table_of(numbers, "samples")),
    }
    return {name: sheet for name, sheet in found.items() if len(sheet)}


def _is_target(place: Place) -> bool:
    return place.corruption == "salt" and (place.n, place.amount) in SALT


def _methods(
    title: str,
    found: Iterable[Place],
    measure: str,
    form: str,
    middle: Callable[[list[float]], float] = fmean,
) -> pd.DataFrame:
    """Return a row for each place and a column for each method."""
    found = list(found)
    # A method that was told the truth has no such figure anywhere, or nobody measured it.
    names = [
        name for name in NAMES if any(values_of(pick(p.rows, method=name), measure) for p in found)
    ]
    rows = [
        (
            place.words,
            str(place.runs),
            *(_middle(pick(place.rows, method=name), measure, form, middle) for name in names),
        )
        for place in found
    ]
    return text_table(title, ("place", "runs", *(NAMES[name] for name in names)), rows)


def _middle(
    rows: pd.DataFrame, measure: str, form: str, middle: Callable[[list[float]], float] = fmean
) -> str:
    values = values_of(rows, measure)
    return form.format(middle(values)).replace("%", " %") if values else EMPTY


def _auto(found: list[Place]) -> pd.DataFrame:
    columns: tuple[tuple[str, Callable[[Place], str]], ...] = (
        ("precision", lambda p: f"{p.mean(AUTO, 'precision'):.3f}"),
        ("recall", lambda p: f"{p.mean(AUTO, 'recall'):.3f}"),
        ("F1", lambda p: f"{p.mean(AUTO, 'f1'):.3f}"),
        ("best F1 of the oracle", lambda p: f"{p.mean(ORACLE, 'f1'):.3f}"),
        ("true share", lambda p: f"{100 * p.mean(AUTO, 'true_share'):.1f} %"),
        ("corruption_", lambda p: f"{100 * p.mean(AUTO, 'estimated_share'):.1f} %"),
        ("above 0.9", lambda p: f"{100 * p.mean(AUTO, 'sure'):.1f} %"),
        ("of these right", lambda p: _middle(p.rows, "sure_right", "{:.1%}")),
        ("fits", lambda p: f"{p.fits(AUTO):.1f}"),
    )
    rows = [(place.words, *(write(place) for _, write in columns)) for place in found]
    return text_table('lam="auto" everywhere', ("place", *(name for name, _ in columns)), rows)


def _ranks(table: pd.DataFrame) -> pd.DataFrame:
    synthetic = pick(table, data=SYNTHETIC)
    rows = []
    for rank in unique_of(synthetic, "rank"):
        for amount in unique_of(synthetic, "amount"):
            own = pick(synthetic, rank=rank, amount=amount)
            found = values_of(own, "found")
            if found:
                exact = sum(value == rank for value in found)
                rows.append(
                    (
                        f"{rank:g}",
                        f"{100 * amount:g} %",
                        f"{exact} of {len(found)}",
                        f"{min(found)} to {max(found)}",
                        f"{median(values_of(own, 'relative_auto')):.1f}",
                        f"{median(values_of(own, 'relative_fixed')):.1f}",
                    )
                )
    headings = ("true rank", "corrupt", "exact", "found", "auto fits", "fits at λ = 0.04")
    return text_table("Rank of synthetic data", headings, rows)


def _real_ranks(table: pd.DataFrame) -> pd.DataFrame:
    rows = [
        (
            f"{SET_NAMES[row['data']]}, n = {row['n']}",
            f"{CORRUPTION_NAMES[row['corruption']]} {amount_words(row['amount'])}",
            f"{row['found']}",
            f"{row['relative_auto']:.1f}",
            f"{row['relative_fixed']:.1f}",
        )
        for row in records(table)
        if row["data"] != SYNTHETIC
    ]
    headings = ("data", "corruption", "rank found", "auto fits", "fits at λ = 0.04")
    return text_table("Rank of real data, which nobody knows", headings, rows)


def _samples(table: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for kind, words in FOREIGN_NAMES.items():
        for name in (FIXED, AUTO):
            own = pick(table, corruption=kind, method=name)
            if len(own):
                rows.append(
                    (
                        words,
                        NAMES[name],
                        f"{mean_of(own, 'relative'):.3f}",
                        f"{max(values_of(own, 'relative')):.3f}",
                        *(_middle(own, measure, "{:.2f}") for measure in ("precision", "recall")),
                        _middle(own, "false_alarms", "{:.1%}"),
                        str(len(own)),
                    )
                )
    headings = (
        "foreign samples",
        "method",
        "error with / without",
        "worst run",
        "precision",
        "recall",
        "reported when none is there",
        "runs",
    )
    return text_table("5 % foreign samples among faces", headings, rows)
