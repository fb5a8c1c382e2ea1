"""Accusing the cells of a row one at a time.

A wrong cell makes its neighbours in the row seem wrong, because it speaks for them. So only the
worst cell of a row is accused; it no longer speaks, and the others are looked at anew. Who fits in
the end is pardoned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from robustnmf._common.arrays import Array


@dataclass(frozen=True)
class AccusationSettings:
    """How many cells are accused, and who else is asked.

    Chosen on the first edition of the study of trust (``robustnmf reproduce trust-tuning``).
    """

    # No more than this share of the cells of a row are accused: the rest could not tell.
    most_of_row: float = 0.5
    # For each cell so many others are asked whether it was they, those that it hangs on most.
    asked: int = 2


ACCUSATION = AccusationSettings()


class Accused(NamedTuple):
    """What was found; all arrays have the shape of the rows."""

    log_odds: Array
    """Of being wrong, against being clean; −∞ for a cell that is not judged."""
    prediction: Array
    spread: Array
    """The standard deviation that the prediction promises."""
    use: Array
    """Cells that were not accused, or were pardoned."""
    share: Array
    """How much of the blame is theirs, if another cell of the row may be the wrong one."""


Predict = Callable[[Array, Array], tuple[Array, Array]]
LogOdds = Callable[[Array, Array, Array], Array]


def accuse(
    Z: Array, use: Array, judged: Array, silent: Array, predict: Predict, log_odds: LogOdds
) -> Accused:
    """Judge all cells of some rows.

    Parameters
    ----------
    Z : array of shape (n, m)
        On even scales.
    use : bool array of shape (n, m)
        Known cells that are not suspected from the start.
    judged : bool array of shape (n, m)
        Known cells that can be accused.
    silent : bool array of shape (n, m)
        Cells that never speak, because they are wrong whatever the others say.
    predict : callable
        Given rows and a mask of the cells that speak, returns predictions and their spread.
    log_odds : callable
        Given rows, predictions and spreads, returns the log odds of being wrong.

    Returns
    -------
    Accused
    """
    n, m = Z.shape
    nothing, ones = np.full((n, m), -np.inf), np.ones((n, m))
    found = Accused(nothing, np.zeros((n, m)), ones, use.copy(), ones.copy())
    _accuse(np.arange(n), found, judged, predict, log_odds)
    # Several suspects of a row may have a common reason: a large shop is large in all months. So
    # they are also heard together, and the story with fewer wrong cells is believed.
    suspects = judged & ~use & ~silent
    crowd = (found.log_odds > 0) & ~silent
    rows = np.flatnonzero((suspects.sum(axis=1) > 1) & (crowd.sum(axis=1) > 1))
    if len(rows):
        other = Accused(*(A.copy() for A in found))
        other.use[rows] = use[rows] | suspects[rows]
        _accuse(rows, other, judged, predict, log_odds)
        fewer = ((other.log_odds > 0) & ~silent)[rows].sum(axis=1) < crowd[rows].sum(axis=1)
        for mine, theirs in zip(found, other, strict=True):
            mine[rows[fewer]] = theirs[rows[fewer]]
    return found


def _accuse(
    rows: Array, found: Accused, judged: Array, predict: Predict, log_odds: LogOdds
) -> None:
    """Judge some of the rows, from what `found.use` says of them; writes into `found`."""
    use = found.use
    known = use | judged
    most = np.maximum(1, ACCUSATION.most_of_row * judged.sum(axis=1))

    def weigh(rows: Array) -> Array:
        prediction, spread = predict(rows, use[rows])
        odds = np.where(judged[rows], log_odds(rows, prediction, spread), -np.inf)
        found.log_odds[rows], found.prediction[rows], found.spread[rows] = odds, prediction, spread
        return odds

    active = rows
    while len(active):
        odds = np.where(use[active], weigh(active), -np.inf)
        worst = odds.argmax(axis=1)
        accused = odds[np.arange(len(active)), worst] > 0
        accused &= (known[active] & ~use[active]).sum(axis=1) < most[active]
        active, worst = active[accused], worst[accused]
        use[active, worst] = False
    # Who fits what the others say may speak again.
    pardoned = known[rows] & ~use[rows] & (found.log_odds[rows] <= 0)
    again = rows[pardoned.any(axis=1)]
    if len(again):
        use[again] |= pardoned[pardoned.any(axis=1)]
        weigh(again)
