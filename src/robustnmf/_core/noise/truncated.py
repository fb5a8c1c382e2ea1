"""Squares up to a threshold of each entry: the loss that a fit with known thresholds minimises.

Σ min(r², θ²) is what ‖X − WH − E‖² + Σ θ²·[e ≠ 0] comes to at the best E: an entry beyond its
threshold costs θ² wherever the prediction is, and pulls at nothing. (Talwar's estimator, with a
threshold for each entry.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._common.places import widest
from robustnmf._core.engine import RowArray
from robustnmf._core.noise.model import Base, Cleaned, Quadratic, Swept, no_weights
from robustnmf._kernels import kernels_for, observed_residual


@dataclass(frozen=True, eq=False)
class TruncatedSquares(Base):
    """Noise of any size at the price θ² an entry.

    At the current prediction, r² where |r| ≤ θ and θ² elsewhere is a quadratic bound on the loss
    that touches it there. So each step of a solver lowers the loss, as with the other models.

    Parameters
    ----------
    thresholds : array, b×m
        θ of each entry of the rows at hand. A row of zeros costs nothing and pulls at nothing.

    Examples
    --------
    >>> import numpy as np
    >>> x, p = np.array([[1.0, 2.0, 9.0]]), np.array([[1.0, 3.0, 3.0]])
    >>> model = TruncatedSquares(np.array([[2.0, 2.0, 2.0]]))
    >>> model.noise(x, p)
    array([[0., 0., 6.]])
    >>> model.clean(x, p.copy(), None, np.zeros(1)).loss
    array([5.])
    """

    thresholds: Array
    convex = False

    @property
    def row_arrays(self) -> tuple[RowArray, ...]:
        """The thresholds."""
        return (self.thresholds,)

    def with_rows(self, *row_arrays: RowArray) -> TruncatedSquares:
        """Return the model of rows with these thresholds."""
        return replace(self, thresholds=row_arrays[0])

    def rescaled(self, factor: float) -> TruncatedSquares:
        """Return the model for data multiplied by `factor`."""
        if factor == 1:
            return self
        # In double precision, which holds them in any unit.
        return replace(self, thresholds=self.thresholds * np.float64(factor))

    def row_weights(self, X: Array, weights: Array | None) -> Array:
        """Return 1 for each row, and 0 where there is no room for any residual."""
        xp = array_namespace(X)
        return xp.astype(xp.max(self.thresholds, axis=1) > 0, X.dtype)

    def clean(self, X: Array, P: Array, weights: Array | None, threshold: Array) -> Cleaned:
        """Replace the entries beyond their thresholds by their prediction."""
        no_weights(weights)
        rows, loss = kernels_for(X).clean_truncated(X, P, self.thresholds)
        return Cleaned(rows, loss, threshold)

    def swept(
        self, X: Array, W: Array, H: Array, gram: Array, threshold: Array, sweeps: int
    ) -> Swept:
        """Do all of it in one kernel."""
        swept = kernels_for(X).swept_truncated
        W, square, cross, loss = swept(X, W, H, gram, self.thresholds, sweeps)
        return Swept(W, square, cross, threshold, loss)

    def noise(self, X: Array, P: Array) -> Array:
        """Return the whole residual of the entries beyond their thresholds."""
        R = observed_residual(X, P)
        xp = array_namespace(R)
        return xp.where(xp.abs(R) > self.thresholds, R, xp.zeros_like(R))

    def penalty(self, E: Array) -> Array:
        """Σ θ² over the corrupt entries of each row."""
        xp = array_namespace(E)
        price = xp.where(E != 0, self.thresholds, xp.zeros_like(self.thresholds))
        return xp.sum(price * price, axis=1, dtype=widest(E))

    def quadratic(
        self, X: Array, P: Array, H: Array, weights: Array | None, threshold: Array
    ) -> Quadratic:
        """Entries beyond their thresholds do not count."""
        no_weights(weights)
        xp = array_namespace(X)
        counts = xp.astype(xp.abs(X - P) <= self.thresholds, X.dtype)
        Q, c, loss = kernels_for(X).quadratic_weighted(X, P, H, counts)
        return Quadratic(Q, c, loss, threshold)
