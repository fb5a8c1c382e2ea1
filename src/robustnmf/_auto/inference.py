"""What components and a detector make of data, block by block, and what that says of λ."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from robustnmf._auto.detection import Detector, judge_rows, unexplained
from robustnmf._auto.detection.repair import joined_range, trusted_range
from robustnmf._core.noise import Penalty
from robustnmf._engines import sparse_rows, stack_rows
from robustnmf._fitting.data import Summary
from robustnmf._fitting.inference import Units
from robustnmf._kernels import kernels_for

Array = np.ndarray

# A λ is named that draws the line at this many scales of the noise.
LINE = 4.0


class Judgement(NamedTuple):
    """The data as components and detector see them, in the user's units."""

    W: Array
    E: sparse.csr_array
    misfit: float
    """‖X − WH − E‖² over the known entries."""
    penalty: float
    """Σ θ² over the corrupt ones."""
    scale: float
    """The typical size of a clean residual."""
    corruption: float
    """The share of known entries that is corrupt, by the sum of their probabilities."""
    scattered: float
    """The same of those whose value is not one that corruption wrote again and again, in features
    of which anything is known."""
    unexplained: Array
    """The share of each row's variation that is not explained; n."""
    replaceable: sparse.csr_array
    """Not zero where an entry of E may be replaced by its prediction."""
    trusted: tuple[Array, Array]
    """The least and the largest value of each feature that is not flagged; m each."""

    @property
    def objective(self) -> float:
        """The loss that the last step of the fit minimised."""
        return self.misfit + self.penalty

    def equivalent_lam(self, model: type[Penalty]) -> float:
        """Return the λ of a noise model that would draw the line at some scales, on average."""
        counts = np.diff(self.E.indptr)
        return model.equivalent_lam(LINE * self.scale, counts[counts > 0], np.abs(self.E.data))


def infer_judged(X: Any, summary: Summary, components: Array, judge: Detector) -> Judgement:
    """Solve for each row's W and E."""
    units = Units(summary, components)
    H, judge = units.components(components), judge.rescaled(units.factor)
    n = X.shape[0]
    W = np.empty((n, len(H)), dtype=units.dtype)
    facts = np.empty((n, 6))

    def solve(rows: slice, X: Array, weights: None) -> sparse.csr_array:
        found = judge_rows(X, H, judge)
        W[rows] = found.W
        E = np.where(found.corrupt, X - found.P, 0)
        probability = judge.probability(X, found.P, found.scale, found.places)
        allowed = found.corrupt
        written = judge.is_written(found.places)
        left = unexplained(X, found.P, found.thresholds)
        in_bulk = written
        if judge.repair is not None:
            in_bulk = written | ~judge.repair.useful | judge.repair.stuck
            allowed = allowed & judge.repair.allowed(X, found.P, probability, written)
            allowed &= (left <= judge.repair.most_unexplained)[:, None]
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
    return Judgement(
        units.weights_back(W),
        units.noise_back(E),
        units.objective_back(misfit),
        units.objective_back(penalty),
        float(np.median(facts[:, 2])) / units.factor,
        float(probability / summary.n_known),
        float(scattered / summary.n_known),
        facts[:, 4],
        replaceable,
        tuple(A / units.factor for A in joined_range(lows, highs)),
    )


def probabilities(X: Any, summary: Summary, components: Array, judge: Detector) -> Array:
    """Return the probability that each entry is corrupt; 0 for a missing one."""
    units = Units(summary, components)
    H, judge = units.components(components), judge.rescaled(units.factor)

    def solve(rows: slice, X: Array, weights: None) -> Array:
        found = judge_rows(X, H, judge)
        return judge.probability(X, found.P, found.scale, found.places).astype(summary.dtype)

    return np.concatenate(list(units.blocks(X).stream(solve)))
