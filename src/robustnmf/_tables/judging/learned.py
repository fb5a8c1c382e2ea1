"""What a table taught: all that its cells, or those of more rows, are judged by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.robust import GAUSSIAN
from robustnmf._tables.judging.accuse import Accused, accuse
from robustnmf._tables.judging.columns import Columns
from robustnmf._tables.judging.density import CleanDensity, log_wrong
from robustnmf._tables.judging.gains import GAIN
from robustnmf._tables.judging.gaussian import Gaussian
from robustnmf._tables.judging.pairs import partners, weigh_pairs
from robustnmf._tables.judging.scales import SCALE
from robustnmf._tables.judging.ties import Ties
from robustnmf._tables.judging.witness import Witness, peaks, with_neighbours


@dataclass(frozen=True)
class Learned:
    """What a table taught.

    Attributes
    ----------
    columns : Columns
    witness : Witness
    density : CleanDensity
        How far clean cells are from what is expected of them.
    helpful : bool array, one a used column
        Whether predictions are better than the column's middle.
    gain : array, one a used column
        By which share predictions are closer than the column's middle.
    rate : float
        The share of wrong cells.
    piles : list of arrays, one a used column
        Values that were not measured.
    ties : Ties
        Of each used column.
    folds : int
    decimals : sequence of int or None
        How each column of the table is written.
    rates : array
        How often cells are clean, wrong in any way, and wrong by each slip.
    chance_gain : float
        The gain that a table without structure would have.
    by_chance : array
        How likely so many odd cells of a row are there by chance.
    alike : array, one a used column
        How likely odd cells of a column are mistakes, and not a kind of their own.
    """

    columns: Columns
    witness: Witness
    density: CleanDensity
    helpful: Array
    gain: Array
    rate: float
    piles: list[Array]
    ties: Ties
    folds: int
    decimals: Sequence[int | None]
    rates: Array = field(default_factory=lambda: np.empty(0))
    chance_gain: float = GAIN.least
    by_chance: Array = field(default_factory=lambda: np.ones(1))
    alike: Array = field(default_factory=lambda: np.ones(1))

    @property
    def supported(self) -> Array:
        """Whether predictions of a used column are better than its middle by more than chance."""
        return self.columns.judged & (self.gain > self.chance_gain)

    def for_new_rows(self) -> Learned:
        """Return the same for rows that it was not learned from, each by itself.

        It has to be learned without looking at rows beside one another. None of the new rows is in
        any fold, so what the folds taught is put together.
        """
        models = self.witness.models
        both = Gaussian(
            np.mean([model.mean for model in models], axis=0),
            np.mean([model.covariance for model in models], axis=0),
        )
        witness = replace(self.witness, models=[both])
        return replace(self, witness=witness, folds=1, ties=self.ties.only_common())

    def usual_spread(self, spread: Array) -> Array:
        """Return the standard deviation of clean residuals whose promised one is given."""
        return np.maximum(spread * self.density.spread.max(axis=0), 1e-9)

    def in_units(self, prediction: Array, spread: Array) -> Array:
        """Return the spread of predictions in the units of the table."""
        spread = self.usual_spread(spread)
        low, high = (self.columns.back(prediction + sign * spread) for sign in (-1, 1))
        return (high - low) / 2

    def unit(self) -> Array:
        """Return the spread of each used column in the units of the table."""
        # Half of Gaussian values lie within this.
        z = np.full((1, len(self.columns.used)), 1 / GAUSSIAN)
        low, high = (self.columns.back(sign * z)[0] for sign in (-1, 1))
        return np.maximum(GAUSSIAN * (high - low) / 2, np.finfo(float).tiny)

    def piled(self, X: Array) -> Array:
        """Return the cells of piles."""
        found = np.zeros((len(X), len(self.columns.used)), dtype=bool)
        for c, j in enumerate(self.columns.used):
            found[:, c] = np.isin(X[:, j], self.piles[c])
        return found

    def judge_rows(self, X: Array, first: int) -> tuple[Accused, Array, Array]:
        """Judge rows of the table, of which the first has this number.

        Returns
        -------
        Accused
        repeats : bool array
            Cells of piles and of hanging sensors.
        Z : array
            The rows on even scales.
        """
        Z, known = self._even(X)
        repeats = self._repeats(X)
        start = known & ~repeats & (np.abs(Z) <= SCALE.far)
        fold = np.arange(first, first + len(X)) % self.folds
        judged = known & self.columns.judged & (repeats | ~self.ties.common_cells(X, self.columns))
        return self._accused(Z, judged, start, repeats, fold), repeats, Z

    def _even(self, X: Array) -> tuple[Array, Array]:
        Z = self.columns.even(X)
        return np.nan_to_num(Z), ~np.isnan(Z)

    def _repeats(self, X: Array) -> Array:
        return self.ties.hanging(X, self.columns) | self.piled(X)

    def _accused(
        self, Z: Array, judged: Array, start: Array, repeats: Array, fold: Array
    ) -> Accused:
        def log_odds(rows: Array, prediction: Array, spread: Array) -> Array:
            return self.log_odds(Z[rows], prediction, spread)

        def with_beside(speak: Array) -> Accused:
            full, use = with_neighbours(Z, speak, self.witness.series)
            beside = use[:, Z.shape[1] :]

            def predict(rows: Array, use: Array) -> tuple[Array, Array]:
                all_use = np.hstack([use, beside[rows]])
                return self.predict(full[rows], all_use, fold[rows])

            found = accuse(Z, start, judged, repeats, predict, log_odds)
            weigh_pairs(found, judged, repeats, self._partners(), predict, log_odds)
            return found

        found = with_beside(start)
        if not len(self.witness.series):
            return found
        # A wrong cell makes those above and below seem wrong, too: the worst of them is silenced.
        worst = peaks(found.log_odds)
        return with_beside(start & ~worst) if worst.any() else found

    def _partners(self) -> Array:
        """Return the columns that each hangs on most, of those that are predicted at all."""
        m = len(self.columns.used)
        K = self.witness.models[0].precision[:m, :m]
        return partners(K, self.columns.judged & self.helpful)

    def predict(self, full: Array, use: Array, fold: Array) -> tuple[Array, Array]:
        """Predict cells, by the middle of the column where nothing else helps."""
        prediction, spread = self.witness.predict(full, use, fold)
        return np.where(self.helpful, prediction, 0.0), np.where(self.helpful, spread, 1.0)

    def log_odds(self, Z: Array, prediction: Array, spread: Array) -> Array:
        """Return the log odds that cells are wrong in any way."""
        prior = np.log(self.rate / (1 - self.rate))
        steps = self.columns.even_steps(prediction)
        return prior + log_wrong(Z) - self.density.log(Z - prediction, spread, steps)
