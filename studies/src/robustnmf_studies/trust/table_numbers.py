"""The numbers about tables as tables of words."""

from __future__ import annotations

import pandas as pd

from robustnmf_studies.common.frames import Numbers, pick
from robustnmf_studies.common.targets import NOTHING
from robustnmf_studies.trust.errors import FORESEEN, KINDS, RATES, UNFORESEEN
from robustnmf_studies.trust.methods import METHOD_NAMES, OURS
from robustnmf_studies.trust.numbers import (
    RELIABLE,
    against_rivals,
    bold_best,
    bold_in_rows,
    by_method,
    error_left,
    frame_of,
    sheet,
)
from robustnmf_studies.trust.rivals import DDC_LOG, IMPUTER, RIVALS

_METHODS = (OURS, *RIVALS)


def table_sheets(numbers: Numbers) -> dict[str, pd.DataFrame]:
    """Return the tables of the study that are about tables, by name; some may be empty."""
    tables = frame_of(numbers, "tables")
    foreseen = pick(tables, kind=FORESEEN)
    kinds = [kind for kind in KINDS if kind in set(tables["kind"])]
    clean, barren = frame_of(numbers, "clean_tables"), frame_of(numbers, "barren")
    return {
        "methods": _methods(tables),
        "rates": _rates(tables),
        "kinds": _across("F1 by kind of error", tables, "kind", kinds),
        "families": _across("F1 by family of tables", foreseen, "family"),
        "families-repair": _repairs(tables),
        "tables": _across("F1 by table", foreseen, "name"),
        "lost": _lost(tables),
        "clean": _untouched(
            "Real tables without errors: cells flagged and changed", clean.sort_values("name")
        ),
        "barren": _untouched("Nothing to learn, nothing wrong: cells flagged and changed", barren),
        "verdicts": _verdicts(pick(tables, method=OURS)),
    }


def _names(tables: pd.DataFrame) -> dict[str, str]:
    """Return the methods that have rows."""
    return {name: METHOD_NAMES[name] for name in _METHODS if name in set(tables["method"])}


def _methods(tables: pd.DataFrame) -> pd.DataFrame:
    by = tables.groupby("method")
    foreseen, unforeseen = (
        pick(tables, kind=kinds).groupby("method")["f1"].mean() for kinds in (FORESEEN, UNFORESEEN)
    )
    columns = [
        ("F1, foreseen", foreseen, ".3f"),
        ("F1, unforeseen", unforeseen, ".3f"),
        ("precision", by["precision"].mean(), ".2f"),
        ("recall", by["recall"].mean(), ".2f"),
        ("repair error", by["repair"].mean(), ".2f"),
        ("error left", error_left(by), ".2f"),
        ("harm", by["harm"].mean(), ".1%"),
        ("seconds", by["seconds"].mean(), ".2f"),
    ]
    table = sheet("All methods, means over all runs", "method", _names(tables), columns)
    for name, _, _ in columns:
        lowest = name in ("repair error", "error left", "harm", "seconds")
        table[name] = bold_best(table[name], lowest=lowest)
    return table


def _rates(tables: pd.DataFrame) -> pd.DataFrame:
    columns = []
    for rate in RATES:
        means = pick(tables, rate=rate).groupby("method")[["f1", "harm"]].mean()
        columns.append((f"{100 * rate:g} %: F1", means["f1"], ".3f"))
        columns.append(("harm", means["harm"], ".1%"))
    return sheet("By share of wrong cells", "method", _names(tables), columns)


def _across(
    title: str, tables: pd.DataFrame, by: str, order: list[str] | None = None
) -> pd.DataFrame:
    """Return the mean F1 of all methods, one row for each value of a column."""
    order = sorted(set(tables[by])) if order is None else order
    return bold_in_rows(sheet(title, by, order, by_method(tables, by, _METHODS)), _METHODS)


def _repairs(tables: pd.DataFrame) -> pd.DataFrame:
    median = pick(tables, method=OURS).groupby("family")["by_median"].mean()
    table = sheet(
        "Repair error by family, robust standard deviations",
        "family",
        sorted(set(tables["family"])),
        [
            *by_method(tables, "family", _METHODS[:4], "repair"),
            ("the column's median", median, ".2f"),
        ],
    )
    return bold_in_rows(table, _METHODS[:4], lowest=True)


def _lost(tables: pd.DataFrame) -> pd.DataFrame:
    """Return the tables and kinds at which a rival finds more, the largest gaps first."""
    pairs = against_rivals(tables, "name", "kind").reset_index()
    pairs["gap"] = pairs["theirs"] - pairs["ours"]
    # What is not told apart by a hundredth is a draw.
    lost = pairs[pairs["theirs"] > pairs["ours"] + 0.01]
    lost = lost.sort_values(["gap", "name", "kind"], ascending=False)
    return sheet(
        "Where a rival is better",
        "table",
        lost["name"].to_dict(),
        [
            ("kind of error", lost["kind"], ""),
            ("robustnmf, auto", lost["ours"], ".2f"),
            ("best rival", lost["rival"].map(METHOD_NAMES), ""),
            ("its F1", lost["theirs"], ".2f"),
        ],
    )


def lost_words(numbers: Numbers) -> str:
    """Return in one sentence how often a rival is better."""
    tables = pick(frame_of(numbers, "tables"), kind=KINDS)
    by_table, pairs = against_rivals(tables, "name"), against_rivals(tables, "name", "kind")
    if not len(pairs):
        return NOTHING
    behind, pairs_behind = (int((f["ours"] < f["theirs"]).sum()) for f in (by_table, pairs))
    return (
        f"Some rival has the higher mean F1 on {behind} of {len(by_table)} tables "
        f"and at {pairs_behind} of {len(pairs)} pairs of a table and a kind of error; which "
        "rival that is differs from pair to pair."
    )


def _untouched(title: str, clean: pd.DataFrame) -> pd.DataFrame:
    """Return what is done to tables with nothing wrong in them."""
    ours = pick(clean, method=OURS).set_index("name")
    others = [
        (METHOD_NAMES[name], pick(clean, method=name).set_index("name")["changed"], ".2%")
        for name in (IMPUTER, DDC_LOG)
    ]
    columns = [
        ("flagged", ours["flagged"], ".2%"),
        ("changed", ours["changed"], ".2%"),
        ("verdict", ours["verdict"].fillna(ours["failure"]), ""),
        *others,
    ]
    return sheet(title, "table", list(ours.index), columns)


def _verdicts(ours: pd.DataFrame) -> pd.DataFrame:
    by = ours.groupby("verdict")
    columns = [
        ("runs", by.size(), "d"),
        ("F1", by["f1"].mean(), ".2f"),
        ("precision", by["precision"].mean(), ".2f"),
        ("harm", by["harm"].mean(), ".1%"),
    ]
    order = sorted(by.groups, key=lambda verdict: (verdict != RELIABLE, verdict))
    return sheet("What the verdict is worth: tables", "verdict", order, columns)
