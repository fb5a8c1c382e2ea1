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
    together = _evenness(excess.sum(axis=0), expected.sum(axis=0))
    alone = counts.sum(axis=1) >= EVENNESS.own
    answer = np.full(len(counts), together)
    for these in [*np.flatnonzero(alone)[:, None], ~alone]:
        own = _evenness(excess[these].sum(axis=0), expected[these].sum(axis=0))
        answer[these] = max(own, together)
    return answer


def _evenness(seen: Array, expected: Array) -> float:
    enough = expected >= EVENNESS.least_expected
    if enough.sum() < 2:
        return 1.0
    seen, expected = seen[enough], expected[enough]
    highest = (seen + EVENNESS.doubt * np.sqrt(seen) + EVENNESS.doubt) / expected
    mean = seen.sum() / expected.sum()
    return float(min(1.0, np.quantile(highest, EVENNESS.rare) / max(mean, 1e-12)))
