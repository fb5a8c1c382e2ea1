"""Errors as they happen in tables, planted at known cells and written as the column is written.

Eight kinds are foreseen: a method may look for them. Four are not: they say what it does with
errors that nobody thought of.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robustnmf_studies.trust.scales import robust_sd
from robustnmf_studies.trust.tables import RealTable

PILE, DECIMAL, DIGITS, SHIFT = "9999s", "decimal shift", "digit swap", "5 sd shift"
SIGN, STUCK, OTHER_ROW, ZERO = "sign", "stuck sensor", "other row", "zero"
FACTOR, INCHES, NEIGHBOUR, FAR = "factor 2 to 5", "inches", "neighbour column", "3 to 6 sd"
FORESEEN = (PILE, DECIMAL, DIGITS, SHIFT, SIGN, STUCK, OTHER_ROW, ZERO)
UNFORESEEN = (FACTOR, INCHES, NEIGHBOUR, FAR)
KINDS = (*FORESEEN, *UNFORESEEN)
RATES = (0.01, 0.03, 0.08)

Values = NDArray[np.float64]
# A column with fewer values is a flag, a code or a scale: an error there is another good value.
LEAST_VALUES = 8
# How often a cell is drawn anew whose error happens to be no error.
_TRIES = 5
_STUCK_ROWS = (4, 8)


@dataclass(frozen=True)
class _Cell:
    """What an error needs to know of the cell it happens to: its value, its row and its column."""

    value: float
    beside: list[float]
    column: Values
    decimals: int

    def pile(self) -> float:
        """A code for "not known": nines, at least four, as no value of the column reaches."""
        code = 9999.0
        while code <= self.column.max():
            code = 10 * code + 9
        return code

    def moved(self, by: float, rng: np.random.Generator) -> float:
        """The value moved up or down; never below zero where nothing else is."""
        new = self.value + by * rng.choice((-1.0, 1.0))
        return self.value + by if new < 0 <= self.column.min() else new


# The new value of a cell; None where this cannot happen to it.
_CELL_ERRORS: dict[str, Callable[[_Cell, np.random.Generator], float | None]] = {
    PILE: lambda cell, rng: cell.pile(),
    DECIMAL: lambda cell, rng: cell.value * rng.choice((10.0, 0.1, 100.0)),
    DIGITS: lambda cell, rng: swapped(cell.value, cell.decimals, rng),
    SHIFT: lambda cell, rng: cell.moved(5 * float(cell.column.std()), rng),
    SIGN: lambda cell, rng: -cell.value,
    OTHER_ROW: lambda cell, rng: rng.choice(cell.column),
    ZERO: lambda cell, rng: 0.0,
    FACTOR: lambda cell, rng: cell.value * rng.uniform(2, 5) ** rng.choice((-1, 1)),
    INCHES: lambda cell, rng: cell.value * 2.54 ** rng.choice((-1.0, 1.0)),
    NEIGHBOUR: lambda cell, rng: rng.choice(cell.beside) if cell.beside else None,
    FAR: lambda cell, rng: cell.moved(robust_sd(cell.column) * rng.uniform(3, 6), rng),
}


def swapped(value: float, decimals: int, rng: np.random.Generator) -> float | None:
    """Transpose two neighbouring digits that differ, of a number as it is written.

    Examples
    --------
    >>> import numpy as np
    >>> swapped(12.0, 0, np.random.default_rng(0))
    21.0
    >>> swapped(7.0, 0, np.random.default_rng(0)) is None
    True
    """
    text = list(f"{abs(value):.{decimals}f}")
    digits = [i for i, sign in enumerate(text) if sign != "."]
    pairs = [(a, b) for a, b in itertools.pairwise(digits) if text[a] != text[b]]
    if not pairs:
        return None
    a, b = pairs[int(rng.integers(len(pairs)))]
    text[a], text[b] = text[b], text[a]
    new = float("".join(text))
    return -new if value < 0 else new


def plant(
    table: RealTable, kind: str, rate: float, rng: np.random.Generator
) -> tuple[Values, NDArray[np.bool_]]:
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
    columns = plantable(table)
    wanted = max(1, round(rate * int(np.isfinite(table.values).sum())))
    if columns and kind == STUCK:
        _plant_runs(table, columns, wanted, dirty, rng)
    elif columns:
        _plant_cells(table, columns, kind, wanted, dirty, rng)
    return dirty, np.isfinite(dirty) & (dirty != table.values)


def plantable(table: RealTable) -> list[int]:
    """Return the columns that errors are planted in: those with at least eight values."""
    return [
        j
        for j, column in enumerate(table.values.T)
        if len(np.unique(column[np.isfinite(column)])) >= LEAST_VALUES
    ]


def _plant_cells(
    table: RealTable,
    columns: list[int],
    kind: str,
    wanted: int,
    dirty: Values,
    rng: np.random.Generator,
) -> None:
    values, m = table.values, table.values.shape[1]
    known = {j: values[np.isfinite(values[:, j]), j] for j in columns}
    able = np.isfinite(values) & np.isin(np.arange(m), columns)
    done = 0
    for i, j in rng.permutation(np.argwhere(able)):
        beside = [float(values[i, k]) for k in (j - 1, j + 1) if 0 <= k < m]
        cell = _Cell(float(values[i, j]), beside, known[j], table.decimals[j])
        for _ in range(_TRIES):
            new = _CELL_ERRORS[kind](cell, rng)
            if new is None or not np.isfinite(new):
                continue
            written = round(float(new), cell.decimals)
            if written != cell.value:
                dirty[i, j] = written
                done += 1
                break
        if done == wanted:
            return


def _plant_runs(
    table: RealTable, columns: list[int], wanted: int, dirty: Values, rng: np.random.Generator
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
