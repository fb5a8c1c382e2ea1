"""W and the corrupt entries of given samples, with components and a detector; row by row.

Nothing here looks from one row at another, and nothing is random, so the answer for a row is the
same whatever the batch.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from robustnmf._auto.detection.detector import Detector
from robustnmf._auto.detection.scales import CLEAN_SHARE, quantile
from robustnmf._core.noise import NoNoise, SquaredL1
from robustnmf._core.rows import solve_rows

Array = Any

# λ of the convex start is this much over the number of features: as for a third of the entries
# being corrupt.
FIRST_PRICE = 3.0
# How often the scale of a row and its corrupt entries are found anew before its thresholds are
# held, and how often at most after that.
ROUNDS = 3
# Values above so many times what is high for their row are cut off at first.
REACH = 1.5
MOST_ROUNDS = 20
# A corrupt entry counts this much, at the prediction of the last round. Ignored altogether, it
# would leave a component that lives mostly on corrupt entries to run wild; like this, it stays
# where it was unless something moves it.
HINT = 0.01


class ExplainedRows(NamedTuple):
    """What is known of some rows."""

    W: Array
    P: Array
    """W H."""
    scale: tuple[Any, ...]
    """The scale of each entry, as the kernels take it."""
    places: Array
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
    return SquaredL1(FIRST_PRICE / n_features)


def explain_rows(X: Array, H: Array, detector: Detector, *, rounds: int = ROUNDS) -> ExplainedRows:
    """Alternate between flagging and fitting each row, from a convex start.

    With fewer rounds the answer is rougher, and the thresholds are not held to the end.
    """
    places = detector.classes.places(X)
    W = solve_rows(_within_reach(X, H), H, first_price(X.shape[1]))
    P = W @ H
    corrupt: Any = None
    for _ in range(rounds):
        scale = detector.scale(X, P, corrupt)
        thresholds = detector.thresholds(scale, places, X.dtype)
        corrupt = _beyond(X, P, thresholds)
        W, P = _refit(X, H, W, P, corrupt)
    for _ in range(MOST_ROUNDS if rounds == ROUNDS else 0):
        before, corrupt = corrupt, _beyond(X, P, thresholds)
        if np.array_equal(before, corrupt):
            break
        W, P = _refit(X, H, W, P, corrupt)
    return ExplainedRows(W, P, scale, places, thresholds, _beyond(X, P, thresholds))


def _within_reach(X: Array, H: Array) -> Array:
    """Return X with values cut off that are far above what the row would suggest.

    The convex noise model bounds what one entry can do, but not what the size of many can.
    """
    profile = H.mean(axis=0)
    relative = X / np.maximum(profile, np.finfo(X.dtype).tiny ** 0.5)
    high = quantile(np.where(profile > 0, relative, np.nan), CLEAN_SHARE, axis=1)
    high = np.maximum(high, 0.1 * np.nanmean(X, axis=1) / max(float(profile.mean()), 1e-300))
    return np.minimum(X, (REACH * high[:, None] * profile).astype(X.dtype))


def _beyond(X: Array, P: Array, thresholds: Array) -> Array:
    # NaN compares as False: a missing entry is never corrupt.
    return np.abs(X - P) > thresholds


def _refit(X: Array, H: Array, W: Array, P: Array, corrupt: Array) -> tuple[Array, Array]:
    weights = np.where(corrupt, HINT, 1).astype(X.dtype)
    W = solve_rows(np.where(corrupt, P, X), H, NoNoise(), weights, W)
    return W, W @ H
