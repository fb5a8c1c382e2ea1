"""What happens to a single cell: each kind of error as a function of the cell and its column."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robustnmf_studies.trust.tables import RealTable

PILE, DECIMAL, DIGITS, SHIFT = "9999s", "decimal shift", "digit swap", "5 sd shift"
SIGN, STUCK, OTHER_ROW, ZERO = "sign", "stuck sensor", "other row", "zero"
FACTOR, INCHES, NEIGHBOUR, FAR = "factor 2 to 5", "inches", "neighbour column", "3 to 6 sd"


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
CellError = Callable[[RealTable, int, int, Column, np.random.Generator], float | None]


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


CELL_ERRORS: dict[str, CellError] = {
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
