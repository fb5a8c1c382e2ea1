"""λ‖e‖₁² for each row: r shrunk towards 0 by τ = λ‖e‖₁, which the row finds itself."""

from __future__ import annotations

from dataclasses import dataclass

from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._common.places import widest
from robustnmf._core.noise.model import Base, Cleaned, Quadratic, Swept, no_weights
from robustnmf._kernels import kernels_for

# A λ is tiny when it is below this share of 1 / (entries of a sample): nine tenths of an even
# residual are then taken for noise. No study chose it; tests/core/test_noise.py fixes the line.
TINY = 0.1
# Where nothing is flagged no λ is high enough; this one will do.
HIGHEST_LAM = 1000.0


@dataclass(frozen=True)
class SquaredL1(Base):
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

    def is_hard(self, n_features: int) -> bool:
        """Whether λ is tiny."""
        return self.lam < TINY / n_features

    def rescaled(self, factor: float) -> SquaredL1:
        """Return itself: the penalty is as homogeneous as the loss."""
        return self

    @staticmethod
    def equivalent_lam(line: float, rows: int, entries: int, excess: float) -> float:
        """Each row's τ is λ‖e‖₁, e being what lies beyond τ."""
        if excess * HIGHEST_LAM <= line * rows:
            return HIGHEST_LAM
        return line * rows / excess

    def clean(self, X: Array, P: Array, weights: Array | None, threshold: Array) -> Cleaned:
        """Clip the residual at ±τ."""
        no_weights(weights)
        return Cleaned(*kernels_for(X).clean_squared_l1(X, P, self.price, threshold))

    def swept(
        self, X: Array, W: Array, H: Array, gram: Array, threshold: Array, sweeps: int
    ) -> Swept:
        """Do all of it in one kernel."""
        swept = kernels_for(X).swept_squared_l1
        return Swept(*swept(X, W, H, gram, self.price, threshold, sweeps))

    def noise(self, X: Array, P: Array) -> Array:
        """Shrink the residual by τ; what is left is noise."""
        return kernels_for(X).noise_squared_l1(X, P, self.price)

    def penalty(self, E: Array) -> Array:
        """λ‖e‖₁² of each row."""
        xp = array_namespace(E)
        return self.lam * xp.sum(xp.abs(E), axis=1, dtype=widest(E)) ** 2

    def quadratic(
        self, X: Array, P: Array, H: Array, weights: Array | None, threshold: Array
    ) -> Quadratic:
        """Small residuals count squared; the large ones as the square of their sum."""
        no_weights(weights)
        return Quadratic(*kernels_for(X).quadratic_squared_l1(X, P, H, self.price, threshold))

    def step_length(self, X: Array, P: Array, target: Array, threshold: Array) -> Array:
        """Where the slope of the loss, which is convex, turns on the way."""
        return kernels_for(X).step_length_squared_l1(X, P, target, self.price, threshold)

    def solved(self, X: Array, H: Array, weights: Array | None, start: Array | None) -> Array:
        """Take all steps of Newton's method in one kernel."""
        no_weights(weights)
        return kernels_for(X).solve_squared_l1(X, H, self.price, start)


# From the answer of this one a nonconvex model starts: convex, robust and free of scale.
CONVEX_START = SquaredL1(0.1)
