"""What components and a detector make of data, block by block, and what that says of λ."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from robustnmf._auto.detection import Detector, explain_rows, unexplained
from robustnmf._auto.detection.repair import joined_range, trusted_range
from robustnmf._auto.settings import FIT
from robustnmf._common.arrays import Array
from robustnmf._core.noise import Penalty
from robustnmf._engines import sparse_rows, stack_rows
from robustnmf._fitting.data import Summary
from robustnmf._fitting.inference import Inferred, Units
from robustnmf._kernels import kernels_for


class Facts(NamedTuple):
    """What a detector found in some data as a whole, in the user's units."""

    scale: float
    """The typical size of a clean residual."""
    corruption: float
    """The share of known entries that is corrupt, by the sum of their probabilities."""
    scattered: float
    """The same of those whose value is not one that corruption wrote again and again, in features
    of which anything is known."""
    unexplained: Array
    """The share of each row's variation that is not explained; n."""
    trusted: tuple[Array, Array]
    """The least and the largest value of each feature that is not flagged; m each."""

    def equivalent_lam(self, model: type[Penalty], E: sparse.csr_array) -> float:
        """Return the λ of a noise model that would draw the line at some scales, on average."""
        counts = np.diff(E.indptr)
        return model.equivalent_lam(FIT.line * self.scale, counts[counts > 0], np.abs(E.data))


class LearnedDetection(NamedTuple):
    """Components and a detector, in the user's units."""

    components: Array
    """H; k×m."""
    detector: Detector

    def infer(
        self, X: Any, summary: Summary, weights: Any = None, start: Array | None = None
    ) -> Inferred:
        """Solve for each row's W and E, from a start of its own."""
        return self.examine(X, summary)[0]

    def bounded(self, X: Array, P: Array, corrupt: Array) -> Array:
        """Return predictions within the range of trusted values, or somewhat beyond."""
        repair = self.detector.repair
        return P if repair is None else repair.bounded(X, P, corrupt)

    def examine(self, X: Any, summary: Summary) -> tuple[Inferred, Facts]:
        """Solve for each row's W and E, and say what that tells of the data as a whole."""
        units = Units(summary.moderate(), self.components)
        H, detector = units.components(self.components), self.detector.rescaled(units.factor)
        n = X.shape[0]
        W = np.empty((n, len(H)), dtype=units.dtype)
        facts = np.empty((n, 6))

        def solve(rows: slice, X: Array, weights: None) -> sparse.csr_array:
            found = explain_rows(X, H, detector)
            W[rows] = found.W
            E = np.where(found.corrupt, X - found.P, 0)
            probability = detector.probability(X, found.P, found.scale, found.class_of)
            allowed = found.corrupt
            written = detector.is_written(found.class_of)
            left = unexplained(X, found.P, found.thresholds)
            in_bulk = written
            if detector.repair is not None:
                in_bulk = written | ~detector.repair.useful | detector.repair.stuck
                allowed = allowed & detector.repair.allowed(X, found.P, probability, written)
                allowed &= (left <= detector.repair.most_unexplained)[:, None]
            scale = np.median(kernels_for(X).scale_of(*found.scale), axis=1)
            facts[rows] = np.stack(
                [
                    *found.losses(X),
                    scale,
                    probability.sum(axis=1),
                    left,
                    np.where(in_bulk, 0, probability).sum(axis=1),
                ],
                axis=1,
            )
            beside[rows.start] = sparse_rows(allowed), *trusted_range(X, found.corrupt)
            return sparse_rows(E)

        beside: dict[int, tuple[Any, ...]] = {}
        E = stack_rows(units.blocks(X).stream(solve), X.shape[1])
        allowed, lows, highs = zip(*(beside[first] for first in sorted(beside)), strict=True)
        replaceable = stack_rows(allowed, X.shape[1])
        misfit, penalty, _, probability, _, scattered = facts.sum(axis=0)
        low, high = (A / units.factor for A in joined_range(lows, highs))
        return Inferred(
            units.weights_back(W),
            units.noise_back(E),
            units.objective_back(misfit),
            units.objective_back(penalty),
            replaceable,
        ), Facts(
            float(np.median(facts[:, 2])) / units.factor,
            float(probability / summary.n_known),
            float(scattered / summary.n_known),
            facts[:, 4],
            (low, high),
        )

    def probabilities(self, X: Any, summary: Summary) -> Array:
        """Return the probability that each entry is corrupt; 0 for a missing one."""
        units = Units(summary.moderate(), self.components)
        H, detector = units.components(self.components), self.detector.rescaled(units.factor)

        def solve(rows: slice, X: Array, weights: None) -> Array:
            found = explain_rows(X, H, detector)
            return detector.probability(X, found.P, found.scale, found.class_of).astype(
                summary.dtype
            )

        return np.concatenate(list(units.blocks(X).stream(solve)))
