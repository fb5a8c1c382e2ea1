"""λ‖e‖₀² for each row: r itself on the s largest |r|, for the s that pays."""

from __future__ import annotations

from dataclasses import dataclass, replace

from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._common.places import widest
from robustnmf._core.noise.model import Base, Cleaned, Quadratic, no_weights
from robustnmf._kernels import kernels_for


@dataclass(frozen=True)
class SquaredL0(Base):
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

    @staticmethod
    def equivalent_lam(line: float, rows: int, entries: int, excess: float) -> float:
        """An entry is corrupt when r² > λ(2s − 1)."""
        return line**2 / (2 * entries / rows - 1) if rows else line**2

    def clean(self, X: Array, P: Array, weights: Array | None, threshold: Array) -> Cleaned:
        """Replace the corrupt entries by their prediction."""
        no_weights(weights)
        rows, loss = kernels_for(X).clean_squared_l0(X, P, _held(self.lam, P))
        return Cleaned(rows, loss, threshold)

    def noise(self, X: Array, P: Array) -> Array:
        """Return the whole residual of the corrupt entries."""
        return kernels_for(X).noise_squared_l0(X, P, _held(self.lam, P))

    def penalty(self, E: Array) -> Array:
        """λ‖e‖₀² of each row."""
        xp = array_namespace(E)
        return self.lam * xp.sum(xp.astype(E != 0, widest(E)), axis=1) ** 2

    def quadratic(
        self, X: Array, P: Array, H: Array, weights: Array | None, threshold: Array
    ) -> Quadratic:
        """Corrupt entries do not count at all."""
        no_weights(weights)
        Q, c, loss = kernels_for(X).quadratic_squared_l0(X, P, H, _held(self.lam, P))
        return Quadratic(Q, c, loss, threshold)


def _held(lam: float, like: Array) -> float:
    """λ, or a price that nothing can pay and whose multiples the data's precision still holds."""
    return min(lam, 1e-18 * float(array_namespace(like).finfo(like.dtype).max))
