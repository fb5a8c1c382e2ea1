"""Missing entries held by a guess, so that no component runs wild where nothing was observed.

A component that no known entry of a sample (or of a feature) holds can take any size there without
a change of the loss, and its prediction of the missing entries is then worth nothing. So each of
them counts a little, at a guess G:

    f = loss of the known entries + hint · Σ over the missing (G − WH)²

The guess is a product of two thin factors, made a block at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._core.engine import RowArray
from robustnmf._core.noise import Cleaned, NoiseModel, NoNoise, Quadratic
from robustnmf._core.noise.model import turning_point
from robustnmf._kernels import kernels_for


class HoldSettings(NamedTuple):
    """How strongly missing entries are held.

    No study chose them; what holding is to reach, tests/core/test_held.py and
    tests/estimators/test_missing.py say.
    """

    most_hint: float = 0.3
    """The most that a missing entry counts, beside a known one."""
    fewest_free: float = 0.1
    """With fewer degrees of freedom left than this share of the known entries, nothing is known."""


HOLD = HoldSettings()


@dataclass(frozen=True)
class Held:
    """A noise model for the known entries, and a weak pull towards a guess at the missing ones.

    Parameters
    ----------
    known : NoiseModel
        For the known entries.
    levels : array, b×r
        The left factor of the guess, for the rows at hand.
    profiles : array, r×m
        The right factor.
    hint : float
        What a missing entry counts, beside one of the row's largest weight.
    optimism : float, default=1
        How many times larger the squared error of the guess is at entries that it was not learned
        from than at those it was.

    Examples
    --------
    >>> import numpy as np
    >>> x, p = np.array([[1.0, np.nan]]), np.array([[3.0, 9.0]])
    >>> held = Held(NoNoise(), levels=np.array([[1.0]]), profiles=np.array([[1.0, 2.0]]), hint=0.01)
    >>> held.clean(x, p.copy(), None, np.zeros(1)).rows
    array([[1.  , 8.93]])
    >>> held.clean(x, p.copy(), None, np.zeros(1)).loss
    array([4.49])
    """

    known: NoiseModel
    levels: Array
    profiles: Array
    hint: float = HOLD.most_hint
    optimism: float = 1.0

    @property
    def convex(self) -> bool:
        """As for the known entries: the pull is a convex function."""
        return self.known.convex

    def is_hard(self, n_features: int) -> bool:
        """As for the known entries."""
        return self.known.is_hard(n_features)

    def rescaled(self, factor: float) -> Held:
        """Return the model for data multiplied by `factor`."""
        return replace(self, known=self.known.rescaled(factor), levels=self.levels * factor)

    def with_known(self, model: NoiseModel) -> Held:
        """Return the same pull with another model for the known entries."""
        return replace(self, known=model)

    @property
    def row_arrays(self) -> tuple[RowArray, ...]:
        """The left factor of the guess, and what the model of the known entries has."""
        return (self.levels, *self.known.row_arrays)

    def with_rows(self, *row_arrays: RowArray) -> Held:
        """Return the model of other rows."""
        levels, *others = row_arrays
        return replace(self, levels=levels, known=self.known.with_rows(*others))

    @property
    def largest_weight(self) -> float:
        """As for the known entries."""
        return self.known.largest_weight

    def row_weights(self, X: Array, weights: Array | None) -> Array:
        """As for the known entries."""
        return self.known.row_weights(X, weights)

    def guess(self, X: Array, weights: Array | None) -> Array:
        """Return the guess where an entry is missing, and NaN where it is known."""
        xp = array_namespace(X)
        missing = xp.isnan(X)
        if weights is not None:
            missing = missing | (weights == 0)
        guess = xp.astype(self.levels @ self.profiles, X.dtype, copy=False)
        return xp.where(missing, guess, xp.full_like(X, xp.nan))

    def filled(self, X: Array, weights: Array | None) -> tuple[Array, Array]:
        """Return data without gaps and the weights that make weighted NMF of them the same."""
        xp = array_namespace(X)
        guess = self.guess(X, weights)
        known = xp.isnan(guess)
        q = xp.ones_like(X) if weights is None else weights
        return xp.where(known, X, guess), xp.where(known, q, self._price(X, weights)[:, None])

    def clean(self, X: Array, P: Array, weights: Array | None, threshold: Array) -> Cleaned:
        """Move missing entries from their prediction a little towards the guess."""
        cleaned = self.known.clean(X, P, weights, threshold)
        price = self._price(X, weights)
        rows, loss = kernels_for(X).hold_missing(
            X, cleaned.rows, weights, self.levels, self.profiles, price, self.largest_weight
        )
        return Cleaned(rows, cleaned.loss + loss, cleaned.threshold)

    def quadratic(
        self, X: Array, P: Array, H: Array, weights: Array | None, threshold: Array
    ) -> Quadratic:
        """Add the pull, which is a quadratic, to that of the known entries."""
        local = self.known.quadratic(X, P, H, weights, threshold)
        guess = self.guess(X, weights)
        curvature, pull, loss = kernels_for(X).quadratic_weighted(guess, P, H, None)
        price = self._price(X, weights)
        return Quadratic(
            local.curvature + price[:, None, None] * curvature,
            local.pull + price[:, None] * pull,
            local.loss + price * loss,
            local.threshold,
        )

    def step_length(self, X: Array, P: Array, target: Array, threshold: Array) -> Array:
        """Where the slope of the whole loss turns on the way."""
        if isinstance(self.known, NoNoise) or not self.convex:
            return self.known.step_length(X, P, target, threshold)
        return turning_point(self, X, P, target, threshold)

    def swept(
        self, X: Array, W: Array, H: Array, gram: Array, threshold: Array, sweeps: int
    ) -> None:
        """Return None: there is no faster way."""

    def solved(self, X: Array, H: Array, weights: Array | None, start: Array | None) -> None:
        """Return None: there is no faster way."""

    def noise(self, X: Array, P: Array) -> Array:
        """Return the best E; exactly 0 where an entry is clean or missing."""
        return self.known.noise(X, P)

    def penalty(self, E: Array) -> Array:
        """Return the price of each row of E."""
        return self.known.penalty(E)

    def _price(self, X: Array, weights: Array | None) -> Array:
        """Return what a missing entry of each row counts: a share of the row's largest weight.

        A row that does not count at all has no missing entries that do.
        """
        hint = array_namespace(X).full_like(X[:, 0], self.hint)
        return hint * self.known.row_weights(X, weights)


def hint_for(misfit: float, spread: float, n_known: float, n_used: float) -> float:
    """Return what a missing entry should count, by how much better the factors know than the guess.

    It is the ratio of two variances, as in Bayes' rule for a Gaussian prior: of the known entries
    around the factors, and around the guess.

    Parameters
    ----------
    misfit, spread : float
        Sums of squares over the known entries.
    n_known, n_used : float
        How many entries are known, and how many numbers in the factors are not zero. Factors that
        have about as many numbers as there are entries fit them without knowing anything.

    Examples
    --------
    >>> hint_for(2.0, 80.0, n_known=100, n_used=50)
    0.05
    >>> hint_for(0.0, 80.0, n_known=100, n_used=99)
    0.3
    """
    free = 1 - n_used / n_known
    if free <= HOLD.fewest_free or spread <= 0:
        return HOLD.most_hint
    return min(HOLD.most_hint, misfit / (free * spread))
