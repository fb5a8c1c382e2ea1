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

from robustnmf.experiments.trust.tables import RealTable

PILE, DECIMAL, DIGITS, SHIFT = "9999s", "decimal shift", "digit swap", "5 sd shift"
SIGN, STUCK, OTHER_ROW, ZERO = "sign", "stuck sensor", "other row", "zero"
FACTOR, INCHES, NEIGHBOUR, FAR = "factor 2 to 5", "inches", "neighbour column", "3 to 6 sd"
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


@dataclass(frozen=True)
class Column:
    """What an error needs to know about the column it happens in."""

    values: NDArray[np.float64]
    decimals: int
    sd: float
    robust_sd: float
    signed: bool

    def moved(self, value: float, by: float, rng: np.random.Generator) -> float:
        """Return a value moved up or down; never below zero where nothing else is."""
        new = value + by * rng.choice((-1.0, 1.0))
        return value + by if new < 0 and not self.signed else new


# From the table, the cell's place and its column to the new value; None where it cannot be.
_Error = Callable[[RealTable, int, int, Column, np.random.Generator], float | None]


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
    >>> from robustnmf.experiments.trust.tables import load_table
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
        _plant_cells(table, columns, _ERRORS[kind], wanted, dirty, rng)
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


def robust_sd(values: NDArray[np.float64]) -> float:
    """Return the spread of a column as the median deviation from its median has it.

    Where more than half of the values are the same, the quartiles say it; where they are the
    same too, the standard deviation; in a constant column, 1.

    Examples
    --------
    >>> import numpy as np
    >>> robust_sd(np.array([1.0, 2, 3, 4, 1000]))
    1.4826
    """
    known = values[np.isfinite(values)]
    if not len(known):
        return 1.0
    low, high = np.quantile(known, (0.25, 0.75))
    for spread in (
        1.4826 * float(np.median(np.abs(known - np.median(known)))),
        float(high - low) / 1.349,
        float(known.std()),
    ):
        if spread > 0:
            return spread
    return 1.0


def _plant_cells(
    table: RealTable,
    columns: dict[int, Column],
    error: _Error,
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


def _pile(
    table: RealTable, i: int, j: int, column: Column, rng: np.random.Generator
) -> float | None:
    """A code for "not known": so many nines, at least four, as no value of the column reaches."""
    code = 9999.0
    while code <= column.values.max():
        code = 10 * code + 9
    return code


def _decimal(
    table: RealTable, i: int, j: int, column: Column, rng: np.random.Generator
) -> float | None:
    return float(table.values[i, j] * rng.choice((10.0, 0.1, 100.0)))


def _digits(
    table: RealTable, i: int, j: int, column: Column, rng: np.random.Generator
) -> float | None:
    value = float(table.values[i, j])
    return swapped(value, column.decimals, rng)


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
    digits = [place for place, sign in enumerate(text) if sign != "."]
    pairs = [(a, b) for a, b in itertools.pairwise(digits) if text[a] != text[b]]
    if not pairs:
        return None
    a, b = pairs[int(rng.integers(len(pairs)))]
    text[a], text[b] = text[b], text[a]
    new = float("".join(text))
    return -new if value < 0 else new


def _shift(
    table: RealTable, i: int, j: int, column: Column, rng: np.random.Generator
) -> float | None:
    return column.moved(float(table.values[i, j]), 5 * column.sd, rng)


def _sign(
    table: RealTable, i: int, j: int, column: Column, rng: np.random.Generator
) -> float | None:
    return -float(table.values[i, j])


def _other_row(
    table: RealTable, i: int, j: int, column: Column, rng: np.random.Generator
) -> float | None:
    return float(rng.choice(column.values))


def _zero(
    table: RealTable, i: int, j: int, column: Column, rng: np.random.Generator
) -> float | None:
    return 0.0


def _factor(
    table: RealTable, i: int, j: int, column: Column, rng: np.random.Generator
) -> float | None:
    factor = rng.uniform(2, 5) ** rng.choice((-1, 1))
    return float(table.values[i, j] * factor)


def _inches(
    table: RealTable, i: int, j: int, column: Column, rng: np.random.Generator
) -> float | None:
    return float(table.values[i, j] * 2.54 ** rng.choice((-1.0, 1.0)))


def _neighbour(
    table: RealTable, i: int, j: int, column: Column, rng: np.random.Generator
) -> float | None:
    beside = [k for k in (j - 1, j + 1) if 0 <= k < table.values.shape[1]]
    return float(table.values[i, rng.choice(beside)]) if beside else None


def _far(
    table: RealTable, i: int, j: int, column: Column, rng: np.random.Generator
) -> float | None:
    return column.moved(float(table.values[i, j]), column.robust_sd * rng.uniform(3, 6), rng)


_ERRORS: dict[str, _Error] = {
    PILE: _pile,
    DECIMAL: _decimal,
    DIGITS: _digits,
    SHIFT: _shift,
    SIGN: _sign,
    OTHER_ROW: _other_row,
    ZERO: _zero,
    FACTOR: _factor,
    INCHES: _inches,
    NEIGHBOUR: _neighbour,
    FAR: _far,
}
