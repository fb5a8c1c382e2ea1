"""Squares up to a threshold of each entry: the loss that a fit with known thresholds minimises.

Σ min(r², θ²) is what ‖X − WH − E‖² + Σ θ²·[e ≠ 0] comes to at the best E: an entry beyond its
threshold costs θ² wherever the prediction is, and pulls at nothing. (Talwar's estimator, with a
threshold for each entry.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from robustnmf._core.noise import Cleaned, NoNoise, Quadratic
from robustnmf._kernels import kernels_for

Array = Any


class TruncatedSquares:
    """Noise of any size at the price θ² an entry; the θ come in the place of weights.

    At the current prediction, r² where |r| ≤ θ and θ² elsewhere is a quadratic bound on the loss
    that touches it there. So each step of a solver lowers the loss, as with the other models.
    """

    convex = False

    def rescaled(self, factor: float) -> TruncatedSquares:
        """Return itself: thresholds are given in the unit of the data."""
        return self

    def clean(self, X: Array, P: Array, weights: Array, threshold: Array) -> Cleaned:
        """Replace the entries beyond their thresholds by their prediction."""
        rows, loss = kernels_for(X).clean_truncated(X, P, weights)
        return Cleaned(rows, loss, threshold)

    def quadratic(
        self, X: Array, P: Array, H: Array, weights: Array, threshold: Array
    ) -> Quadratic:
        """Entries beyond their thresholds do not count."""
        counts = (np.abs(X - P) <= weights).astype(X.dtype)
        Q, c, loss = kernels_for(X).quadratic_weighted(X, P, H, counts)
        return Quadratic(Q, c, loss, threshold)

    def noise(self, X: Array, P: Array) -> Array:
        """Thresholds are needed; see `Detector`."""
        raise NotImplementedError

    penalty = NoNoise.penalty
    step_length = NoNoise.step_length
