"""Samples that are nothing like the rest: a house among faces, or nothing but noise."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from robustnmf._auto.detection.settings import OUTLIERS, UNRELATED
from robustnmf._common.arrays import Array
from robustnmf._common.robust import quantile, robust_deviation
from robustnmf._kernels import kernels_for

# Of a share that no row has.
LARGEST_LOG = 300.0


class Losses(NamedTuple):
    """What a prediction leaves of each row; b each."""

    misfit: Array
    """The squares of the residuals within their thresholds, ..."""
    penalty: Array
    """... and those of the thresholds of all others."""
    unexplained: Array
    """Both together, as a share of the row's variation about its mean."""


def losses(X: Array, P: Array, thresholds: Array) -> Losses:
    """Return what the prediction P leaves of each row.

    A residual counts up to its threshold: a few corrupt entries do not make an outlier.
    """
    misfit, penalty, variation = kernels_for(X).row_losses(X, P, thresholds)
    left = misfit + penalty
    shares = np.divide(left, variation, out=np.zeros_like(left), where=variation > 0)
    return Losses(misfit, penalty, shares)


def unexplained(X: Array, P: Array, thresholds: Array) -> Array:
    """Return the share of each row's variation that the prediction P leaves."""
    return losses(X, P, thresholds).unexplained


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
    if len(shares) < OUTLIERS.least_samples:
        return math.inf
    logs = np.log(np.maximum(shares, np.finfo(float).tiny))
    usual = np.median(logs)
    spread = robust_deviation(logs - usual)
    far = usual + np.maximum(OUTLIERS.least_distance * spread, np.log(OUTLIERS.least_ratio))
    # Few rows with next to nothing to explain make the spread of logarithms huge.
    return max(float(np.exp(min(far, LARGEST_LOG))), OUTLIERS.least_share)


# Beyond this, correlations are one.
LARGEST_CORRELATION = 1 - 1e-9


def unrelated(X: Array, order: Array | None = None, least: int = UNRELATED.least_numbers) -> Array:
    """Return the rows that have nothing in common with any other, although most rows do.

    Ranks are compared, not values: a few wild ones hardly matter. A quiet row has little to
    share, and does no harm. Of rows with fewer than `least` numbers nothing is said. `order` may
    say which of all different values each entry has, the smallest being 0.

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
    if n < OUTLIERS.least_samples or m < least:
        return none
    ranks = _standard_ranks(X, order)
    others = np.unique(np.linspace(0, n - 1, min(n, UNRELATED.most_others)).astype(int))
    related = ranks @ ranks[others].T
    related[others, np.arange(len(others))] = 0
    best = np.arctanh(np.clip(related.max(axis=1), 0, LARGEST_CORRELATION)) * np.sqrt(m - 3)
    judged = (ranks != 0).any(axis=1)
    spread = _quartile_range(X)
    needed = UNRELATED.chance * (
        UNRELATED.much_alike if m < UNRELATED.short else UNRELATED.clearly_related
    )
    # Of many bad rows, the better half alone tells what is usual.
    if not judged.any() or np.quantile(best[judged], UNRELATED.better) < needed:
        return none
    usual = float(np.median(spread[judged]))
    far = judged & (best < UNRELATED.chance) & (spread > 0) & (spread >= UNRELATED.quiet * usual)
    return far if far.mean() <= UNRELATED.most_unrelated else none


def _quartile_range(X: Array) -> Array:
    """Return by how much the upper quartile of each row is above the lower one."""
    if np.isnan(X).any():
        return quantile(X, 0.75, axis=1) - quantile(X, 0.25, axis=1)
    low, high = np.quantile(X, (0.25, 0.75), axis=1)
    return high - low


def _standard_ranks(X: Array, order: Array | None) -> Array:
    """Return the ranks within each row, of mean 0 and length 1; 0 for missing numbers."""
    known = ~np.isnan(X)
    if order is not None and order.max() < UNRELATED.most_counted * X.shape[1]:
        ranks = ranks_of(order, known)
    else:
        ranks = rankdata(X, axis=1, nan_policy="omit")
    ranks = np.where(known, ranks - np.nanmean(ranks, axis=1, keepdims=True), 0)
    length = np.sqrt((ranks**2).sum(axis=1, keepdims=True))
    return np.divide(ranks, length, out=np.zeros_like(ranks), where=length > 0)


def ranks_of(order: Array, known: Array) -> Array:
    """Return the ranks of small integers within each row, NaN for those that are not known.

    Equal numbers have the mean of their ranks.

    Examples
    --------
    >>> ranks_of(np.array([[7, 2, 0, 2]]), np.array([[True, True, False, True]]))
    array([[3. , 1.5, nan, 1.5]])
    """
    n, size = len(order), int(order.max()) + 1
    cells = order + size * np.arange(n)[:, None]
    counts = np.bincount(cells[known], minlength=n * size).reshape(n, size)
    ranks = np.cumsum(counts, axis=1) - (counts - 1) / 2
    return np.where(known, ranks.ravel()[cells], np.nan)
