"""Noise models: what may be wrong with a sample, and at what price.

A model looks at one sample at a time. Given the residual r = x − wH it finds the best noise e in
closed form; what the factors then see is the cleaned row x − e = wH + (r − e). E itself is never
stored during a fit.

============== ==================== =============================================================
name           penalty of a row     best e
============== ==================== =============================================================
``squared_l1`` λ‖e‖₁² (paper eq. 6) r shrunk towards 0 by τ = λ‖e‖₁, which the row finds itself
``squared_l0`` λ‖e‖₀² (paper eq. 5) r itself on the s largest |r|, for the s that pays
============== ==================== =============================================================

`NoNoise` is the same interface for plain and weighted NMF, where nothing is flagged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from array_api_compat import array_namespace

from robustnmf._kernels import kernels_for

Array = Any


class Cleaned(NamedTuple):
    """What a noise model makes of a block of rows."""

    rows: Array
    """X − E, with missing entries replaced by their prediction; b×m."""
    loss: Array
    """Each row's share of the objective, in float64; b."""
    threshold: Array
    """A first guess for the same rows next time; b."""


class Quadratic(NamedTuple):
    """Each row's loss near the current point, as wQwᵀ − 2cwᵀ + const; see the kernels."""

    curvature: Array
    """Q; b×k×k."""
    pull: Array
    """c; b×k."""
    loss: Array
    """The loss at the current point itself; b."""
    threshold: Array
    """A first guess for the same rows next time; b."""


class NoiseModel(Protocol):
    """What solvers and estimators ask of a noise model."""

    @property
    def convex(self) -> bool:
        """Whether the best (w, e) given H is unique up to ties."""

    def rescaled(self, factor: float) -> NoiseModel:
        """Return the model for data multiplied by `factor`."""

    def clean(self, X: Array, P: Array, weights: Array | None, threshold: Array) -> Cleaned:
        """Clean the rows of X given their prediction P, which may be overwritten."""

    def noise(self, X: Array, P: Array) -> Array:
        """Return the best E; exactly 0 where an entry is clean or missing."""

    def penalty(self, E: Array) -> Array:
        """Return the price of each row of E."""

    def quadratic(
        self, X: Array, P: Array, H: Array, weights: Array | None, threshold: Array
    ) -> Quadratic:
        """Return the loss of each row as the quadratic in w that it is near P = wH."""

    def step_length(self, X: Array, P: Array, target: Array, threshold: Array) -> Array:
        """Return how much of the way from P to the target lowers each row's loss most."""


class _Base:
    def mask(self, X: Array, P: Array) -> Array:
        """Return True where an entry of X is corrupt."""
        return self.noise(X, P) != 0  # type: ignore[attr-defined]

    def step_length(self, X: Array, P: Array, target: Array, threshold: Array) -> Array:
        """Return 0: a whole step is never too long; where it seems to be, that is rounding."""
        xp = array_namespace(X)
        return xp.zeros(X.shape[0], dtype=xp.float64)


@dataclass(frozen=True)
class SquaredL1(_Base):
    """λ‖e‖₁² for each row: the paper's eq. 6.

    Examples
    --------
    >>> import numpy as np
    >>> x, p = np.array([[1.0, 2.0, 9.0]]), np.array([[1.0, 2.0, 3.0]])
    >>> SquaredL1(lam=0.5).noise(x, p)
    array([[0., 0., 4.]])
    """

    lam: float
    convex = True

    @property
    def price(self) -> float:
        """λ, as far as it can be told from 0 and infinity and its products do not overflow."""
        return min(max(self.lam, 1e-30), 1e30)

    def rescaled(self, factor: float) -> SquaredL1:
        """Return itself: the penalty is as homogeneous as the loss."""
        return self

    def clean(self, X: Array, P: Array, weights: Array | None, threshold: Array) -> Cleaned:
        """Clip the residual at ±τ."""
        _no_weights(weights)
        return Cleaned(*kernels_for(X).clean_squared_l1(X, P, self.price, threshold))

    def noise(self, X: Array, P: Array) -> Array:
        """Shrink the residual by τ; what is left is noise."""
        return kernels_for(X).noise_squared_l1(X, P, self.price)

    def penalty(self, E: Array) -> Array:
        """λ‖e‖₁² of each row."""
        xp = array_namespace(E)
        return self.lam * xp.sum(xp.abs(E), axis=1, dtype=xp.float64) ** 2

    def quadratic(
        self, X: Array, P: Array, H: Array, weights: Array | None, threshold: Array
    ) -> Quadratic:
        """Small residuals count squared; the large ones as the square of their sum."""
        _no_weights(weights)
        return Quadratic(*kernels_for(X).quadratic_squared_l1(X, P, H, self.price, threshold))

    def step_length(self, X: Array, P: Array, target: Array, threshold: Array) -> Array:
        """Where the slope of the loss, which is convex, turns on the way."""
        return kernels_for(X).step_length_squared_l1(X, P, target, self.price, threshold)


@dataclass(frozen=True)
class SquaredL0(_Base):
    """λ‖e‖₀² for each row: the paper's eq. 5. λ has the unit of x².

    Examples
    --------
    >>> import numpy as np
    >>> x, p = np.array([[1.0, 2.0, 9.0]]), np.array([[1.0, 2.0, 3.0]])
    >>> SquaredL0(lam=1.0).noise(x, p)
    array([[0., 0., 6.]])
    """

    lam: float
    convex = False

    def rescaled(self, factor: float) -> SquaredL0:
        """Return the same trade-off for data in another unit."""
        return replace(self, lam=min(self.lam * factor * factor, 1e290))

    def clean(self, X: Array, P: Array, weights: Array | None, threshold: Array) -> Cleaned:
        """Replace the corrupt entries by their prediction."""
        _no_weights(weights)
        rows, loss = kernels_for(X).clean_squared_l0(X, P, _held(self.lam, P))
        return Cleaned(rows, loss, threshold)

    def noise(self, X: Array, P: Array) -> Array:
        """Return the whole residual of the corrupt entries."""
        return kernels_for(X).noise_squared_l0(X, P, _held(self.lam, P))

    def penalty(self, E: Array) -> Array:
        """λ‖e‖₀² of each row."""
        xp = array_namespace(E)
        return self.lam * xp.sum(xp.astype(E != 0, xp.float64), axis=1) ** 2

    def quadratic(
        self, X: Array, P: Array, H: Array, weights: Array | None, threshold: Array
    ) -> Quadratic:
        """Corrupt entries do not count at all."""
        _no_weights(weights)
        Q, c, loss = kernels_for(X).quadratic_squared_l0(X, P, H, _held(self.lam, P))
        return Quadratic(Q, c, loss, threshold)


@dataclass(frozen=True)
class NoNoise(_Base):
    """No noise term: plain NMF, or weighted NMF when weights are given."""

    largest_weight: float = 1.0
    """Upper bound of the weights; the nearer, the longer the steps."""
    convex = True

    def rescaled(self, factor: float) -> NoNoise:
        """Return itself."""
        return self

    def clean(self, X: Array, P: Array, weights: Array | None, threshold: Array) -> Cleaned:
        """Move from the prediction towards X by the weight: the EM form of weighted NMF."""
        rows, loss = kernels_for(X).clean_weighted(X, P, weights, self.largest_weight)
        return Cleaned(rows, loss, threshold)

    def noise(self, X: Array, P: Array) -> Array:
        """Return zeros."""
        return array_namespace(X).zeros_like(P)

    def penalty(self, E: Array) -> Array:
        """0 for each row."""
        xp = array_namespace(E)
        return xp.zeros(E.shape[0], dtype=xp.float64)

    def quadratic(
        self, X: Array, P: Array, H: Array, weights: Array | None, threshold: Array
    ) -> Quadratic:
        """Each entry counts by its weight."""
        Q, c, loss = kernels_for(X).quadratic_weighted(X, P, H, weights)
        return Quadratic(Q, c, loss, threshold)


# From the answer of this one a nonconvex model starts: convex, robust and free of scale.
CONVEX_START = SquaredL1(0.1)

NOISE_MODELS: dict[str, type[SquaredL1] | type[SquaredL0]] = {
    "squared_l1": SquaredL1,
    "squared_l0": SquaredL0,
}


def _held(lam: float, like: Array) -> float:
    """λ, or a price that nothing can pay and whose multiples the data's precision still holds."""
    return min(lam, 1e-18 * float(array_namespace(like).finfo(like.dtype).max))


def _no_weights(weights: Array | None) -> None:
    if weights is not None:
        raise TypeError("weights go with NoNoise; a noise model treats every known entry alike")
