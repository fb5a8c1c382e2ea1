"""Errors as they happen in tables, planted at known cells and written as the column is written.

Eight kinds are foreseen: a method may look for them. Four are not: they say what it does with
errors that nobody thought of.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robustnmf_studies.trust.slips import (
    CELL_ERRORS,
    DECIMAL,
    DIGITS,
    FACTOR,
    FAR,
    INCHES,
    NEIGHBOUR,
    OTHER_ROW,
    PILE,
    SHIFT,
    SIGN,
    STUCK,
    ZERO,
    CellError,
    Column,
    robust_sd,
)
from robustnmf_studies.trust.tables import RealTable

__all__ = [
    "DECIMAL", "DIGITS", "FACTOR", "FAR", "FORESEEN", "INCHES", "KINDS", "NEIGHBOUR", "OTHER_ROW",
    "PILE", "RATES", "SHIFT", "SIGN", "STUCK", "UNFORESEEN", "ZERO", "plant", "plantable",
    "robust_sd",
]  # fmt: skip

FORESEEN = (PILE, DECIMAL, DIGITS, SHIFT, SIGN, STUCK, OTHER_ROW, ZERO)
UNFORESEEN = (FACTOR, INCHES, NEIGHBOUR, FAR)
KINDS = (*FORESEEN, *UNFORESEEN)
RATES = (0.01, 0.03, 0.08)

Mask = NDArray[np.bool_]
# A column with fewer values is a flag, a code or a scale: an error there is another good value.
LEAST_VALUES = 8
# How often a cell is drawn anew whose error happens to be no error.
_TRIES = 5
_STUCK_ROWS = (4, 8)


def plant(
    table: RealTable, kind: str, rate: float, rng: np.random.Generator
) -> tuple[NDArray[np.float64], Mask]:
    """Plant errors of one kind.

    Parameters
    ----------
    table : RealTable
        The truth. It is not written to.
    kind : str
        One of `KINDS`.
    rate : float
        Share of the table's known cells; at least one cell is spoiled. It is less where the
        kind is impossible (there is no sign of a zero to slip).
    rng : Generator
        Of all random choices.

    Returns
    -------
    dirty : ndarray
        The table with the errors in it, each rounded to its column's decimals.
    mask : ndarray of bool
        The cells that differ from the truth.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf_studies.trust.tables import load_table
    >>> dirty, mask = plant(load_table("iris"), "9999s", 0.01, np.random.default_rng(0))
    >>> mask.sum(), np.unique(dirty[mask])
    (np.int64(6), array([9999.]))
    """
    if kind not in KINDS:
        raise ValueError(f"kind={kind!r} is not known; choose one of {', '.join(KINDS)}")
    if not 0 < rate < 1:
        raise ValueError(f"rate={rate} must be a share between 0 and 1")
    dirty = table.values.copy()
    columns = {j: describe(table, j) for j in plantable(table)}
    wanted = max(1, round(rate * int(np.isfinite(table.values).sum())))
    if not columns:
        return dirty, np.zeros(dirty.shape, dtype=bool)
    if kind == STUCK:
        _plant_runs(table, list(columns), wanted, dirty, rng)
    else:
        _plant_cells(table, columns, CELL_ERRORS[kind], wanted, dirty, rng)
    return dirty, np.isfinite(dirty) & (dirty != table.values)


def plantable(table: RealTable) -> list[int]:
    """Return the columns that errors are planted in: those with at least eight values."""
    values = table.values
    return [
        j
        for j in range(values.shape[1])
        if len(np.unique(values[np.isfinite(values[:, j]), j])) >= LEAST_VALUES
    ]


def describe(table: RealTable, j: int) -> Column:
    """Return what is known of a column."""
    known = table.values[np.isfinite(table.values[:, j]), j]
    return Column(
        known, table.decimals[j], float(known.std()), robust_sd(known), bool(known.min() < 0)
    )


def _plant_cells(
    table: RealTable,
    columns: dict[int, Column],
    error: CellError,
    wanted: int,
    dirty: NDArray[np.float64],
    rng: np.random.Generator,
) -> None:
    able = np.zeros(table.values.shape, dtype=bool)
    able[:, list(columns)] = True
    places = np.argwhere(able & np.isfinite(table.values))
    done = 0
    for i, j in rng.permutation(places):
        truth = table.values[i, j]
        for _ in range(_TRIES):
            new = error(table, int(i), int(j), columns[int(j)], rng)
            if new is None or not np.isfinite(new):
                continue
            written = round(float(new), table.decimals[j])
            if written != truth:
                dirty[i, j] = written
                done += 1
                break
        if done == wanted:
            return


def _plant_runs(
    table: RealTable,
    columns: list[int],
    wanted: int,
    dirty: NDArray[np.float64],
    rng: np.random.Generator,
) -> None:
    """Let sensors hang: a run of rows repeats the value before it."""
    values, n = table.values, len(table.values)
    used = np.zeros(values.shape, dtype=bool)
    done = 0
    for _ in range(50 * wanted):
        if done >= wanted:
            return
        j = int(rng.choice(columns))
        length = int(rng.integers(*_STUCK_ROWS, endpoint=True))
        if n <= length + 1:
            return
        start = int(rng.integers(0, n - length))
        run = slice(start + 1, start + 1 + length)
        around = slice(max(start - 1, 0), start + 2 + length)
        held = values[start, j]
        # Two runs that touch would look like one of another value.
        if used[around, j].any() or not np.isfinite(values[start : run.stop, j]).all():
            continue
        changed = values[run, j] != held
        if changed.sum() < _STUCK_ROWS[0]:
            continue
        dirty[run, j] = held
        used[run, j] = True
        done += int(changed.sum())
