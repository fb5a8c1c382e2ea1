"""How clean residuals are spread, and what wrong cells look like, on a column's even scale."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special

from robustnmf._common.arrays import Array
from robustnmf._common.robust import GAUSSIAN


@dataclass(frozen=True)
class DensitySettings:
    """How the spread and the tails of clean and wrong cells are learned.

    Chosen on the first edition of the study of trust (``robustnmf reproduce trust-tuning``).
    """

    # Wrong cells lie anywhere about the middle of their column, half of them within this many
    # spreads.
    wrong_reach: float = 3.0
    # Tails are told by the ratio of these two shares of the clean residuals: of a Gaussian 2.44.
    middle: float = 0.5
    outer: float = 0.9
    # Degrees of freedom of Student's t that are tried; a Gaussian's tails would condemn what is
    # merely odd.
    tails: tuple[float, ...] = (1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.5, 8.0)
    # A column's tails are drawn towards those of the table as if by so many more cells.
    prior_cells: float = 100.0
    # And the spread on one side towards that on both sides.
    prior_side: float = 30.0
    # Fewer residuals than this tell nothing.
    fewest: int = 8
    # Residuals are never taken to be smaller than this share of a spread: clean cells are rounded.
    least_spread: float = 0.01


DENSITY = DensitySettings()

_RATIOS = np.array(
    [
        special.stdtrit(v, (1 + DENSITY.outer) / 2) / special.stdtrit(v, (1 + DENSITY.middle) / 2)
        for v in DENSITY.tails
    ]
)
_MIDDLES = np.array([special.stdtrit(v, (1 + DENSITY.middle) / 2) for v in DENSITY.tails])


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
        least = np.maximum(step / 2, DENSITY.least_spread)
        below, above = (np.maximum(promised * spread, least) for spread in self.spread)
        scale = np.where(residual < 0, below, above)
        v = np.where(residual < 0, self.tails[0], self.tails[1])
        u = residual / scale
        # Two halves of different width, each with its share of the whole.
        peak = np.log(2 / (below / self._peaks[0] + above / self._peaks[1]))
        return peak - (v + 1) / 2 * np.log1p(u * u / v)

    @cached_property
    def _peaks(self) -> Array:
        """The density of Student's t at 0, of spread 1, on either side of each column."""
        v = self.tails
        return np.exp(special.gammaln((v + 1) / 2) - special.gammaln(v / 2)) / np.sqrt(np.pi * v)

    def column(self, c: int) -> CleanDensity:
        """Return the density of one column."""
        return CleanDensity(self.spread[:, c : c + 1], self.tails[:, c : c + 1])


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
            if len(sizes) < DENSITY.fewest:
                continue
            half, outer = np.quantile(sizes, [DENSITY.middle, DENSITY.outer])
            if half > 0:
                middle[side, j], ratio[side, j], count[side, j] = half, outer / half, len(sizes)
    known = ~np.isnan(ratio)
    table = float(np.median(ratio[known])) if known.any() else 3.0
    ratio, middle = np.where(known, ratio, table), np.where(known, middle, 1 / GAUSSIAN)
    ratio = np.exp(
        (count * np.log(ratio) + DENSITY.prior_cells * np.log(table))
        / (count + DENSITY.prior_cells)
    )
    both = np.exp(np.log(middle).mean(axis=0))
    middle = np.exp(
        (count * np.log(middle) + DENSITY.prior_side * np.log(both)) / (count + DENSITY.prior_side)
    )
    order = np.argsort(_RATIOS)
    tails = np.exp(np.interp(ratio, _RATIOS[order], np.log(np.array(DENSITY.tails))[order]))
    return CleanDensity(middle / np.interp(tails, DENSITY.tails, _MIDDLES), tails)


def log_wrong(z: Array) -> Array:
    """Return the log density of wrong cells, of which nothing else is known."""
    u = z / DENSITY.wrong_reach
    return -np.log(np.pi * DENSITY.wrong_reach * (1 + u * u))
