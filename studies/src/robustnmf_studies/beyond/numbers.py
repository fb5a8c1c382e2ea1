"""The numbers by place, and as tables of words for the report and the documentation alike.

A place is one data set, one kind and amount of corruption and one number of samples; all its runs.
"""

from __future__ import annotations

import pandas as pd

from robustnmf_studies.beyond.methods import AUTO, FIXED, NAMES, ORACLE
from robustnmf_studies.beyond.settings import (
    CORRUPTION_NAMES,
    FOREIGN_NAMES,
    LFW,
    NONE,
    ORL,
    SALT,
    SET_NAMES,
    SYNTHETIC,
)
from robustnmf_studies.common.frames import Numbers, pick, table_of, text_table
from robustnmf_studies.common.words import amount_words, in_words, table_words

PLACE = ["data", "corruption", "n", "amount"]
_MEASURES = ["precision", "recall", "f1", "flagged", "wh_relative", "restored", "noise_error"]
_OF_AUTO = ["sure", "sure_right", "estimated_share", "true_share"]


def faces_of(numbers: Numbers) -> str:
    """Return which faces the main part was run on."""
    return ORL if len(pick(table_of(numbers, "detect"), data=ORL)) else LFW


def places(detect: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each place, in the order in which they were planned.

    Parameters
    ----------
    detect : DataFrame
        The rows of ``detect``, or some of them.

    Returns
    -------
    DataFrame
        For each measure and method, the mean over the runs; of the time, ``relative``, the median:
        a machine that is busy for a moment makes single runs far too long. ``runs`` counts them.
    """
    if not len(detect):
        return pd.DataFrame()
    measures = [*_MEASURES, *_OF_AUTO]
    rows = detect.reindex(columns=[*PLACE, "method", *measures, "relative"])
    rows = rows.astype(dict.fromkeys(measures, float))
    groups = rows.groupby([*PLACE, "method"])
    means = groups[measures].mean()
    found = means.assign(relative=groups["relative"].median(), runs=groups.size())
    wide = found.unstack("method")
    return wide.reindex(sorted(wide.index, key=_order))


def _order(place: tuple[str, str, int, float]) -> tuple[float, ...]:
    data, corruption, n, amount = place
    kind = list(CORRUPTION_NAMES).index(corruption)
    # Pixels come before shares.
    return (list(SET_NAMES).index(data), kind, n, amount < 1, amount)


def corrupt_places(detect: pd.DataFrame) -> pd.DataFrame:
    """Return the places at which something is wrong with the data."""
    return places(detect[detect["corruption"] != NONE] if len(detect) else detect)


def gap(found: pd.DataFrame) -> pd.Series:
    """Return by how much F1 of auto stays below the best threshold on the oracle's residual."""
    return found["f1", ORACLE] - found["f1", AUTO]


def place_words(place: tuple[str, str, int, float]) -> str:
    """Name a place for readers."""
    data, corruption, n, amount = place
    return f"{SET_NAMES[data]}, n = {n:g}, {_noise_words(corruption, amount)}"


def _noise_words(corruption: str, amount: float) -> str:
    return CORRUPTION_NAMES[corruption] + (f" {amount_words(amount)}" if corruption != NONE else "")


def number_tables(numbers: Numbers) -> dict[str, pd.DataFrame]:
    """Return all tables by name; those without numbers in this run are empty."""
    detect = table_of(numbers, "detect")
    wrong = corrupt_places(detect)
    main = [kind == "salt" and (n, amount) in SALT for _, kind, n, amount in wrong.index]
    heart, rest = wrong[main], wrong[[not chosen for chosen in main]]
    clean = places(pick(detect, corruption=NONE))
    ranks = table_of(numbers, "ranks")
    return {
        "f1": _methods("F1 of the mask, salt", heart, "f1", "{:.3f}"),
        "wh": _methods("W H error relative to the oracle's, salt", heart, "wh_relative", "{:.2f}"),
        "noise": _methods("Error of the noise's size, salt", heart, "noise_error", "{:.2f}"),
        "restored": _methods("Error left in the restored data", heart, "restored", "{:.3f}"),
        "seconds": _methods("Time in fits at λ = 0.04", heart, "relative", "{:.1f}"),
        "other-f1": _methods("F1, all other places", rest, "f1", "{:.3f}"),
        "other-wh": _methods("W H error relative to the oracle's", rest, "wh_relative", "{:.2f}"),
        "auto": _auto(wrong),
        "flagged": _methods("Flagged with nothing wrong", clean, "flagged", "{:.2%}"),
        "ranks": _ranks(pick(ranks, data=SYNTHETIC)),
        "real-ranks": _real_ranks(ranks),
        "samples": _samples(table_of(numbers, "samples")),
    }


def _methods(title: str, found: pd.DataFrame, measure: str, form: str) -> pd.DataFrame:
    """Return a row for each place and a column for each method that has such a figure."""
    if not len(found):
        return text_table(title, ("place", "runs"))
    figures = found[measure].dropna(axis=1, how="all")
    words = table_words(figures[[name for name in NAMES if name in figures]], form)
    words = words.rename(columns=NAMES)
    words.insert(0, "place", [place_words(place) for place in found.index])
    words.insert(1, "runs", found["runs", AUTO].map("{:.0f}".format))
    return text_table(title, words.columns, words.to_numpy())


def _auto(found: pd.DataFrame) -> pd.DataFrame:
    columns = (
        ("precision", "precision", AUTO, "{:.3f}"),
        ("recall", "recall", AUTO, "{:.3f}"),
        ("F1", "f1", AUTO, "{:.3f}"),
        ("best F1 of the oracle", "f1", ORACLE, "{:.3f}"),
        ("true share", "true_share", AUTO, "{:.1%}"),
        ("corruption_", "estimated_share", AUTO, "{:.1%}"),
        ("above 0.9", "sure", AUTO, "{:.1%}"),
        ("of these right", "sure_right", AUTO, "{:.1%}"),
        ("fits", "relative", AUTO, "{:.1f}"),
    )
    rows = [
        (place_words(place), *(in_words(row[m, method], form) for _, m, method, form in columns))
        for place, row in found.iterrows()
    ]
    return text_table('lam="auto" everywhere', ("place", *(name for name, *_ in columns)), rows)


def _ranks(table: pd.DataFrame) -> pd.DataFrame:
    rows = [
        (
            f"{rank:g}",
            f"{100 * amount:g} %",
            f"{(own['found'] == rank).sum()} of {len(own)}",
            f"{own['found'].min()} to {own['found'].max()}",
            *(f"{own[name].median():.1f}" for name in ("relative_auto", "relative_fixed")),
        )
        for (rank, amount), own in (table.groupby(["rank", "amount"]) if len(table) else ())
    ]
    headings = ("true rank", "corrupt", "exact", "found", "auto fits", "fits at λ = 0.04")
    return text_table("Rank of synthetic data", headings, rows)


def _real_ranks(table: pd.DataFrame) -> pd.DataFrame:
    rows = [
        (
            f"{SET_NAMES[row.data]}, n = {row.n}",
            _noise_words(row.corruption, row.amount),
            f"{row.found}",
            f"{row.relative_auto:.1f}",
            f"{row.relative_fixed:.1f}",
        )
        for row in table.itertuples()
        if row.data != SYNTHETIC
    ]
    headings = ("data", "corruption", "rank found", "auto fits", "fits at λ = 0.04")
    return text_table("Rank of real data, which nobody knows", headings, rows)


def _samples(table: pd.DataFrame) -> pd.DataFrame:
    rows = []
    groups = dict(iter(table.groupby(["corruption", "method"]))) if len(table) else {}
    for kind, name in ((kind, name) for kind in FOREIGN_NAMES for name in (FIXED, AUTO)):
        if (kind, name) in groups:
            own = groups[kind, name]
            means = own[["relative", "precision", "recall", "false_alarms"]].astype(float).mean()
            rows.append(
                (
                    FOREIGN_NAMES[kind],
                    NAMES[name],
                    f"{means['relative']:.3f}",
                    f"{own['relative'].max():.3f}",
                    in_words(means["precision"], "{:.2f}"),
                    in_words(means["recall"], "{:.2f}"),
                    in_words(means["false_alarms"], "{:.1%}"),
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
