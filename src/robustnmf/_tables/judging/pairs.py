"""Which of two cells is wrong that do not go together.

Where a cell hangs on one other above all, either may be the wrong one. With R the rest of the row,
a wrong and b right has the likelihood wrong(a) clean(b | R), the other way round it is
wrong(b) clean(a | R). So the odds between the two are those of each cell against R alone.
"""

from __future__ import annotations

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._tables.judging.accuse import ACCUSATION, Accused, LogOdds, Predict


def partners(precision: Array, judged: Array) -> Array:
    """Return the columns that each column hangs on most, given all others.

    Parameters
    ----------
    precision : array of shape (m, m)
        The inverse of the covariance.
    judged : bool array of shape (m,)
        The columns that can be wrong.

    Returns
    -------
    int array of shape (m, asked)
        -1 where there is none.

    Examples
    --------
    >>> partners(np.array([[1, 0.5, 0.1], [0.5, 1, 0], [0.1, 0, 1]]), np.ones(3, bool)).tolist()
    [[1, 2], [0, 2], [0, 1]]
    """
    d = np.sqrt(np.diag(precision))
    ties = np.abs(precision) / np.outer(d, d)
    ties[:, ~judged] = -1
    np.fill_diagonal(ties, -1)
    order = np.argsort(-ties, axis=1, kind="stable")[:, : ACCUSATION.asked]
    return np.where(np.take_along_axis(ties, order, axis=1) < 0, -1, order)


def weigh_pairs(
    found: Accused, judged: Array, silent: Array, ask: Array, predict: Predict, log_odds: LogOdds
) -> None:
    """Ask of each accused cell whether another of its row is rather the wrong one.

    Writes into `found`: who is accused, and how much of the blame is theirs.

    Parameters
    ----------
    found : Accused
    judged, silent : bool arrays of shape (n, m)
        As for `accuse`.
    ask : int array
        From `partners`.
    predict, log_odds : callables
        As for `accuse`.
    """
    rows, cells = np.nonzero((found.log_odds > 0) & ~found.use & ~silent)
    if not len(rows):
        return
    lead = np.full((len(rows), ask.shape[1]), -np.inf)
    for t in range(ask.shape[1]):
        other = ask[cells, t]
        at = np.flatnonzero((other >= 0) & found.use[rows, other] & judged[rows, other])
        if not len(at):
            continue
        speak = found.use[rows[at]].copy()
        speak[np.arange(len(at)), other[at]] = False
        odds = log_odds(rows[at], *predict(rows[at], speak))
        mine, theirs = (odds[np.arange(len(at)), c[at]] for c in (cells, other))
        lead[at, t] = theirs - mine
    share = 1 / (1 + np.exp(np.minimum(lead, 50)).sum(axis=1))
    found.share[rows, cells] = share
    best = lead.argmax(axis=1)
    turned = lead[np.arange(len(rows)), best] > 0
    # One cell of a row at a time: what the others should be hangs on it.
    _, once = np.unique(rows[turned], return_index=True)
    at = np.flatnonzero(turned)[once]
    if not len(at):
        return
    there, was, now = rows[at], cells[at], ask[cells[at], best[at]]
    found.use[there, was] = True
    found.use[there, now] = False
    prediction, spread = predict(there, found.use[there])
    odds = np.where(judged[there], log_odds(there, prediction, spread), -np.inf)
    found.log_odds[there], found.prediction[there], found.spread[there] = odds, prediction, spread
    found.share[there, now] = 1 - share[at]
    found.share[there, was] = share[at]
