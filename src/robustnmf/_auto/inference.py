"""What components and a detector make of data, block by block, and what that says of λ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from robustnmf._auto.detection import Detector, explain_rows, unexplained
from robustnmf._auto.detection.repair import completed_range, trusted_range
from robustnmf._auto.settings import FIT
from robustnmf._common.arrays import Array
from robustnmf._core.noise import Penalty
from robustnmf._fitting.data import Summary
from robustnmf._fitting.explained import EVERYTHING, Explained, Inferred, collect
from robustnmf._fitting.units import Units
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


class _Look(NamedTuple):
    """What a detector found in a block of rows, in the user's units."""

    explained: Explained
    scales: Array
    """The middle scale of each row; b."""
    unexplained: Array
    """As `Facts` has it; b."""
    corrupt: float
    scattered: float
    """Sums of probabilities, of all entries and of those that `Facts` calls so."""
    trusted: tuple[Array, Array]
    """As `Facts` has it."""


class LearnedDetection(NamedTuple):
    """Components and a detector, in the user's units."""

    components: Array
    """H; k×m."""
    detector: Detector

    def infer(self, X: Any, summary: Summary, weights: Any = None) -> Inferred:
        """Solve for each row's W and E."""
        return self.examine(X, summary)[0]

    def bounded(self, X: Array, P: Array, corrupt: Array) -> Array:
        """Return predictions within the range of trusted values, or somewhat beyond."""
        repair = self.detector.repair
        return P if repair is None else repair.bounded(X, P, corrupt)

    def explain(self, X: Any, summary: Summary, weights: Any = None) -> Iterator[Explained]:
        """Do the same a block at a time, in the order of the rows."""
        return (look.explained for look in self._look(X, summary))

    def examine(self, X: Any, summary: Summary) -> tuple[Inferred, Facts]:
        """Solve for each row's W and E, and say what that tells of the data as a whole."""
        scales, left = np.empty(X.shape[0]), np.empty(X.shape[0])
        # Of each block, to be added up without loss.
        corrupt: list[float] = []
        scattered: list[float] = []
        low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)

        def noted() -> Iterator[Explained]:
            for look in self._look(X, summary):
                rows = look.explained.rows
                scales[rows], left[rows] = look.scales, look.unexplained
                corrupt.append(look.corrupt)
                scattered.append(look.scattered)
                np.fmin(low, look.trusted[0], out=low)
                np.fmax(high, look.trusted[1], out=high)
                yield look.explained

        found = collect(map(EVERYTHING.of, noted()), X.shape)
        n_known = summary.n_known
        return found, Facts(
            float(np.median(scales)),
            math.fsum(corrupt) / n_known,
            math.fsum(scattered) / n_known,
            left,
            completed_range(low, high),
        )

    def _look(self, X: Any, summary: Summary) -> Iterator[_Look]:
        units = Units(summary.moderate(), self.components)
        H, detector = units.components(self.components), self.detector.rescaled(units.factor)

        def solve(rows: slice, X: Array, weights: None) -> _Look:
            found = explain_rows(X, H, detector)
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
            low, high = trusted_range(X, found.corrupt)
            return _Look(
                units.explained(rows, X, found.W, E, *found.losses(X), allowed),
                np.median(kernels_for(X).scale_of(*found.scale), axis=1) / units.factor,
                left,
                float(probability.sum()),
                float(np.where(in_bulk, 0, probability).sum()),
                (low / units.factor, high / units.factor),
            )

        return units.blocks(X).stream(solve)

    def probabilities(self, X: Any, summary: Summary) -> Iterator[tuple[slice, Array]]:
        """Give the probability that each entry is corrupt, by blocks; 0 for a missing one."""
        units = Units(summary.moderate(), self.components)
        H, detector = units.components(self.components), self.detector.rescaled(units.factor)

        def solve(rows: slice, X: Array, weights: None) -> tuple[slice, Array]:
            found = explain_rows(X, H, detector)
            probability = detector.probability(X, found.P, found.scale, found.class_of)
            return rows, probability.astype(summary.dtype)

        return units.blocks(X).stream(solve)
