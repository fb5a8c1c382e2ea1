"""What can be written beside the clean table: changes, mask, noise, parts, weights, report."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from robustnmf._common.files import written_whole
from robustnmf._tables.formats import labelled, write_frame, write_like
from robustnmf._tables.result import Cell, CleaningResult, PathName
from robustnmf._tables.table import Frame

# The suffix of a list of changes for programs.
JSON = ".json"


def write_report(result: CleaningResult, path: PathName, command: str = "") -> None:
    """Write a page that shows what was found."""
    with written_whole(path) as temporary:
        temporary.write_text(result.report(command), encoding="utf-8")


def write_mask(result: CleaningResult, path: PathName) -> None:
    """Write 1 where a cell is flagged, and 0 elsewhere."""
    write_like(
        result.table, lambda rows: result.mask_block(rows).astype(np.uint8), np.uint8, Path(path)
    )


def write_noise(result: CleaningResult, path: PathName) -> None:
    """Write by how much each flagged cell is off."""
    write_like(result.table, result.noise_block, np.float64, Path(path))


def write_parts(result: CleaningResult, path: PathName) -> None:
    """Write the parts of the table, one a row."""
    names = [column.name for column in result.table.columns]
    write_frame(Frame(names, list(result.learned_parts().components.T)), Path(path))


def write_weights(result: CleaningResult, path: PathName) -> None:
    """Write how much of each part each row holds."""
    W = result.learned_parts().weights
    names = [f"part {i + 1}" for i in range(W.shape[1])]
    write_frame(labelled(result.table, names, list(W.T), Path(path)), Path(path))


def write_changes(result: CleaningResult, path: PathName) -> None:
    """Write every cell that is flagged or filled, one a line."""
    records, path = changes(result), Path(path)
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


def changes(result: CleaningResult) -> list[dict[str, Any]]:
    """Return every cell that is flagged or filled, in the order of the table.

    Parameters
    ----------
    result : CleaningResult
        What `clean_table` returned.

    Returns
    -------
    list of dict
        With the keys row (its name), row_number (from 1 on), column, old, new, probability,
        replaced (whether new takes the place of old, or is only what was expected) and reason.
    """
    table, found = result.table, result.judgement
    done = result.changes_done
    return [
        {
            "row": table.row_name(int(found.rows[i])),
            "row_number": int(found.rows[i]) + 1,
            "column": table.columns[found.columns[i]].name,
            "old": _number(found.values[i]),
            "new": _number(found.expected[i]),
            "probability": round(float(found.probability[i]), 4),
            "replaced": bool(done[i]),
            "reason": found.words(i),
        }
        for i in range(len(found))
    ]


def _number(value: float) -> float | None:
    # NaN is no JSON.
    return None if math.isnan(value) else float(value)


def shown(result: CleaningResult, cell: Cell) -> tuple[str, str, str, str]:
    """Return a cell in words: its row, its column, its value, the value expected.

    Parameters
    ----------
    result : CleaningResult
        What `clean_table` returned.
    cell : Cell
        One of its `cells`.

    Returns
    -------
    tuple of str
    """
    return (
        result.table.row_name(cell.row),
        result.table.columns[cell.column].name,
        f"{cell.value:.6g}",
        f"{cell.expected:.6g}",
    )


def as_record(result: CleaningResult) -> dict[str, Any]:
    """Return all that was found, for programs to read.

    Parameters
    ----------
    result : CleaningResult
        What `clean_table` returned.

    Returns
    -------
    dict
        Without NaN, which is no JSON.
    """
    table = result.table
    n, m = table.shape
    record = {
        "rows": n,
        "columns": [column.name for column in table.columns],
        "kinds": {
            column.name: kind for column, kind in zip(table.columns, result.kinds, strict=True)
        },
        "carried": table.carried,
        "cells": n * m,
        "missing": result.n_missing,
        "filled": result.n_filled,
        "flagged": result.n_flagged,
        "replaced": result.n_replaced,
        "verdict": result.diagnosis.verdict,
        "reasons": list(result.diagnosis.reasons),
        "flagged_by_column": {
            column.name: int(count)
            for column, count in zip(table.columns, result.by_column, strict=True)
        },
        "changes": changes(result),
        "notes": result.notes,
    }
    if result.parts is not None:
        model = result.parts.model
        record |= {
            "n_components": int(model.n_components_),
            "lam": float(model.lam_),
            "iterations": int(model.n_iter_),
            "converged": bool(model.converged_),
        }
    return record
