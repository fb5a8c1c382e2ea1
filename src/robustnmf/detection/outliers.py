"""Samples that are nothing like the rest: a house among faces."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any

# With fewer samples than this there is no "rest" to speak of.
LEAST_SAMPLES = 20
# An outlier is one whose variation is left unexplained to this many times the usual share, ...
LEAST_RATIO = 2.5
# ... to at least this share, ...
LEAST_SHARE = 0.3
# ... and far from the others, in robust standard deviations of the logarithm.
LEAST_DISTANCE = 2.5


def unexplained(X: Array, P: Array, thresholds: Array) -> Array:
    """Return the share of each row's variation about its mean that the prediction P leaves.

    A residual counts up to its threshold: a few corrupt entries do not make an outlier.
    """
    with np.errstate(invalid="ignore"):
        left = np.nansum(np.minimum(np.abs(X - P), thresholds) ** 2, axis=1, dtype=float)
        mean = np.nanmean(X, axis=1, keepdims=True)
        variation = np.nansum((X - mean) ** 2, axis=1, dtype=float)
    return np.divide(left, variation, out=np.zeros_like(left), where=variation > 0)


def outlying(shares: Array) -> Array:
    """Return True for the rows whose unexplained share is far beyond that of the others.

    Examples
    --------
    >>> outlying(np.append(np.linspace(0.1, 0.2, 30), 0.9)).nonzero()[0]
    array([30])
    """
    if len(shares) < LEAST_SAMPLES:
        return np.zeros(len(shares), dtype=bool)
    logs = np.log(np.maximum(shares, np.finfo(float).tiny))
    usual = np.median(logs)
    spread = 1.4826 * np.median(np.abs(logs - usual))
    far = logs > usual + np.maximum(LEAST_DISTANCE * spread, np.log(LEAST_RATIO))
    return far & (shares > LEAST_SHARE)
