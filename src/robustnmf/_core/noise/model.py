"""What solvers and estimators ask of a noise model, and what all of them share."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, TypeVar

from array_api_compat import array_namespace, device

from robustnmf._common.arrays import Array, RowPositions
from robustnmf._common.places import widest
from robustnmf._core.engine import RowArray
from robustnmf._kernels import HALVINGS

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


class Swept(NamedTuple):
    """What a noise model and sweeps on W make of a block of rows together."""

    W: Array
    """The new one; b×k."""
    gram: Array
    """WᵀW; k×k."""
    cross: Array
    """WᵀX̂, X̂ being the cleaned rows; k×m."""
    threshold: Array
    """A first guess for the same rows next time; b."""
    loss: Any
    """The objective at the W that came in; a number where the rows are."""


class NoiseModel(Protocol):
    """What solvers and estimators ask of a noise model."""

    @property
    def convex(self) -> bool:
        """Whether the best (w, e) given H is unique up to ties."""

    @property
    def largest_weight(self) -> float:
        """Upper bound of what an entry counts."""

    @property
    def row_arrays(self) -> tuple[RowArray, ...]:
        """What it has for each row: whole as an engine keeps it, or of a block."""

    def with_rows(self, *row_arrays: RowArray) -> NoiseModel:
        """Return the model of other rows, or with them where an engine keeps them."""

    def is_hard(self, n_features: int) -> bool:
        """Whether a fit should begin with an easier model.

        Far from any fit a nonconvex model can take all entries for noise, and then nothing pulls at
        the factors; with a tiny λ next to nothing does.
        """

    def rescaled(self, factor: float) -> NoiseModel:
        """Return the model for data multiplied by `factor`."""

    def clean(self, X: Array, P: Array, weights: Array | None, threshold: Array) -> Cleaned:
        """Clean the rows of X given their prediction P, which may be overwritten."""

    def swept(
        self, X: Array, W: Array, H: Array, gram: Array, threshold: Array, sweeps: int
    ) -> Swept | None:
        """Clean rows without weights and improve their W by HALS, if that is faster in one go.

        gram is H Hᵀ. None leaves it to `clean`, and the rest to whoever asked.
        """

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

    def solved(
        self, X: Array, H: Array, weights: Array | None, start: Array | None
    ) -> Array | None:
        """Return the W that minimises each row's loss, given H, if there is a faster way to it.

        None leaves it to Newton's method on `quadratic`, a step at a time.
        """


class Penalty(NoiseModel, Protocol):
    """A noise model with a price λ, which users choose by its name."""

    def __init__(self, lam: float) -> None: ...

    @property
    def lam(self) -> float:
        """The price of noise."""

    @staticmethod
    def equivalent_lam(line: float, rows: int, entries: int, excess: float) -> float:
        """Return the λ that would call corrupt what is beyond a line, on average.

        Parameters
        ----------
        line : float
            The size of a residual.
        rows, entries : int
            In how many rows any entry is corrupt, and how many entries are.
        excess : float
            By how much their residuals are larger than the line, together.
        """


class Base:
    """What models share that treat every known entry of every row alike."""

    largest_weight = 1.0

    @property
    def row_arrays(self) -> tuple[RowArray, ...]:
        """Nothing is known of single rows."""
        return ()

    def with_rows(self: Model) -> Model:
        """Return itself."""
        return self

    def swept(
        self, X: Array, W: Array, H: Array, gram: Array, threshold: Array, sweeps: int
    ) -> Swept | None:
        """Return None: there is no faster way."""
        return None

    def solved(
        self, X: Array, H: Array, weights: Array | None, start: Array | None
    ) -> Array | None:
        """Return None: there is no faster way."""
        return None

    def is_hard(self, n_features: int) -> bool:
        """Whether the model is not convex."""
        model: Any = self
        return not model.convex

    def row_weights(self, X: Array, weights: Array | None) -> Array:
        """Return 1 for each row."""
        return array_namespace(X).ones_like(X[:, 0])

    def step_length(self, X: Array, P: Array, target: Array, threshold: Array) -> Array:
        """Where the slope of the loss turns on the way, if it does so once: if it is convex."""
        model: Any = self
        if model.convex:
            return turning_point(model, X, P, target, threshold)
        return no_step(X)


def of_rows(noise: NoiseModel, rows: RowPositions) -> NoiseModel:
    """Return the model of some of the rows of a block."""
    if isinstance(rows, slice):
        return noise.with_rows(*(A[rows, ...] for A in noise.row_arrays))
    arrays = noise.row_arrays
    return noise.with_rows(*(array_namespace(A).take(A, rows, axis=0) for A in arrays))


def no_step(X: Array) -> Array:
    """Return 0: a whole step is never too long; where it seems to be, that is rounding."""
    xp = array_namespace(X)
    return xp.zeros(X.shape[0], dtype=widest(X), device=device(X))


def turning_point(model: NoiseModel, X: Array, P: Array, target: Array, threshold: Array) -> Array:
    """Return where between P (0) and target (1) each row's convex loss is least.

    Its slope changes sign once on the way: halve the interval around it.
    """
    xp = array_namespace(X)
    low = xp.zeros(X.shape[0], dtype=widest(X), device=device(X))
    high = xp.ones_like(low)
    way = target - P
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        at = P + xp.astype(middle, P.dtype)[:, None] * way
        cleaned = model.clean(X, xp.asarray(at, copy=True), None, threshold)
        threshold = cleaned.threshold
        slope = xp.sum((cleaned.rows - at) * way, axis=1, dtype=widest(X))
        low, high = xp.where(slope > 0, middle, low), xp.where(slope > 0, high, middle)
    return low


def no_weights(weights: Array | None) -> None:
    """Refuse weights."""
    if weights is not None:
        raise TypeError("weights go with NoNoise; a noise model treats every known entry alike")
