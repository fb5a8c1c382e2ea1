"""The numbers by case, and as tables of words for the report and the documentation alike.

A case is one data set, one kind and amount of corruption and one number of samples; all its runs.
"""

from __future__ import annotations

import itertools

import pandas as pd

from robustnmf_studies.beyond import settings
from robustnmf_studies.beyond.methods import AUTO, FIXED, NAMES, ORACLE
from robustnmf_studies.beyond.settings import CORRUPTION_NAMES, NONE, SET_NAMES, SYNTHETIC
from robustnmf_studies.common.frames import Numbers, pick, table_of, text_table
from robustnmf_studies.common.words import amount_words, read_words, row_table, table_words

CASE = ["data", "corruption", "n", "amount"]
_MEASURES = ["precision", "recall", "f1", "flagged", "wh_relative", "restored", "noise_error"]
_OF_AUTO = ["sure", "sure_right", "estimated_share", "true_share"]


def faces_of(numbers: Numbers) -> str:
    """Return which faces the main part was run on."""
    orl = pick(table_of(numbers, "detect"), data=settings.ORL)
    return settings.ORL if len(orl) else settings.LFW


def by_case(detect: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each case, in the order in which they were planned.

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
    rows = detect.reindex(columns=[*CASE, "method", *measures, "relative"])
    rows = rows.astype(dict.fromkeys(measures, float))
    groups = rows.groupby([*CASE, "method"])
    means = groups[measures].mean()
    found = means.assign(relative=groups["relative"].median(), runs=groups.size())
    wide = found.unstack("method")
    f1 = wide["f1"].reindex(columns=[AUTO, ORACLE])
    wide["gap", AUTO] = f1[ORACLE] - f1[AUTO]
    return wide.reindex(sorted(wide.index, key=_order))


def _order(case: tuple[str, str, int, float]) -> tuple[float, ...]:
    data, corruption, n, amount = case
    kind = list(CORRUPTION_NAMES).index(corruption)
    # Pixels come before shares.
    return (list(SET_NAMES).index(data), kind, n, amount < 1, amount)


def corrupt_cases(detect: pd.DataFrame) -> pd.DataFrame:
    """Return the cases in which something is wrong with the data."""
    return by_case(detect[detect["corruption"] != NONE] if len(detect) else detect)


def case_words(case: tuple[str, str, int, float]) -> str:
    """Name a case for readers."""
    data, corruption, n, amount = case
    return f"{SET_NAMES[data]}, n = {n:g}, {_noise_words(corruption, amount)}"


def _noise_words(corruption: str, amount: float) -> str:
    return CORRUPTION_NAMES[corruption] + (f" {amount_words(amount)}" if corruption != NONE else "")


def number_tables(numbers: Numbers) -> dict[str, pd.DataFrame]:
    """Return all tables by name; those without numbers in this run are empty.

    ``tables.toml`` has their words.
    """
    detect, ranks = table_of(numbers, "detect"), table_of(numbers, "ranks")
    wrong = corrupt_cases(detect)
    main = [kind == "salt" and (n, amount) in settings.SALT for _, kind, n, amount in wrong.index]
    shown = {
        "targets": wrong[main],
        "others": wrong[[not chosen for chosen in main]],
        "clean": by_case(pick(detect, corruption=NONE)),
    }
    frames = {
        "auto": _auto(wrong),
        "ranks": _ranks(pick(ranks, data=SYNTHETIC)),
        "real-ranks": _real_ranks(ranks[ranks["data"] != SYNTHETIC] if len(ranks) else ranks),
        "samples": _samples(table_of(numbers, "samples")),
    }
    return {
        name: row_table(frame=frames[name], **words)
        if name in frames
        else _methods(shown[words["cases"]], words["title"], words["measure"], words["form"])
        for name, words in read_words("beyond", "tables").items()
    }


def _methods(found: pd.DataFrame, title: str, measure: str, form: str) -> pd.DataFrame:
    """Return a row for each case and a column for each method that has such a figure."""
    if not len(found):
        return text_table(title, ("case", "runs"))
    figures = found[measure].dropna(axis=1, how="all")
    words = table_words(figures[[name for name in NAMES if name in figures]], form)
    words = words.rename(columns=NAMES)
    words.insert(0, "case", [case_words(case) for case in found.index])
    words.insert(1, "runs", found["runs", AUTO].map("{:.0f}".format))
    return text_table(title, words.columns, words.to_numpy())


def _auto(found: pd.DataFrame) -> pd.DataFrame:
    if not len(found):
        return found
    oracle = found["f1"].reindex(columns=[ORACLE])[ORACLE]
    case = [case_words(case) for case in found.index]
    return found.xs(AUTO, axis=1, level=1).assign(oracle=oracle, case=case)


def _ranks(table: pd.DataFrame) -> pd.DataFrame:
    if not len(table):
        return table
    exact = table.assign(exact=table["found"] == table["rank"])
    return exact.groupby(["rank", "amount"], as_index=False).agg(
        exact=("exact", "sum"),
        runs=("exact", "size"),
        low=("found", "min"),
        high=("found", "max"),
        auto=("relative_auto", "median"),
        fixed=("relative_fixed", "median"),
    )


def _real_ranks(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(
        set=[SET_NAMES[row.data] for row in table.itertuples()],
        noise=[_noise_words(row.corruption, row.amount) for row in table.itertuples()],
    )


def _samples(table: pd.DataFrame) -> pd.DataFrame:
    if not len(table):
        return table
    scores = ["precision", "recall", "false_alarms"]
    groups = table.astype(dict.fromkeys(scores, float)).groupby(["corruption", "method"])
    found = groups[["relative", *scores]].mean()
    found = found.assign(worst=groups["relative"].max(), runs=groups.size())
    order = itertools.product(settings.FOREIGN_NAMES, (FIXED, AUTO))
    found = found.reindex([pair for pair in order if pair in found.index]).reset_index()
    return found.replace({"corruption": settings.FOREIGN_NAMES, "method": NAMES})
