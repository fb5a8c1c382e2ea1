"""The numbers about matrices as tables of words."""

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
from robustnmf_studies.trust.damage import KINDS
from robustnmf_studies.trust.groups import NONE, grouped, percent, share, words
from robustnmf_studies.trust.matrix_targets import failed, near
from robustnmf_studies.trust.methods import MATRIX_RIVALS, METHOD_NAMES, ORACLE, OURS, STACK
from robustnmf_studies.trust.settings import STACKS
from robustnmf_studies.trust.sheets import bold_best

_METHODS = (OURS, *MATRIX_RIVALS)


def matrix_sheets(numbers: Numbers) -> dict[str, pd.DataFrame]:
    """Return the tables of the study that are about matrices, by name; without empty ones.

    Parameters
    ----------
    numbers : mapping of DataFrame
        What `robustnmf_studies.trust.compute.compute` returned, of all cases.

    Returns
    -------
    dict of Sheet
    """
    matrices = table_of(numbers, "matrices")
    sheets = {
        "matrix-kinds": _kinds(matrices),
        "matrix-sets": _sets(matrices),
        "matrix-verdicts": _verdicts(pick(matrices, method=OURS)),
        "matrix-lost": _lost(pick(matrices, method=OURS)),
        "clean-matrices": _clean(table_of(numbers, "clean_matrices")),
        "missing": _missing(table_of(numbers, "missing")),
    }
    return {name: sheet for name, sheet in sheets.items() if len(sheet)}


def _kinds(matrices: pd.DataFrame) -> pd.DataFrame:
    rows = []
    groups = grouped(matrices, "kind", "rate")
    for kind in KINDS:
        for rate in sorted(rate for name, rate in groups if name == kind):
            own = groups[kind, rate]
            cells = [words(mean_of(pick(own, method=name), "f1"), ".2f") for name in _METHODS]
            best = words(mean_of(pick(own, method=ORACLE), "f1"), ".2f")
            what = f"{kind.replace('_', ' & ')}, {100 * rate:g} %"
            rows.append((what, *bold_best(cells), best))
    stack = pick(matrices, kind=STACKS)
    if len(stack):
        f1, best = (words(mean_of(pick(stack, method=m), "f1"), ".2f") for m in (STACK, ORACLE))
        rows.append((f"{STACKS}, 20 % (denoise_stack)", f1, *[NONE] * len(MATRIX_RIVALS), best))
    heads = ("corruption", *(METHOD_NAMES[name] for name in (*_METHODS, ORACLE)))
    return text_table("Matrices: F1 by kind and share", heads, rows)


def _sets(matrices: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for (name,), own in sorted(grouped(matrices, "name").items()):
        ours = pick(own, method=OURS)
        if not len(ours):
            continue
        means = [words(mean_of(pick(own, method=m), "f1"), ".2f") for m in _METHODS]
        sure = sum(values_of(ours, "sure"))
        right = sum(values_of(ours, "sure_right")) / sure if sure else None
        rows.append(
            (
                f"{name} ({ours['nature'].iloc[0]})",
                *bold_best(means),
                words(mean_of(ours, "best"), ".2f"),
                percent(share(map(near, records(ours))), 0),
                percent(share(values_of(ours, "worse")), 0),
                percent(right),
            )
        )
    heads = (
        "data",
        *(METHOD_NAMES[name] for name in (*_METHODS, ORACLE)),
        "within 0.03",
        "made worse",
        "right above 0.9",
    )
    return text_table("Matrices: F1 by data set", heads, rows)


def _verdicts(ours: pd.DataFrame) -> pd.DataFrame:
    rows = [
        (
            str(verdict),
            str(len(own)),
            words(mean_of(own, "f1"), ".2f"),
            percent(share(map(near, records(own))), 0),
            percent(share(map(failed, records(own))), 0),
        )
        for (verdict,), own in sorted(grouped(ours, "verdict").items(), key=str)
        if verdict is not None
    ]
    heads = ("verdict", "places", "F1", "within 0.03", "failures")
    return text_table("What the verdict is worth: matrices", heads, rows)


def _lost(ours: pd.DataFrame) -> pd.DataFrame:
    rows = sorted(
        (row for row in records(ours) if failed(row)), key=lambda row: row["f1"] - row["best"]
    )
    lines = [
        (
            str(row["name"]),
            f"{str(row['kind']).replace('_', ' & ')}, {100 * row['rate']:g} %",
            f"{row['f1']:.2f}",
            f"{row['best']:.2f}",
            words(row.get("left"), ".2f"),
            str(row.get("verdict") or NONE),
        )
        for row in rows
        # One draw stands for all.
        if row["draw"] == 0
    ]
    heads = ("data", "corruption", "F1", "best threshold", "error left", "verdict")
    return text_table("Matrices: where auto fails", heads, lines)


def _clean(clean: pd.DataFrame) -> pd.DataFrame:
    rows = [
        (
            f"{row['name']} ({row['nature']})",
            percent(row["flagged"], 2),
            percent(row["variance"], 2),
            str(row.get("verdict") or NONE),
            percent(row.get("flagged_auto_rank"), 2),
            percent(row.get("variance_auto_rank"), 2),
            words(row.get("fits_auto_rank"), ".0f"),
        )
        for row in records(clean)
    ]
    heads = (
        "data",
        "flagged",
        "variance changed",
        "verdict",
        "automatic rank: flagged",
        "variance changed",
        "time, in fits",
    )
    return text_table("Matrices without errors", heads, rows)


def _missing(missing: pd.DataFrame) -> pd.DataFrame:
    rows = [
        (
            str(row["name"]),
            *(words(row[name] / row["oracle"], ".2f") for name in ("plain", "refit", "auto")),
        )
        for row in records(missing)
        if row.get("oracle") and all(row.get(name) is not None for name in ("plain", "refit"))
    ]
    heads = ("data", "λ = 0.04", "with refit", "auto")
    return text_table("30 % missing: error there, in units of a fit to all the data", heads, rows)
