"""A largest value that was not measured: a saturated detector, a cover, salt.

Where a sensor can read no higher, or something was written over the data, the largest value turns
up far more often than the values just below it. What was there before nobody knows, so such entries
are no evidence for anything, whether a fit could explain them or not.
"""

from __future__ import annotations

import numpy as np

from robustnmf._auto.detection.settings import CEILING
from robustnmf._common.arrays import Array


def ceiling(values: Array, pile: float = CEILING.pile) -> float | None:
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
    if not CEILING.least_share <= share <= CEILING.most_share:
        return None
    # A few values mostly show that there are enough different ones.
    if all(len(np.unique(some)) < CEILING.least_values for some in (values[:1000], values)):
        return None
    near = values[values >= top - CEILING.below * (top - values.min())]
    counts = np.unique(near, return_counts=True)[1]
    return float(top) if counts[-1] > pile * counts[:-1].max(initial=1) else None
