"""Corruption does not know what it overwrites: it is as frequent at every level of the data.

Clean data have far-out entries too, where a prediction is poor: most of them where much is
expected. So the rates learned from far-out entries are multiplied by their evenness, the rate where
they are rare over the mean rate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from robustnmf._auto.detection.scales import LEVELS
from robustnmf._kernels import kernels_for

Array = Any

# A level with fewer expected far-out entries says nothing.
LEAST_EXPECTED = 8.0
# A class with so many far-out entries is judged by itself, all others together.
OWN_EVENNESS = 100.0
# Each rate is given so many standard errors of counting.
DOUBT = 2.0
# The rate where far-out entries are rare is this quantile of the rates at all levels.
RARE = 0.12


def standing(X: Array) -> Array:
    """Return which of some equally large groups each entry belongs to, by its row and column.

    Of the product of the two means of roots, in which single huge values count for little.
    """
    roots = np.sqrt(X)
    product = np.nanmean(roots, axis=1)[:, None] * np.nanmean(roots, axis=0)
    some = product.ravel()[:: max(1, product.size // 10_000)]
    bounds = np.quantile(some, np.arange(1, LEVELS) / LEVELS).astype(float)
    return kernels_for(product).level_of(product, bounds)


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
    alone = counts.sum(axis=1) >= OWN_EVENNESS
    answer = np.full(len(counts), together)
    for these in [*np.flatnonzero(alone)[:, None], ~alone]:
        own = _evenness(excess[these].sum(axis=0), expected[these].sum(axis=0))
        answer[these] = max(own, together)
    return answer


def _evenness(seen: Array, expected: Array) -> float:
    enough = expected >= LEAST_EXPECTED
    if enough.sum() < 2:
        return 1.0
    seen, expected = seen[enough], expected[enough]
    highest = (seen + DOUBT * np.sqrt(seen) + DOUBT) / expected
    mean = seen.sum() / expected.sum()
    return float(min(1.0, np.quantile(highest, RARE) / max(mean, 1e-12)))
