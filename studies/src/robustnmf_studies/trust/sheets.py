"""The numbers about tables as tables of words."""

from __future__ import annotations

import pandas as pd

from robustnmf_studies.common.frames import (
    Numbers,
    mean_of,
    pick,
    records,
    table_of,
    text_table,
    values_of,
)
from robustnmf_studies.trust.errors import FORESEEN, KINDS, RATES, UNFORESEEN
from robustnmf_studies.trust.groups import (
    NONE,
    best_of,
    by_method,
    grouped,
    left,
    percent,
    share,
    words,
)
from robustnmf_studies.trust.methods import METHOD_NAMES, OURS
from robustnmf_studies.trust.rivals import DDC_LOG, IMPUTER, RIVALS
from robustnmf_studies.trust.targets import RELIABLE, compared

_METHODS = (OURS, *RIVALS)


def table_sheets(numbers: Numbers) -> dict[str, pd.DataFrame]:
    """Return the tables of the study that are about tables, by name; without empty ones.

    Parameters
    ----------
    numbers : mapping of DataFrame
        What `robustnmf_studies.trust.compute.compute` returned, of all cases.

    Returns
    -------
    dict of Sheet
    """
    tables = table_of(numbers, "tables")
    sheets = {
        "methods": _methods(tables),
        "rates": _rates(tables),
        "kinds": _across(tables, "kind", KINDS, "F1 by kind of error"),
        "families": _across(pick(tables, kind=FORESEEN), "family", (), "F1 by family of tables"),
        "families-repair": _repairs(tables),
        "tables": _across(pick(tables, kind=FORESEEN), "name", (), "F1 by table"),
        "lost": _lost(tables),
        "clean": _clean(table_of(numbers, "clean_tables")),
        "barren": _barren(table_of(numbers, "barren")),
        "verdicts": _verdicts(tables),
    }
    return {name: sheet for name, sheet in sheets.items() if len(sheet)}


def bold_best(cells: list[str], *, lowest: bool = False) -> list[str]:
    """Set the best of some figures in bold.

    Examples
    --------
    >>> bold_best(["0.5", "–", "0.7"])
    ['0.5', '–', '**0.7**']
    """
    figures = [float(cell.rstrip(" %")) for cell in cells if cell != NONE]
    if not figures:
        return cells
    best = min(figures) if lowest else max(figures)
    return [
        f"**{cell}**" if cell != NONE and float(cell.rstrip(" %")) == best else cell
        for cell in cells
    ]


def _methods(tables: pd.DataFrame) -> pd.DataFrame:
    columns: list[list[str]] = []
    there = [name for name in _METHODS if len(pick(tables, method=name))]
    for measure, form, lowest in (
        ("foreseen", ".3f", False),
        ("unforeseen", ".3f", False),
        ("precision", ".2f", False),
        ("recall", ".2f", False),
        ("repair", ".2f", True),
        ("left", ".2f", True),
        ("harm", "%", True),
        ("seconds", ".2f", True),
    ):
        cells = []
        for name in there:
            own = pick(tables, method=name)
            if measure in ("foreseen", "unforeseen"):
                kinds = FORESEEN if measure == "foreseen" else UNFORESEEN
                cells.append(words(mean_of(pick(own, kind=kinds), "f1"), form))
            elif measure == "left":
                cells.append(words(left(own), form))
            elif measure == "harm":
                cells.append(percent(share(values_of(own, "harm"))))
            else:
                cells.append(words(mean_of(own, measure), form))
        columns.append(bold_best(cells, lowest=lowest))
    heads = (
        "method",
        "F1, foreseen",
        "F1, unforeseen",
        "precision",
        "recall",
        "repair error",
        "error left",
        "harm",
        "seconds",
    )
    rows = [
        (METHOD_NAMES[name], *(column[place] for column in columns))
        for place, name in enumerate(there)
    ]
    return text_table("All methods, means over all runs", heads, rows)


def _rates(tables: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for name in _METHODS:
        own = pick(tables, method=name)
        cells = []
        for rate in RATES:
            here = pick(own, rate=rate)
            cells += [words(mean_of(here, "f1"), ".3f"), percent(share(values_of(here, "harm")))]
        if len(own):
            rows.append((METHOD_NAMES[name], *cells))
    heads = tuple(h for rate in RATES for h in (f"{100 * rate:g} %: F1", "harm"))
    return text_table("By share of wrong cells", ("method", *heads), rows)


def _across(tables: pd.DataFrame, name: str, order: tuple[str, ...], title: str) -> pd.DataFrame:
    """Return the mean F1 of all methods, one row for each value of a column."""
    groups = {key[0]: rows for key, rows in grouped(tables, name).items()}
    rows = []
    for value in order or sorted(groups):
        if value in groups:
            means = by_method(groups[value], "f1")
            cells = [words(means.get(method), ".2f") for method in _METHODS]
            rows.append((str(value), *bold_best(cells)))
    return text_table(title, (name, *(METHOD_NAMES[method] for method in _METHODS)), rows)


def _repairs(tables: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for (family,), own in sorted(grouped(tables, "family").items()):
        cells = [words(mean_of(pick(own, method=name), "repair"), ".2f") for name in _METHODS[:4]]
        median = words(mean_of(pick(own, method=OURS), "by_median"), ".2f")
        rows.append((str(family), *bold_best(cells, lowest=True), median))
    heads = ("family", *(METHOD_NAMES[name] for name in _METHODS[:4]), "the column's median")
    return text_table("Repair error by family, robust standard deviations", heads, rows)


def _lost(tables: pd.DataFrame) -> pd.DataFrame:
    """Return the tables and kinds at which a rival finds more, the largest gaps first."""
    found = []
    for (table, kind), rows in grouped(tables, "name", "kind").items():
        means = by_method(rows, "f1")
        best = best_of(means, RIVALS)
        # What is not told apart by a hundredth is a draw.
        if best is not None and best[1] > means.get(OURS, 0.0) + 0.01:
            found.append((best[1] - means.get(OURS, 0.0), table, kind, means.get(OURS, 0.0), *best))
    rows_ = [
        (str(table), str(kind), f"{ours:.2f}", METHOD_NAMES[rival], f"{theirs:.2f}")
        for _, table, kind, ours, rival, theirs in sorted(found, reverse=True)
    ]
    heads = ("table", "kind of error", "robustnmf, auto", "best rival", "its F1")
    return text_table("Where a rival is better", heads, rows_)


def lost_words(tables: pd.DataFrame) -> str:
    """Return in one sentence how often a rival is better."""
    tables = pick(tables, kind=KINDS)
    tables_behind = [ours < theirs for ours, _, theirs in compared(tables, "name").values()]
    places = [ours < theirs for ours, _, theirs in compared(tables, "name", "kind").values()]
    if not places:
        return NONE
    return (
        f"Some rival has the higher mean F1 on {sum(tables_behind)} of {len(tables_behind)} tables "
        f"and at {sum(places)} of {len(places)} pairs of a table and a kind of error; which rival "
        "that is differs from place to place."
    )


def _clean(clean: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for (name,), own in sorted(grouped(clean, "name").items()):
        ours = records(pick(own, method=OURS))
        if not ours:
            continue
        others = [percent(mean_of(pick(own, method=m), "changed"), 2) for m in (IMPUTER, DDC_LOG)]
        cells = (percent(ours[0]["flagged"], 2), percent(ours[0]["changed"], 2))
        rows.append((str(name), *cells, str(ours[0].get("verdict") or NONE), *others))
    heads = ("table", "flagged", "changed", "verdict", METHOD_NAMES[IMPUTER], METHOD_NAMES[DDC_LOG])
    return text_table("Real tables without errors: cells flagged and changed", heads, rows)


def _barren(barren: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for (name,), own in grouped(barren, "name").items():
        ours = records(pick(own, method=OURS))
        if not ours:
            continue
        others = [percent(mean_of(pick(own, method=m), "changed"), 2) for m in (IMPUTER, DDC_LOG)]
        cells = (percent(ours[0]["flagged"], 2), percent(ours[0]["changed"], 2))
        verdict = ours[0].get("verdict") or ours[0].get("failure") or NONE
        rows.append((str(name), *cells, str(verdict), *others))
    heads = ("table", "flagged", "changed", "verdict", METHOD_NAMES[IMPUTER], METHOD_NAMES[DDC_LOG])
    return text_table("Nothing to learn, nothing wrong: cells flagged and changed", heads, rows)


def _verdicts(tables: pd.DataFrame) -> pd.DataFrame:
    ours = pick(tables, method=OURS)
    rows = []
    for (verdict,), own in grouped(ours, "verdict").items():
        if verdict is None:
            continue
        rows.append(
            (
                str(verdict),
                str(len(own)),
                words(mean_of(own, "f1"), ".2f"),
                words(mean_of(own, "precision"), ".2f"),
                percent(share(values_of(own, "harm"))),
            )
        )
    rows.sort(key=lambda row: (row[0] != RELIABLE, row[0]))
    heads = ("verdict", "runs", "F1", "precision", "harm")
    return text_table("What the verdict is worth: tables", heads, rows)
