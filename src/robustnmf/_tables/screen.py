"""Giants: cells so far beyond their row and column that a fit would bend towards them.

A value a hundred times too large (a forgotten point, a 99999) can be worth a part of its own to the
method, which then does not flag it. Such cells are told apart beforehand, by comparing each with
its column's usual size and its row's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.robust import robust_deviation


@dataclass(frozen=True)
class ScreenSettings:
    """From when on a cell is a giant.

    No study chose them; tests/tables/test_screen.py says what they are to reach.
    """

    # At least this many times too large, whatever the table.
    least_factor: float = 15.0
    # And this many times as far off as cells of the table usually are, on a scale of factors.
    usual_times: float = 6.0


SCREEN = ScreenSettings()


@dataclass(frozen=True)
class Screen:
    """Tells giants.

    Attributes
    ----------
    log_sizes : array of one number a column
        The logarithms of the usual sizes of its values.
    limit : float
        Beyond which a cell is a giant, as a logarithm.

    Examples
    --------
    >>> rows = np.outer(np.arange(1.0, 10), [1, 2, 3, 4])
    >>> screen = Screen.of(np.median(rows, axis=0), rows)
    >>> rows[2, 1] *= 100
    >>> np.argwhere(screen.giants(rows)).tolist()
    [[2, 1]]
    """

    log_sizes: NDArray[np.float64]
    limit: float

    @classmethod
    def of(cls, sizes: NDArray[np.float64], sample: NDArray[Any]) -> Screen:
        """Learn from some rows how far cells usually are from what row and column suggest."""
        screen = cls(np.log(sizes), np.inf)
        off = screen._off(sample)
        usual = robust_deviation(off[np.isfinite(off)])
        limit = max(float(np.log(SCREEN.least_factor)), SCREEN.usual_times * float(usual))
        return replace(screen, limit=limit)

    def giants(self, block: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which cells of some rows are giants."""
        return np.nan_to_num(self._off(block), nan=0, neginf=0) > self.limit

    def _off(self, block: NDArray[Any]) -> NDArray[np.float64]:
        """How many times larger than usual a cell is, as a logarithm; NaN if zero or missing."""
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(block > 0, np.log(block), np.nan) - self.log_sizes
        return logs - _row_medians(logs)[:, None]


def _row_medians(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """The median of each row; by sorting, since NaN then lies at its end and rows need no loop."""
    ordered = np.sort(logs, axis=1)
    counts = np.count_nonzero(~np.isnan(logs), axis=1)
    rows = np.arange(len(logs))
    # The lower of two in the middle: with few cells in a row, a giant is the upper one.
    middle = ordered[rows, np.maximum((counts - 1) // 2, 0)]
    return np.where(counts > 0, middle, 0.0)
