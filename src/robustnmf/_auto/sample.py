"""Which rows stand for all, and in which precision they are worked on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from robustnmf._auto.settings import SAMPLE
from robustnmf._common.arrays import Array
from robustnmf._core.engine import Engine
from robustnmf._engines import on_host_rows
from robustnmf._fitting.data import Summary
from robustnmf._fitting.problem import SINGLE
from robustnmf._fitting.units import Units
from robustnmf._solvers import some_rows

# Of a block: more than other inference takes, for here most time goes into the rows themselves.
MOST_JUDGED, LEAST_JUDGED = 2**17, 2**16
# Between these, no more than this share of the data: a fit holds what it keeps for the rows, too.
JUDGED_SHARE = 1 / 128


class Sample(NamedTuple):
    """Some rows, in working units."""

    X: Array
    rows: Array
    """Their positions."""
    units: Units
    """Theirs, and those of factors fitted to them."""
    data: Engine
    """All rows in the same unit, in the precision of a whole fit."""

    @classmethod
    def of(cls, X: Any, summary: Summary, entries: int, least: int) -> Sample:
        """Take rows with about this many entries, or at least so many rows.

        They are in single precision where that saves time, unless it cannot tell the values apart:
        a detector is learned from differences that are far larger than its rounding.
        """
        units = Units(summary.moderate())
        data = units.blocks(on_host_rows(X), block_entries=judged_at_once(X.shape))
        rows = sample_rows(X.shape, entries, least)
        some = np.concatenate(data.sample(rows).map(lambda rows, X, weights: X))
        if X.shape[0] * X.shape[1] >= SINGLE.least_entries and told_apart(some):
            single = np.dtype(np.float32)
            units = Units(summary.moderate()._replace(working_dtype=single))
        return cls(some.astype(units.dtype, copy=False), rows, units, data)


def judged_at_once(shape: tuple[int, int]) -> int:
    """Return how many entries are judged at a time.

    Examples
    --------
    >>> [judged_at_once((n, 1000)) for n in (1000, 10_000, 100_000)]
    [65536, 78125, 131072]
    """
    share = int(shape[0] * shape[1] * JUDGED_SHARE)
    return max(LEAST_JUDGED, min(share, MOST_JUDGED))


def told_apart(X: Array) -> bool:
    """Return whether nearly all values that differ do so in single precision, too.

    Examples
    --------
    >>> seconds = np.arange(1000.0).reshape(20, 50)
    >>> told_apart(seconds), told_apart(1.7e9 + seconds)
    (True, False)
    """
    values = X.ravel()[:: max(1, X.size // SAMPLE.compared)]
    before, after = (len(np.unique(values.astype(kind))) for kind in (X.dtype, np.float32))
    return after >= SAMPLE.told_apart * before


def sample_rows(shape: tuple[int, int], entries: int, least: int) -> np.ndarray:
    """Return the positions of rows with about this many entries, or of at least so many rows."""
    n, m = shape
    size = max(least, entries // m)
    return np.arange(n) if size >= n else some_rows(n, size)
