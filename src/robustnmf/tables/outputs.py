"""What can be written beside the clean table: the mask, the noise, the factors, the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from robustnmf._files import written_whole
from robustnmf.tables.cleaning import Cell, Cleaned
from robustnmf.tables.formats import labelled, write_frame, write_like
from robustnmf.tables.table import Frame


def write_output(name: str, cleaned: Cleaned, path: Path, command: str = "") -> None:
    """Write one thing that is known of a cleaned table.

    Parameters
    ----------
    name : {"report", "mask", "noise", "parts", "weights"}
        What.
    cleaned : Cleaned
        What `clean_table` returned.
    path : Path
        Where to; the suffix tells the format.
    command : str
        How to repeat the run, for the report.
    """
    if name == "mask":
        write_like(cleaned.table, lambda rows: cleaned.mask(rows).astype(np.uint8), np.uint8, path)
    elif name == "noise":
        write_like(cleaned.table, cleaned.noise, np.float64, path)
    elif name == "parts":
        names = [column.name for column in cleaned.table.columns]
        write_frame(Frame(names, list(cleaned.parts.T)), path)
    elif name == "weights":
        write_frame(_weights(cleaned, path), path)
    else:
        from robustnmf.tables.report import report

        with written_whole(path) as temporary:
            temporary.write_text(report(cleaned, command), encoding="utf-8")


def _weights(cleaned: Cleaned, path: Path) -> Frame:
    # A row without any value holds nothing of which anything is known.
    W = np.full((cleaned.table.n_rows, cleaned.weights.shape[1]), np.nan)
    W[cleaned.place >= 0] = cleaned.weights
    names = [f"part {i + 1}" for i in range(W.shape[1])]
    return labelled(cleaned.table, names, list(W.T), path)


def shown(cleaned: Cleaned, cell: Cell) -> tuple[str, str, str, str]:
    """Return a cell in words: its row, its column, its value, the value expected.

    Parameters
    ----------
    cleaned : Cleaned
        What `clean_table` returned.
    cell : Cell
        One of its `worst`.

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
    table, model = cleaned.table, cleaned.model
    n, m = table.shape
    return {
        "rows": n,
        "columns": [column.name for column in table.columns],
        "carried": table.carried,
        "cells": n * m,
        "missing": cleaned.n_missing,
        "corrupt": cleaned.n_corrupt,
        "corrupt_by_column": {
            column.name: int(count)
            for column, count in zip(table.columns, cleaned.by_column, strict=True)
        },
        "worst": [
            {
                "row": table.row_name(cell.row),
                "row_number": cell.row + 1,
                "column": table.columns[cell.column].name,
                "value": cell.value,
                "expected": cell.expected,
            }
            for cell in cleaned.worst
        ],
        "n_components": int(model.n_components_),
        "lam": float(model.lam_),
        "scaled": bool(np.any(cleaned.units.scale != 1)),
        "iterations": int(model.n_iter_),
        "converged": bool(model.converged_),
        "notes": cleaned.notes,
    }
