"""No noise term: plain and weighted NMF, where nothing is flagged."""

from __future__ import annotations

from dataclasses import dataclass

from array_api_compat import array_namespace, device

from robustnmf._common.arrays import Array
from robustnmf._common.places import widest
from robustnmf._core.noise.model import Base, Cleaned, Quadratic, no_step
from robustnmf._kernels import kernels_for


@dataclass(frozen=True)
class NoNoise(Base):
    """No noise term: plain NMF, or weighted NMF when weights are given."""

    largest_weight: float = 1.0
    """Upper bound of the weights; the nearer, the longer the steps."""
    convex = True

    def rescaled(self, factor: float) -> NoNoise:
        """Return itself."""
        return self

    def row_weights(self, X: Array, weights: Array | None) -> Array:
        """Return the largest weight of each row."""
        if weights is None:
            return super().row_weights(X, None)
        return array_namespace(weights).max(weights, axis=1)

    def clean(self, X: Array, P: Array, weights: Array | None, threshold: Array) -> Cleaned:
        """Move from the prediction towards X by the weight: the EM form of weighted NMF."""
        rows, loss = kernels_for(X).clean_weighted(X, P, weights, self.largest_weight)
        return Cleaned(rows, loss, threshold)

    def step_length(self, X: Array, P: Array, target: Array, threshold: Array) -> Array:
        """Return 0: the loss is the quadratic that a whole step minimises."""
        return no_step(X)

    def noise(self, X: Array, P: Array) -> Array:
        """Return zeros."""
        return array_namespace(X).zeros_like(P)

    def penalty(self, E: Array) -> Array:
        """0 for each row."""
        xp = array_namespace(E)
        return xp.zeros(E.shape[0], dtype=widest(E), device=device(E))

    def quadratic(
        self, X: Array, P: Array, H: Array, weights: Array | None, threshold: Array
    ) -> Quadratic:
        """Each entry counts by its weight."""
        Q, c, loss = kernels_for(X).quadratic_weighted(X, P, H, weights)
        return Quadratic(Q, c, loss, threshold)

    def solved(self, X: Array, H: Array, weights: Array | None, start: Array | None) -> Array:
        """Solve the one quadratic that there is."""
        kernels = kernels_for(X)
        Q, c, _ = kernels.quadratic_weighted(X, array_namespace(X).zeros_like(X), H, weights)
        return array_namespace(X).astype(kernels.solve_quadratic_rows(Q, c, start), H.dtype)
