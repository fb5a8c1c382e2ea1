"""The numbers about matrices as tables of words."""

from __future__ import annotations

import pandas as pd

from robustnmf_studies.common.frames import Numbers, pick
from robustnmf_studies.common.targets import NOTHING
from robustnmf_studies.trust.damage import KINDS
from robustnmf_studies.trust.methods import MATRIX_RIVALS, METHOD_NAMES, ORACLE, OURS, STACK
from robustnmf_studies.trust.numbers import (
    bold_in_rows,
    by_method,
    frame_of,
    in_words,
    sheet,
)
from robustnmf_studies.trust.settings import STACKS

_METHODS = (OURS, *MATRIX_RIVALS)


def matrix_sheets(numbers: Numbers) -> dict[str, pd.DataFrame]:
    """Return the tables of the study that are about matrices, by name; some may be empty."""
    matrices = frame_of(numbers, "matrices")
    ours = pick(matrices, method=OURS)
    return {
        "matrix-kinds": _kinds(matrices),
        "matrix-sets": _sets(matrices, ours),
        "matrix-verdicts": _verdicts(ours),
        "matrix-lost": _lost(ours),
        "clean-matrices": _clean(frame_of(numbers, "clean_matrices").set_index("name")),
        "missing": _missing(frame_of(numbers, "missing").set_index("name")),
    }


def _kinds(matrices: pd.DataFrame) -> pd.DataFrame:
    there = pick(matrices, kind=KINDS).sort_values("rate")
    order = [name for kind in KINDS for name in pick(there, kind=kind)["corruption"].unique()]
    columns = by_method(matrices, "corruption", (*_METHODS, ORACLE))
    table = sheet("Matrices: F1 by kind and share", "corruption", order, columns)
    bold_in_rows(table, _METHODS)
    stack = pick(matrices, kind=STACKS).groupby("method")["f1"].mean()
    if len(stack):
        f1, best = (in_words(stack.get(name), ".2f") for name in (STACK, ORACLE))
        name = f"{STACKS}, 20 % (denoise_stack)"
        table.loc[len(table)] = [name, f1, *[NOTHING] * len(MATRIX_RIVALS), best]
    return table


def _sets(matrices: pd.DataFrame, ours: pd.DataFrame) -> pd.DataFrame:
    by = ours.groupby("name")
    columns = [
        *by_method(matrices, "name", _METHODS),
        (METHOD_NAMES[ORACLE], by["best"].mean(), ".2f"),
        ("within 0.03", by["near"].mean(), ".0%"),
        ("made worse", by["worse"].mean(), ".0%"),
        ("right above 0.9", by["sure_right"].sum() / by["sure"].sum(), ".1%"),
    ]
    names = {name: f"{name} ({nature})" for name, nature in by["nature"].first().items()}
    return bold_in_rows(sheet("Matrices: F1 by data set", "data", names, columns), _METHODS)


def _verdicts(ours: pd.DataFrame) -> pd.DataFrame:
    by = ours.groupby("verdict")
    columns = [
        ("cases", by.size(), "d"),
        ("F1", by["f1"].mean(), ".2f"),
        ("within 0.03", by["near"].mean(), ".0%"),
        ("failures", by["failed"].mean(), ".0%"),
    ]
    return sheet("What the verdict is worth: matrices", "verdict", sorted(by.groups), columns)


def _lost(ours: pd.DataFrame) -> pd.DataFrame:
    # One draw stands for all.
    lost = ours[ours["failed"] & (ours["draw"] == 0)]
    lost = lost.assign(gap=lost["f1"] - lost["best"]).sort_values("gap", kind="stable")
    columns = [
        ("corruption", lost["corruption"], ""),
        ("F1", lost["f1"], ".2f"),
        ("best threshold", lost["best"], ".2f"),
        ("error left", lost["left"], ".2f"),
        ("verdict", lost["verdict"], ""),
    ]
    return sheet("Matrices: where auto fails", "data", lost["name"].to_dict(), columns)


def _clean(clean: pd.DataFrame) -> pd.DataFrame:
    columns = [
        ("flagged", clean["flagged"], ".2%"),
        ("variance changed", clean["variance"], ".2%"),
        ("verdict", clean["verdict"], ""),
        ("automatic rank: flagged", clean["flagged_auto_rank"], ".2%"),
        ("variance changed", clean["variance_auto_rank"], ".2%"),
        ("time, in fits", clean["fits_auto_rank"], ".0f"),
    ]
    names = {name: f"{name} ({nature})" for name, nature in clean["nature"].items()}
    return sheet("Matrices without errors", "data", names, columns)


def _missing(missing: pd.DataFrame) -> pd.DataFrame:
    found = missing[missing["oracle"] > 0].dropna(subset=["plain", "refit"])
    columns = [
        (words, found[name] / found["oracle"], ".2f")
        for words, name in (("λ = 0.04", "plain"), ("with refit", "refit"), ("auto", "auto"))
    ]
    title = "30 % missing: error there, in units of a fit to all the data"
    return sheet(title, "data", list(found.index), columns)
