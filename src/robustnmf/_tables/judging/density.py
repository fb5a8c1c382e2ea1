"""How clean residuals are spread, and what wrong cells look like, on a column's even scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Array = NDArray[Any]

# Wrong cells lie anywhere about the middle of their column, half of them within this many spreads.
WRONG_REACH = 3.0
# Tails are told by the ratio of these two shares of the clean residuals: of a Gaussian 2.44.
MIDDLE, OUTER = 0.5, 0.9
# Degrees of freedom of Student's t that are tried; a Gaussian's tails would condemn what is merely
# odd.
TAILS = (1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.5, 8.0)
# A column's tails are drawn towards those of the table as if by so many more cells.
PRIOR_CELLS = 100.0
# And the spread on one side towards that on both sides.
PRIOR_SIDE = 30.0
# Fewer residuals than this tell nothing.
FEWEST = 8
# Residuals are never taken to be smaller than this share of a spread: clean cells are rounded.
LEAST_SPREAD = 0.01

_RATIOS = np.array(
    [stats.t.ppf((1 + OUTER) / 2, v) / stats.t.ppf((1 + MIDDLE) / 2, v) for v in TAILS]
)
_MIDDLES = np.array([stats.t.ppf((1 + MIDDLE) / 2, v) for v in TAILS])


@dataclass(frozen=True)
class CleanDensity:
    """Student's t of each column, with a spread and tails of its own on either side.

    Attributes
    ----------
    spread, tails : arrays of shape (2, m)
        The scale and the degrees of freedom of the residuals below and above 0, once divided by
        what was promised.
    """

    spread: Array
    tails: Array

    def log(self, residual: Array, promised: Array, step: Array) -> Array:
        """Return the log density of residuals.

        Parameters
        ----------
        residual : array of shape (n, m)
        promised : array of shape (n, m)
            The standard deviation that the prediction promised.
        step : array of shape (n, m)
            How far apart two values are that can be written, where the prediction is.
        """
        least = np.maximum(step / 2, LEAST_SPREAD)
        below, above = (np.maximum(promised * spread, least) for spread in self.spread)
        scale = np.where(residual < 0, below, above)
        v = np.where(residual < 0, self.tails[0], self.tails[1])
        u = residual / scale
        # Two halves of different width, each with its share of the whole.
        peak = np.log(2 / (below / _peak(self.tails[0]) + above / _peak(self.tails[1])))
        return peak - (v + 1) / 2 * np.log1p(u * u / v)

    def column(self, c: int) -> CleanDensity:
        """Return the density of one column."""
        return CleanDensity(self.spread[:, c : c + 1], self.tails[:, c : c + 1])


def _peak(tails: Array) -> Array:
    return stats.t.pdf(0, tails)


def learn_density(residual: Array, promised: Array, clean: Array) -> CleanDensity:
    """Learn how residuals of clean cells are spread in each column.

    Parameters
    ----------
    residual, promised : arrays of shape (n, m)
        Residuals, and the standard deviations that the prediction promised.
    clean : bool array of shape (n, m)
        Which cells to learn from.

    Returns
    -------
    CleanDensity
    """
    m = residual.shape[1]
    u = residual / promised
    middle, ratio, count = np.full((2, m), np.nan), np.full((2, m), np.nan), np.zeros((2, m))
    for j in range(m):
        own = u[clean[:, j], j]
        for side, sizes in enumerate((-own[own < 0], own[own > 0])):
            if len(sizes) < FEWEST:
                continue
            half, outer = np.quantile(sizes, [MIDDLE, OUTER])
            if half > 0:
                middle[side, j], ratio[side, j], count[side, j] = half, outer / half, len(sizes)
    known = ~np.isnan(ratio)
    table = float(np.median(ratio[known])) if known.any() else 3.0
    ratio, middle = np.where(known, ratio, table), np.where(known, middle, 0.6745)
    ratio = np.exp((count * np.log(ratio) + PRIOR_CELLS * np.log(table)) / (count + PRIOR_CELLS))
    both = np.exp(np.log(middle).mean(axis=0))
    middle = np.exp((count * np.log(middle) + PRIOR_SIDE * np.log(both)) / (count + PRIOR_SIDE))
    order = np.argsort(_RATIOS)
    tails = np.exp(np.interp(ratio, _RATIOS[order], np.log(np.array(TAILS))[order]))
    return CleanDensity(middle / np.interp(tails, TAILS, _MIDDLES), tails)


def log_wrong(z: Array) -> Array:
    """Return the log density of wrong cells, of which nothing else is known."""
    u = z / WRONG_REACH
    return -np.log(np.pi * WRONG_REACH * (1 + u * u))
