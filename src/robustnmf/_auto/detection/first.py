"""The W of given samples to begin with: a convex fit, to which large errors can do little.

What follows looks at all features and needs no more than a good start, so that some of the features
will do where there are many.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robustnmf._auto.detection.reach import within_components
from robustnmf._auto.detection.scales import some_columns
from robustnmf._auto.detection.settings import ROWS, SCALES
from robustnmf._common.arrays import Array
from robustnmf._core.noise import SquaredL1
from robustnmf._core.rows import solve_rows


class FirstSettings(NamedTuple):
    """Which features the first fit to a sample looks at.

    No study chose them; that they flag the same entries as all features do,
    tests/auto/test_any_size.py shows.
    """

    features: int = 256
    """So many, ..."""
    a_component: int = 10
    """... or so many for each component, ..."""
    worth: float = 1.5
    """... if there are more features than this many times as many."""
    support: int = 48
    """A component that has fewer features among them than this gives twice as many more, ..."""
    least_seen: float = 0.5
    """... and a sample of which less than this share of them is above 0 is fitted to all."""


FIRST = FirstSettings()


def first_price(n_features: int) -> SquaredL1:
    """Return the convex noise model to start with."""
    return SquaredL1(ROWS.first_price / n_features)


class FirstFit(NamedTuple):
    """Components, and those of their features that tell how much there is of each."""

    H: Array
    columns: Array | None
    """Their positions; None where all are looked at."""
    some: Array
    """H of these."""

    @classmethod
    def of(cls, H: Array) -> FirstFit:
        """Choose the features."""
        columns = telling(H)
        return cls(H, columns, H if columns is None else np.ascontiguousarray(H[:, columns]))

    def weights(self, X: Array) -> Array:
        """Return the W of a convex fit; each row's depends on that row alone."""
        if self.columns is None:
            return _fit(X, self.H)
        some = np.take(X, self.columns, axis=1)
        # Of a row with gaps, or mostly zeros, some features may say nothing.
        enough = np.count_nonzero(some > 0, axis=1) >= FIRST.least_seen * len(self.columns)
        if enough.all():
            return _fit(some, self.some)
        W = np.empty((len(X), len(self.H)), self.H.dtype)
        W[enough], W[~enough] = _fit(some[enough], self.some), _fit(X[~enough], self.H)
        return W


def telling(H: Array) -> Array | None:
    """Return the positions of features that tell how much of each component there is.

    None where that needs most of them. Always the same ones for the same components.

    Examples
    --------
    >>> H = np.ones((2, 2000))
    >>> H[1] = 0
    >>> H[1, :80] = 1  # a part that keeps to a few features
    >>> columns = telling(H)
    >>> len(columns) < 1000, int((columns < 80).sum()) >= 48
    (True, True)
    """
    k, m = H.shape
    size = max(FIRST.features, FIRST.a_component * k)
    if m < FIRST.worth * size:
        return None
    chosen = np.zeros(m, dtype=bool)
    chosen[some_columns(m, size)] = True
    for part in H:
        here = part[chosen].astype(float)
        # How many features a part has, where large ones count more.
        if here.sum() ** 2 < FIRST.support * (here @ here):
            chosen[np.argsort(part, kind="stable")[-2 * FIRST.support :]] = True
    return np.flatnonzero(chosen) if FIRST.worth * chosen.sum() <= m else None


def _fit(X: Array, H: Array) -> Array:
    if not len(X):
        return np.empty((0, len(H)), H.dtype)
    return solve_rows(within_components(X, H, SCALES.clean_share), H, first_price(X.shape[1]))
