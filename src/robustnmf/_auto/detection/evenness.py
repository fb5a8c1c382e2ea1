"""Corruption does not know what it overwrites: it is as frequent at every level of the data.

Clean data have far-out entries too, where a prediction is poor: most of them where much is
expected. So the rates learned from far-out entries are multiplied by their evenness, the rate where
they are rare over the mean rate.
"""

from __future__ import annotations

import numpy as np

from robustnmf._auto.detection.scales import level_bounds
from robustnmf._auto.detection.settings import EVENNESS
from robustnmf._common.arrays import Array
from robustnmf._common.robust import quantile
from robustnmf._kernels import kernels_for


def standing(X: Array) -> Array:
    """Return which of some equally large groups each entry belongs to, by its row and column.

    Of the product of the two means of roots, in which single huge values count for little.
    """
    roots = np.sqrt(X)
    product = np.nanmean(roots, axis=1)[:, None] * np.nanmean(roots, axis=0)
    return kernels_for(product).level_of(product, level_bounds(product))


def evenness(counts: Array, expected: Array, allowance: Array) -> Array:
    """Return for each class by how much its rate is to be multiplied, from 0 to 1.

    Parameters
    ----------
    counts, expected : ndarray of shape (n_classes, n_groups)
        Far-out entries, and those that the rates promise if they are the same everywhere.
    allowance : ndarray of shape (n_groups,)
        Far-out entries of all classes together that clean data may have.
    """
    share = counts / np.maximum(counts.sum(axis=0), 1)
    excess = np.maximum(counts - share * allowance, 0)
    # What is written may depend on what it replaces (a spike up or down), so that single values are
    # not even, though all together are.
    together = _evenness(excess.sum(axis=0)[None], expected.sum(axis=0)[None])[0]
    alone = counts.sum(axis=1) >= EVENNESS.own
    answer = np.empty(len(counts))
    own = _evenness(
        *(np.vstack([A[alone], A[~alone].sum(axis=0)[None]]) for A in (excess, expected))
    )
    answer[alone], answer[~alone] = own[:-1], own[-1]
    return np.maximum(answer, together)


def _evenness(seen: Array, expected: Array) -> Array:
    """Return the rate where far-out entries are rare over the mean rate, of each row of groups."""
    enough = expected >= EVENNESS.least_expected
    safe = np.where(enough, expected, 1)
    highest = (seen + EVENNESS.doubt * np.sqrt(seen) + EVENNESS.doubt) / safe
    mean = np.where(enough, seen, 0).sum(axis=1) / np.where(enough, expected, 0).sum(
        axis=1, initial=np.finfo(float).tiny
    )
    rare = quantile(np.where(enough, highest, np.nan), EVENNESS.rare, axis=1)
    told = enough.sum(axis=1) >= 2
    return np.where(told, np.minimum(1.0, rare / np.maximum(mean, 1e-12)), 1.0)
