"""The nearest number that a type can hold, and the decimals that numbers have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._tables.numerals import MOST_DIGITS

# Numbers that are no further apart than this many of the smallest steps are the same.
_ROUNDING = 4


def nearest(value: float, dtype: Any) -> Any:
    """Return the nearest number that a type can hold, whole for a type of whole numbers.

    Parameters
    ----------
    value : float
    dtype : NumPy dtype
        Of integers or floats.

    Returns
    -------
    int or NumPy float

    Examples
    --------
    >>> nearest(299.6, np.uint8), nearest(299.6, np.int64)
    (255, 300)
    """
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        return min(max(round(value), int(np.iinfo(kind).min)), int(np.iinfo(kind).max))
    most = float(np.finfo(kind).max)
    return kind.type(min(max(value, -most), most))


def decimals_of(numbers: NDArray[Any]) -> int | None:
    """Return how many digits after the point suffice to write all numbers.

    Parameters
    ----------
    numbers : float array
        NaN is left out.

    Returns
    -------
    int or None
        None if more are needed than the type holds.

    Examples
    --------
    >>> decimals_of(np.array([1.5, 20.25, np.nan])), decimals_of(np.array([1 / 3]))
    (2, None)
    >>> decimals_of(np.array([0.1 + 0.2]))  # 0.30000000000000004
    1
    """
    known = numbers[np.isfinite(numbers)]
    largest = float(np.abs(known).max(initial=0))
    whole_digits = max(1, int(np.ceil(np.log10(largest + 1)))) if largest else 1
    most = min(MOST_DIGITS, np.finfo(known.dtype).precision) - whole_digits
    # What sums and products leave behind is no digit that anybody wrote.
    rounding = _ROUNDING * np.spacing(np.abs(known))
    for decimals in range(most + 1):
        if (np.abs(np.round(known, decimals) - known) <= rounding).all():
            return decimals
    return None
