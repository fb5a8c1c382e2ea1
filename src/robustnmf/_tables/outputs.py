"""What can be written beside the clean table: changes, mask, noise, parts, weights, report."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from robustnmf._common.files import written_whole
from robustnmf._tables.cleaning import Cell, Cleaned
from robustnmf._tables.formats import labelled, write_frame, write_like
from robustnmf._tables.table import Frame

# The suffix of a list of changes for programs.
JSON = ".json"


def write_output(name: str, cleaned: Cleaned, path: Path, command: str = "") -> None:
    """Write one thing that is known of a cleaned table.

    Parameters
    ----------
    name : {"report", "changes", "mask", "noise", "parts", "weights"}
        What.
    cleaned : Cleaned
        What `clean_table` returned.
    path : Path
        Where to; the suffix tells the format.
    command : str
        How to repeat the run, for the report.
    """
    if name == "changes":
        _write_changes(cleaned, path)
    elif name == "mask":
        write_like(cleaned.table, lambda rows: cleaned.mask(rows).astype(np.uint8), np.uint8, path)
    elif name == "noise":
        write_like(cleaned.table, cleaned.noise, np.float64, path)
    elif name == "parts":
        names = [column.name for column in cleaned.table.columns]
        write_frame(Frame(names, list(cleaned.learned_parts().components.T)), path)
    elif name == "weights":
        write_frame(_weights(cleaned, path), path)
    else:
        from robustnmf._tables.report import report

        with written_whole(path) as temporary:
            temporary.write_text(report(cleaned, command), encoding="utf-8")


def _weights(cleaned: Cleaned, path: Path) -> Frame:
    W = cleaned.learned_parts().weights
    names = [f"part {i + 1}" for i in range(W.shape[1])]
    return labelled(cleaned.table, names, list(W.T), path)


def _write_changes(cleaned: Cleaned, path: Path) -> None:
    """Write every cell that is flagged or filled, one a line."""
    records = changes(cleaned)
    if path.suffix.lower() == JSON:
        with written_whole(path) as temporary:
            text = json.dumps(records, indent=2, allow_nan=False)
            temporary.write_text(text + "\n", encoding="utf-8")
        return
    columns: list[Any] = [[record[key] for record in records] for key in CHANGE_KEYS]
    for i, key in enumerate(CHANGE_KEYS):
        if key in ("old", "new", "probability"):
            columns[i] = np.array([np.nan if x is None else x for x in columns[i]], dtype=float)
        elif key == "row_number":
            columns[i] = np.array(columns[i], dtype=np.int64)
        elif key == "replaced":
            columns[i] = ["yes" if x else "no" for x in columns[i]]
    write_frame(Frame(list(CHANGE_KEYS), columns), path)


CHANGE_KEYS = ("row", "row_number", "column", "old", "new", "probability", "replaced", "reason")


def changes(cleaned: Cleaned) -> list[dict[str, Any]]:
    """Return every cell that is flagged or filled, in the order of the table.

    Parameters
    ----------
    cleaned : Cleaned
        What `clean_table` returned.

    Returns
    -------
    list of dict
        With the keys row (its name), row_number (from 1 on), column, old, new, probability,
        replaced (whether new takes the place of old, or is only what was expected) and reason.
    """
    table, found = cleaned.table, cleaned.judgement
    fill = cleaned.settings.fill_missing
    return [
        {
            "row": table.row_name(int(found.rows[i])),
            "row_number": int(found.rows[i]) + 1,
            "column": table.columns[found.columns[i]].name,
            "old": _number(found.values[i]),
            "new": _number(found.expected[i]),
            "probability": round(float(found.probability[i]), 4),
            "replaced": bool(found.replaced[i]) and (fill or not found.missing[i]),
            "reason": found.words(i),
        }
        for i in range(len(found))
    ]


def _number(value: float) -> float | None:
    # NaN is no JSON.
    return None if math.isnan(value) else float(value)


def shown(cleaned: Cleaned, cell: Cell) -> tuple[str, str, str, str]:
    """Return a cell in words: its row, its column, its value, the value expected.

    Parameters
    ----------
    cleaned : Cleaned
        What `clean_table` returned.
    cell : Cell
        One of its `cells`.

    Returns
    -------
    tuple of str
    """
    return (
        cleaned.table.row_name(cell.row),
        cleaned.table.columns[cell.column].name,
        f"{cell.value:.6g}",
        f"{cell.expected:.6g}",
    )


def as_record(cleaned: Cleaned) -> dict[str, Any]:
    """Return all that was found, for programs to read.

    Parameters
    ----------
    cleaned : Cleaned
        What `clean_table` returned.

    Returns
    -------
    dict
        Without NaN, which is no JSON.
    """
    table = cleaned.table
    n, m = table.shape
    record = {
        "rows": n,
        "columns": [column.name for column in table.columns],
        "kinds": {
            column.name: kind for column, kind in zip(table.columns, cleaned.kinds, strict=True)
        },
        "carried": table.carried,
        "cells": n * m,
        "missing": cleaned.n_missing,
        "filled": cleaned.n_filled,
        "flagged": cleaned.n_flagged,
        "replaced": cleaned.n_replaced,
        "verdict": cleaned.diagnosis.verdict,
        "reasons": list(cleaned.diagnosis.reasons),
        "flagged_by_column": {
            column.name: int(count)
            for column, count in zip(table.columns, cleaned.by_column, strict=True)
        },
        "changes": changes(cleaned),
        "notes": cleaned.notes,
    }
    if cleaned.parts is not None:
        model = cleaned.parts.model
        record |= {
            "n_components": int(model.n_components_),
            "lam": float(model.lam_),
            "iterations": int(model.n_iter_),
            "converged": bool(model.converged_),
        }
    return record
