"""Robust spread of columns, and the scale where rivals do their best: on logs where it fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.robust import robust_deviation

Array = NDArray[Any]
# With more negative values than this share, a column is no quantity that logs are made for.
_MOST_NEGATIVE = 0.1
# Where the logarithm begins to flatten out: below nearly all of a column's values.
_FLAT_BELOW = 0.05


def robust_sd(values: Array) -> float:
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
    by_median = robust_deviation(known - np.median(known))
    return by_median or float(high - low) / 1.349 or float(known.std()) or 1.0


@dataclass(frozen=True)
class Scaled:
    """A table on its columns' scales, Z, and the way back."""

    Z: Array
    units: Array
    centres: Array
    spreads: Array

    def back(self, Z: Array) -> Array:
        """Return scaled values in the table's units."""
        T = Z * self.spreads + self.centres
        # No prediction is worth an overflow.
        with np.errstate(over="ignore"):
            logs = np.sign(T) * self.units * np.expm1(np.minimum(np.abs(T), 700))
        return np.where(self.units > 0, logs, T)


def scaled(values: Array, *, logs: bool) -> Scaled:
    """Bring every column to median 0 and robust standard deviation 1; NaN stays NaN.

    With `logs`, take logarithms first, sign(x) log(1 + |x| / u) with u small for the column, so
    that zeros and slipped signs have a value too. Columns with many negative values stay as they
    are.

    Examples
    --------
    >>> import numpy as np
    >>> table = np.array([[1.0, -5], [10, 0], [100, 5], [1000, np.nan]])
    >>> found = scaled(table, logs=True)
    >>> bool(np.allclose(found.back(found.Z), table, equal_nan=True))
    True
    """
    columns = []
    for column in np.asarray(values, dtype=float).T:
        known = column[np.isfinite(column)]
        size = np.abs(known[known != 0])
        unit = 0.0
        if logs and len(size) and (known < 0).mean() <= _MOST_NEGATIVE:
            unit = float(np.quantile(size, _FLAT_BELOW))
            column = np.sign(column) * np.log1p(np.abs(column) / unit)
            known = column[np.isfinite(column)]
        centre = float(np.median(known)) if len(known) else 0.0
        columns.append((column, unit, centre, robust_sd(known)))
    T, units, centres, spreads = (np.array(part) for part in zip(*columns, strict=True))
    return Scaled((T.T - centres) / spreads, units, centres, spreads)
