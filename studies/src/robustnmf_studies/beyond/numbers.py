"""The numbers by place, and as tables of words for the report and the documentation alike.

A place is one data set, one kind and amount of corruption and one number of samples; all its runs.
"""

from __future__ import annotations

import itertools

import pandas as pd

from robustnmf_studies.beyond import settings
from robustnmf_studies.beyond.methods import AUTO, FIXED, NAMES, ORACLE
from robustnmf_studies.beyond.settings import CORRUPTION_NAMES, NONE, SET_NAMES, SYNTHETIC
from robustnmf_studies.common.frames import Numbers, pick, table_of, text_table
from robustnmf_studies.common.words import amount_words, row_table, table_words

PLACE = ["data", "corruption", "n", "amount"]
_MEASURES = ["precision", "recall", "f1", "flagged", "wh_relative", "restored", "noise_error"]
_OF_AUTO = ["sure", "sure_right", "estimated_share", "true_share"]


def faces_of(numbers: Numbers) -> str:
    """Return which faces the main part was run on."""
    orl = pick(table_of(numbers, "detect"), data=settings.ORL)
    return settings.ORL if len(orl) else settings.LFW


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
        a machine that is busy for a moment makes single runs far too long. ``runs`` counts them;
        ``gap`` is by how much F1 of auto stays below the best threshold on the oracle's residual.
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
    f1 = wide["f1"].reindex(columns=[AUTO, ORACLE])
    wide["gap", AUTO] = f1[ORACLE] - f1[AUTO]
    return wide.reindex(sorted(wide.index, key=_order))


def _order(place: tuple[str, str, int, float]) -> tuple[float, ...]:
    data, corruption, n, amount = place
    kind = list(CORRUPTION_NAMES).index(corruption)
    # Pixels come before shares.
    return (list(SET_NAMES).index(data), kind, n, amount < 1, amount)


def corrupt_places(detect: pd.DataFrame) -> pd.DataFrame:
    """Return the places at which something is wrong with the data."""
    return places(detect[detect["corruption"] != NONE] if len(detect) else detect)


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
    main = [kind == "salt" and (n, amount) in settings.SALT for _, kind, n, amount in wrong.index]
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
        "real-ranks": _real_ranks(ranks[ranks["data"] != SYNTHETIC] if len(ranks) else ranks),
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
    if len(found):
        oracle = found["f1"].reindex(columns=[ORACLE])[ORACLE]
        place = [place_words(place) for place in found.index]
        found = found.xs(AUTO, axis=1, level=1).assign(oracle=oracle, place=place)
    columns = {
        "place": "{place}",
        "precision": "{precision:.3f}",
        "recall": "{recall:.3f}",
        "F1": "{f1:.3f}",
        "best F1 of the oracle": "{oracle:.3f}",
        "true share": "{true_share:.1%}",
        "corruption_": "{estimated_share:.1%}",
        "above 0.9": "{sure:.1%}",
        "of these right": "{sure_right:.1%}",
        "fits": "{relative:.1f}",
    }
    return row_table('lam="auto" everywhere', found, columns)


def _ranks(table: pd.DataFrame) -> pd.DataFrame:
    if len(table):
        exact = table.assign(exact=table["found"] == table["rank"])
        table = exact.groupby(["rank", "amount"], as_index=False).agg(
            exact=("exact", "sum"),
            runs=("exact", "size"),
            low=("found", "min"),
            high=("found", "max"),
            auto=("relative_auto", "median"),
            fixed=("relative_fixed", "median"),
        )
    columns = {
        "true rank": "{rank:g}",
        "corrupt": "{amount:.0%}",
        "exact": "{exact} of {runs}",
        "found": "{low} to {high}",
        "auto fits": "{auto:.1f}",
        "fits at λ = 0.04": "{fixed:.1f}",
    }
    return row_table("Rank of synthetic data", table, columns)


def _real_ranks(table: pd.DataFrame) -> pd.DataFrame:
    table = table.assign(
        set=[SET_NAMES[row.data] for row in table.itertuples()],
        noise=[_noise_words(row.corruption, row.amount) for row in table.itertuples()],
    )
    columns = {
        "data": "{set}, n = {n}",
        "corruption": "{noise}",
        "rank found": "{found}",
        "auto fits": "{relative_auto:.1f}",
        "fits at λ = 0.04": "{relative_fixed:.1f}",
    }
    return row_table("Rank of real data, which nobody knows", table, columns)


def _samples(table: pd.DataFrame) -> pd.DataFrame:
    if len(table):
        order = list(itertools.product(settings.FOREIGN_NAMES, (FIXED, AUTO)))
        scores = ["precision", "recall", "false_alarms"]
        groups = table.astype(dict.fromkeys(scores, float)).groupby(["corruption", "method"])
        means = groups[["relative", *scores]].mean()
        table = means.assign(worst=groups["relative"].max(), runs=groups.size())
        table = table.reindex([place for place in order if place in table.index]).reset_index()
        table = table.replace({"corruption": settings.FOREIGN_NAMES, "method": NAMES})
    columns = {
        "foreign samples": "{corruption}",
        "method": "{method}",
        "error with / without": "{relative:.3f}",
        "worst run": "{worst:.3f}",
        "precision": "{precision:.2f}",
        "recall": "{recall:.2f}",
        "reported when none is there": "{false_alarms:.1%}",
        "runs": "{runs}",
    }
    return row_table("5 % foreign samples among faces", table, columns)
