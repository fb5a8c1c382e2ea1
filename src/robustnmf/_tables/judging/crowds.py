"""Rows with more odd cells than mistakes would bring together.

Mistakes fall anywhere: at a rate r, a row of m cells has k of them as often as m throws of a die
have. Where more rows have k odd cells than that, the surplus are rows that are odd as a whole, such
as a short season among whole ones; their cells are no mistakes.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from robustnmf._common.arrays import Array

# Before any row is seen, so many rows are expected to be odd as a whole: numbers of odd cells that
# no row has are doubted, too. No study chose it; tests/tables/judging/test_crowds.py checks what
# becomes of mistakes and of odd rows.
ODD_ROWS = 0.1


def by_chance(counts: Array, cells: Array) -> Array:
    """Return how likely the odd cells of a row are there by chance, for each number of them.

    Parameters
    ----------
    counts : int array of shape (n,)
        Odd cells of each row.
    cells : int array of shape (n,)
        Cells of each row that could be odd.

    Returns
    -------
    array of shape (most cells + 1,)
        1 for none and one, and never more for more.

    Examples
    --------
    >>> counts = np.array([0] * 90 + [1] * 9 + [8])
    >>> by_chance(counts, np.full(100, 10))[[1, 2, 8]].round(2).tolist()
    [1.0, 0.42, 0.0]
    """
    most = int(cells.max(initial=0))
    share = np.ones(most + 1)
    if not counts.any():
        return share
    rate = _rate(counts, cells)
    sizes, rows = np.unique(cells, return_counts=True)
    for k in range(2, most + 1):
        # Of fewer cells never so many are odd.
        enough = sizes >= k
        expected = float((rows[enough] * special.bdtrc(k - 1, sizes[enough], rate)).sum())
        seen = int((counts >= k).sum())
        share[k] = min(share[k - 1], expected / (max(expected, seen) + ODD_ROWS))
    return share


def _rate(counts: Array, cells: Array) -> float:
    """Return how often a cell is odd, from the rows that have none: odd rows do not count more."""
    none = float((counts == 0).mean())
    mean = float(counts.sum() / max(cells.sum(), 1))
    if none == 0:
        return mean
    return min(1 - none ** (1 / max(float(cells.mean()), 1.0)), mean)
