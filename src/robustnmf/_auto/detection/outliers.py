"""Samples that are nothing like the rest: a house among faces, or nothing but noise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.stats import rankdata

from robustnmf._common.robust import quantile, robust_deviation

Array = Any

# With fewer samples than this there is no "rest" to speak of.
LEAST_SAMPLES = 20
# An outlier is one whose variation is left unexplained to this many times the usual share, ...
LEAST_RATIO = 2.5
# ... to at least this share, ...
LEAST_SHARE = 0.3
# ... and far from the others, in robust standard deviations of the logarithm.
LEAST_DISTANCE = 2.5
# Of a share that no row has.
LARGEST_LOG = 300.0


def unexplained(X: Array, P: Array, thresholds: Array) -> Array:
    """Return the share of each row's variation about its mean that the prediction P leaves.

    A residual counts up to its threshold: a few corrupt entries do not make an outlier.
    """
    with np.errstate(invalid="ignore"):
        left = np.nansum(np.minimum(np.abs(X - P), thresholds) ** 2, axis=1, dtype=float)
        mean = np.nanmean(X, axis=1, keepdims=True)
        variation = np.nansum((X - mean) ** 2, axis=1, dtype=float)
    return np.divide(left, variation, out=np.zeros_like(left), where=variation > 0)


def outlying(shares: Array, usual: Array | slice = slice(None)) -> Array:
    """Return True for the rows whose unexplained share is far beyond that of the usual ones.

    Examples
    --------
    >>> outlying(np.append(np.linspace(0.1, 0.2, 30), 0.9)).nonzero()[0]
    array([30])
    """
    return shares > most_unexplained(shares[usual])


def most_unexplained(shares: Array) -> float:
    """Return the largest share that is not far beyond the others."""
    if len(shares) < LEAST_SAMPLES:
        return math.inf
    logs = np.log(np.maximum(shares, np.finfo(float).tiny))
    usual = np.median(logs)
    spread = robust_deviation(logs - usual)
    far = usual + np.maximum(LEAST_DISTANCE * spread, np.log(LEAST_RATIO))
    # Few rows with next to nothing to explain make the spread of logarithms huge.
    return max(float(np.exp(min(far, LARGEST_LOG))), LEAST_SHARE)


# A row has nothing in common with others if no correlation with them is above what chance allows:
# so many standard errors of Fisher's z, which are the same for strong and weak correlations.
CHANCE = 4.0
# That says something only if the usual row's best z is so many times that (the second number for
# rows shorter than the third, in which a few wrong entries can hide what is common), ...
CLEARLY_RELATED, MUCH_ALIKE, SHORT = 1.5, 3.0, 60
BETTER = 0.7
# ... there are so many numbers in a row, and no more than this share of rows is like that.
LEAST_NUMBERS, MOST_UNRELATED = 16, 0.45
# Beyond this, correlations are one.
LARGEST_CORRELATION = 1 - 1e-9
# A row is quiet that varies less than this share of what is usual.
QUIET = 0.5
# Each row is compared with so many others.
MOST_OTHERS = 500


def unrelated(X: Array, least: int = LEAST_NUMBERS) -> Array:
    """Return the rows that have nothing in common with any other, although most rows do.

    Ranks are compared, not values: a few wild ones hardly matter. A quiet row has little to
    share, and does no harm. Of rows with fewer than `least` numbers nothing is said.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((40, 1)) + rng.random(200)
    >>> X[3] = rng.random(200)
    >>> unrelated(X).nonzero()[0]
    array([3])
    """
    n, m = X.shape
    none = np.zeros(n, dtype=bool)
    if n < LEAST_SAMPLES or m < least:
        return none
    ranks = _standard_ranks(X)
    others = np.unique(np.linspace(0, n - 1, min(n, MOST_OTHERS)).astype(int))
    related = ranks @ ranks[others].T
    related[others, np.arange(len(others))] = 0
    best = np.arctanh(np.clip(related.max(axis=1), 0, LARGEST_CORRELATION)) * np.sqrt(m - 3)
    judged = (ranks != 0).any(axis=1)
    spread = quantile(X, 0.75, axis=1) - quantile(X, 0.25, axis=1)
    needed = CHANCE * (MUCH_ALIKE if m < SHORT else CLEARLY_RELATED)
    # Of many bad rows, the better half alone tells what is usual.
    if not judged.any() or np.quantile(best[judged], BETTER) < needed:
        return none
    usual = float(np.median(spread[judged]))
    far = judged & (best < CHANCE) & (spread > 0) & (spread >= QUIET * usual)
    return far if far.mean() <= MOST_UNRELATED else none


def _standard_ranks(X: Array) -> Array:
    """Return the ranks within each row, of mean 0 and length 1; 0 for missing numbers."""
    known = ~np.isnan(X)
    ranks = rankdata(X, axis=1, nan_policy="omit")
    ranks = np.where(known, ranks - np.nanmean(ranks, axis=1, keepdims=True), 0)
    length = np.sqrt((ranks**2).sum(axis=1, keepdims=True))
    return np.divide(ranks, length, out=np.zeros_like(ranks), where=length > 0)
