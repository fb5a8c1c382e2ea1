"""W and the corrupt entries of given samples, with components and a detector; row by row.

Nothing here looks from one row at another, and nothing is random, so the answer for a row is the
same whatever the batch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from robustnmf._auto.detection.detector import Detector, beyond
from robustnmf._auto.detection.first import FirstFit
from robustnmf._auto.detection.outliers import losses
from robustnmf._auto.detection.scales import EntryScales
from robustnmf._auto.detection.settings import ROWS
from robustnmf._common.arrays import Array
from robustnmf._core.rows import solve_flagged


class ExplainedRows(NamedTuple):
    """What is known of some rows."""

    W: Array
    P: Array
    """W H."""
    scale: EntryScales
    """The scale of each entry, as the kernels take it."""
    class_of: Array
    """The class of each entry's value."""
    corrupt: Array
    misfit: Array
    """The squared misfit of each row outside what is corrupt, ..."""
    penalty: Array
    """... and the price of that; b each."""
    unexplained: Array
    """The share of each row's variation that is not explained; b."""


def explain_rows(X: Array, first: FirstFit, detector: Detector) -> ExplainedRows:
    """Alternate between flagging and fitting each row, from a first fit."""
    class_of = detector.classes.index_of(X)
    H, W = first.H, first.weights(X)
    P = W @ H
    corrupt: Any = None
    for _ in range(ROWS.rounds):
        scale = detector.scale(X, P, corrupt)
        thresholds = detector.thresholds(scale, class_of)
        corrupt = beyond(X, P, thresholds)
        W = solve_flagged(X, P, H, corrupt, W)
        P = W @ H
    _settle(X, H, thresholds, corrupt, W, P)
    return ExplainedRows(W, P, scale, class_of, beyond(X, P, thresholds), *losses(X, P, thresholds))


def _settle(X: Array, H: Array, thresholds: Array, corrupt: Array, W: Array, P: Array) -> None:
    """Flag and fit with fixed thresholds until no flag of a row changes; in place."""
    rows = np.arange(len(X))
    now = beyond(X, P, thresholds)
    for _ in range(ROWS.most_rounds):
        changed = (now != corrupt[rows]).any(axis=1)
        rows, now = rows[changed], now[changed]
        if not len(rows):
            break
        corrupt[rows] = now
        W[rows] = solve_flagged(X[rows], P[rows], H, now, W[rows])
        P[rows] = W[rows] @ H
        now = beyond(X[rows], P[rows], thresholds[rows])
