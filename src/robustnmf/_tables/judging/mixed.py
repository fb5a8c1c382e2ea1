"""Columns in which odd cells are a second kind of rows, and no mistakes.

Mistakes fall anywhere, so all columns have their share of them. Where one column has far more odd
cells than the others would have it, say because every tenth firm makes losses, or a fifth of the
pots is of another clay, its odd cells are a kind of their own.

Of each column the likelihood is known of any share r of odd cells. Three stories are compared: the
share is the one that all columns have; it is one of its own, but small, as shares of mistakes are;
or it is that of a second kind, and then anything up to a half. A column of which nothing is
predicted has nearly the same likelihood whatever r, so it speaks neither for nor against the
others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robustnmf._common.arrays import Array


@dataclass(frozen=True)
class MixtureSettings:
    """How likely mistakes and second kinds of rows are in a column.

    Chosen on the first edition of the study of trust (``robustnmf reproduce trust-tuning``).
    """

    # Shares of mistakes are so large in the mean and at most, and those of a second kind at least
    # and at most.
    usual_share: float = 0.03
    most_wrong: float = 0.2
    least_kind: float = 0.04
    most_kind: float = 0.5
    # A share of its own is so many times that of the others in the mean, if that is more: in a
    # column that is predicted well, more of the mistakes are seen.
    others: float = 3.0
    # How likely it is, before one has looked, that a column has a share of mistakes of its own, and
    # that it has a second kind of cells.
    own: float = 0.1
    kind: float = 0.1


MIXTURE = MixtureSettings()

_SHARES = np.geomspace(1e-4, MIXTURE.most_kind, 120)


def alike(log_ratio: Array, columns: Array, judged: Array) -> Array:
    """Return how likely the odd cells of each column are mistakes, by how many they are.

    Parameters
    ----------
    log_ratio : array of shape (cells,)
        The log likelihood of being odd against being clean, for the cells where that matters.
    columns : int array of shape (cells,)
        Their columns.
    judged : int array of shape (m,)
        How many cells of each column were judged.

    Returns
    -------
    array of shape (m,)
        1 where there is nothing to compare, and where nothing speaks for a second kind.

    Examples
    --------
    >>> columns = np.repeat([0, 1, 2], [3, 2, 60])
    >>> alike(np.full(65, 20.0), columns, np.array([200, 200, 200])).round(1).tolist()
    [1.0, 1.0, 0.0]
    """
    m = len(judged)
    told = np.flatnonzero(judged > 0)
    share = np.ones(m)
    if len(told) < 2:
        return share
    log_likelihood = np.stack([_curve(log_ratio[columns == c], judged[c]) for c in told])
    kind = _normed(np.where(MIXTURE.least_kind <= _SHARES, np.log(_SHARES), -np.inf))
    total = log_likelihood.sum(axis=0)
    for i, c in enumerate(told):
        own = log_likelihood[i]
        common = _normed(total - own + _mistakes(MIXTURE.usual_share))
        others = float(np.exp(common) @ _SHARES)
        usual = max(MIXTURE.usual_share, MIXTURE.others * others)
        stories = [
            np.log(1 - MIXTURE.own - MIXTURE.kind) + np.logaddexp.reduce(own + common),
            np.log(MIXTURE.own) + np.logaddexp.reduce(own + _mistakes(usual)),
            np.log(MIXTURE.kind) + np.logaddexp.reduce(own + kind),
        ]
        # Where a second kind is no likelier than before one has looked, nothing speaks for it.
        mistaken = 1 - np.exp(stories[2] - np.logaddexp.reduce(stories))
        share[c] = min(mistaken / (1 - MIXTURE.kind), 1.0)
    return share


def _mistakes(mean: float) -> Array:
    """Return what is known of shares of mistakes before; the grid is even in their logarithm."""
    return _normed(
        np.where(MIXTURE.most_wrong >= _SHARES, np.log(_SHARES) - _SHARES / mean, -np.inf)
    )


def _curve(log_ratio: Array, n: int) -> Array:
    """Return the log likelihood of a column for each share of odd cells."""
    odd = np.logaddexp(np.log1p(-_SHARES), np.log(_SHARES) + log_ratio[:, None]).sum(axis=0)
    return odd + (n - len(log_ratio)) * np.log1p(-_SHARES)


def _normed(log_weights: Array) -> Array:
    return log_weights - np.logaddexp.reduce(log_weights)
