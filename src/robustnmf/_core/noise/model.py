"""What solvers and estimators ask of a noise model, and what all of them share."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, TypeVar

from array_api_compat import array_namespace

Array = Any
Model = TypeVar("Model", bound="Base")


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

    @property
    def largest_weight(self) -> float:
        """Upper bound of what an entry counts."""

    def at(self, rows: Array) -> NoiseModel:
        """Return the model of some of the rows, by a slice or by positions."""

    def rescaled(self, factor: float) -> NoiseModel:
        """Return the model for data multiplied by `factor`."""

    def clean(self, X: Array, P: Array, weights: Array | None, threshold: Array) -> Cleaned:
        """Clean the rows of X given their prediction P, which may be overwritten."""

    def row_weights(self, X: Array, weights: Array | None) -> Array:
        """Return how much an entry of each row counts at most."""

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


class Penalty(NoiseModel, Protocol):
    """A noise model with a price λ, which users choose by its name."""

    def __init__(self, lam: float) -> None: ...

    @property
    def lam(self) -> float:
        """The price of noise."""

    @staticmethod
    def equivalent_lam(line: float, counts: Array, sizes: Array) -> float:
        """Return the λ that would call corrupt what is beyond a line, on average.

        Parameters
        ----------
        line : float
            The size of a residual.
        counts : ndarray of int
            How many entries are corrupt in each row that has any.
        sizes : ndarray
            |residual| of each corrupt entry.
        """


class Base:
    """What models share that treat every known entry of every row alike."""

    largest_weight = 1.0

    def at(self: Model, rows: Array) -> Model:
        """Return itself: nothing is known of single rows."""
        return self

    def row_weights(self, X: Array, weights: Array | None) -> Array:
        """Return 1 for each row."""
        return array_namespace(X).ones(X.shape[0], dtype=X.dtype)

    def mask(self, X: Array, P: Array) -> Array:
        """Return True where an entry of X is corrupt."""
        return self.noise(X, P) != 0  # type: ignore[attr-defined]

    def step_length(self, X: Array, P: Array, target: Array, threshold: Array) -> Array:
        """Return 0: a whole step is never too long; where it seems to be, that is rounding."""
        xp = array_namespace(X)
        return xp.zeros(X.shape[0], dtype=xp.float64)


def no_weights(weights: Array | None) -> None:
    """Refuse weights."""
    if weights is not None:
        raise TypeError("weights go with NoNoise; a noise model treats every known entry alike")
