"""A largest value that was not measured: a saturated detector, a cover, salt.

Where a sensor can read no higher, or something was written over the data, the largest value turns
up far more often than the values just below it. What was there before nobody knows, so such entries
are no evidence for anything, whether a fit could explain them or not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any

# So large a share of the entries at the largest value is no chance, ...
LEAST_SHARE = 0.01
# ... more than this may well be what most of the data are, ...
MOST_SHARE = 0.45
# ... if it is so many times as frequent as any value in this share of the range below it, ...
PILE, BELOW = 4.0, 0.07
# ... and if there are so many values that each cannot be frequent.
LEAST_VALUES = 24


def ceiling(values: Array, pile: float = PILE) -> float | None:
    """Return the value at which data are cut off or written over, or None if there is none.

    `pile` is how many times as frequent as others it must be.

    Examples
    --------
    >>> values = np.arange(100.0)
    >>> ceiling(np.minimum(values, 95))
    95.0
    >>> ceiling(values) is None
    True
    """
    if not len(values):
        return None
    top = values.max()
    share = float((values == top).mean())
    if not LEAST_SHARE <= share <= MOST_SHARE:
        return None
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) < LEAST_VALUES:
        return None
    near = distinct >= top - BELOW * (top - distinct[0])
    rivals = counts[near][:-1]
    return float(top) if counts[-1] > pile * rivals.max(initial=1) else None
