"""W and the corrupt entries of given samples, with components and a detector; row by row.

Nothing here looks from one row at another, and nothing is random, so the answer for a row is the
same whatever the batch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from robustnmf._auto.detection.detector import Detector, beyond
from robustnmf._auto.detection.reach import within_components
from robustnmf._auto.detection.scales import EntryScales
from robustnmf._auto.detection.settings import ROWS, SCALES
from robustnmf._common.arrays import Array
from robustnmf._core.noise import SquaredL1
from robustnmf._core.rows import solve_clean, solve_rows


class ExplainedRows(NamedTuple):
    """What is known of some rows."""

    W: Array
    P: Array
    """W H."""
    scale: EntryScales
    """The scale of each entry, as the kernels take it."""
    class_of: Array
    """The class of each entry's value."""
    thresholds: Array
    corrupt: Array

    def losses(self, X: Array) -> tuple[Array, Array]:
        """Return the squared misfit of each row outside what is corrupt, and the price of that."""
        kept = np.where(self.corrupt | np.isnan(X), 0, X - self.P)
        price = np.where(self.corrupt, self.thresholds, 0)
        return tuple(np.einsum("ij,ij->i", A, A, dtype=np.float64) for A in (kept, price))


def first_price(n_features: int) -> SquaredL1:
    """Return the convex noise model to start with."""
    return SquaredL1(ROWS.first_price / n_features)


def explain_rows(
    X: Array, H: Array, detector: Detector, *, rounds: int = ROWS.rounds
) -> ExplainedRows:
    """Alternate between flagging and fitting each row, from a convex start.

    With fewer rounds the answer is rougher, and the thresholds are not held to the end.
    """
    class_of = detector.classes.index_of(X)
    W = solve_rows(within_components(X, H, SCALES.clean_share), H, first_price(X.shape[1]))
    P = W @ H
    corrupt: Any = None
    for _ in range(rounds):
        scale = detector.scale(X, P, corrupt)
        thresholds = detector.thresholds(scale, class_of)
        corrupt = beyond(X, P, thresholds)
        W = solve_clean(np.where(corrupt, P, X), H, corrupt, W)
        P = W @ H
    for _ in range(ROWS.most_rounds if rounds == ROWS.rounds else 0):
        before, corrupt = corrupt, beyond(X, P, thresholds)
        if np.array_equal(before, corrupt):
            break
        W = solve_clean(np.where(corrupt, P, X), H, corrupt, W)
        P = W @ H
    return ExplainedRows(W, P, scale, class_of, thresholds, beyond(X, P, thresholds))
