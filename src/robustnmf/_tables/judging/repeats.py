"""Values that stand where they were not measured: a code for "unknown", a sensor that hangs.

Both are told from the raw values of one column alone. Columns differ in meaning, so nothing is
pooled over them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from robustnmf._common.arrays import Array


@dataclass(frozen=True)
class RepeatSettings:
    """When values pile up, and when a sensor hangs.

    Chosen on the first edition of the study of trust (``robustnmf reproduce trust-tuning``).
    """

    # A value makes a pile if so many of its cells do not fit, and these are at least this share of
    # them.
    pile_cells: int = 3
    pile_share: float = 0.7
    # It stands out among so many values on either side, by a gap or by being so much oftener there.
    beside: int = 5
    far_oftener: float = 3.0
    # More than this share of a column is no pile of errors: it is what the column is like.
    most_piled: float = 0.2
    # A value that is expected where it stands was measured: it is nearer to what is expected there
    # than to what is expected elsewhere, more often than by chance. Chance is a half.
    expected_there: float = 0.7
    # A run of equal cells hangs if runs so long are expected less often than this in the whole
    # column.
    expected_runs: float = 0.005
    shortest_run: int = 4
    # Columns with more ties than this, or more cells in long runs, have runs by nature.
    most_ties: float = 0.3
    most_in_runs: float = 0.25
    # Runs of a column are its nature if so many of them, and this share, begin where others do.
    together_runs: int = 2
    together_share: float = 0.5
    # A sensor hangs at any value; one that so many other cells have is a limit, or means something.
    most_elsewhere: float = 0.05
    # A value that so many cells of a column share is no mistake, unless it turns up where it cannot
    # be.
    common_share: float = 0.15
    # Rows beside a block that have to be seen to judge the runs in it.
    halo: int = 8


REPEAT = RepeatSettings()


def piles(values: Array, unfit: Array, distance: Callable[[float], Array]) -> Array:
    """Return the values of a column that pile up where they do not fit.

    Parameters
    ----------
    values : array of shape (n,)
    unfit : bool array of shape (n,)
        Cells that do not go with the rest of their row.
    distance : callable
        Given a value, returns how far each row's expectation is from it; array of shape (n,).

    Returns
    -------
    array
        Sorted.

    Examples
    --------
    >>> x = np.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 99, 99, 99.0])
    >>> piles(x, x > 50, lambda value: np.full(20, value))
    array([99.])
    """
    known = ~np.isnan(values)
    distinct, which = np.unique(values[known], return_inverse=True)
    wrong = np.bincount(which, unfit[known], len(distinct))
    count = np.bincount(which, minlength=len(distinct))
    piled = (wrong >= REPEAT.pile_cells) & (wrong >= REPEAT.pile_share * count)
    piled &= count <= REPEAT.most_piled * known.sum()
    piled &= _stands_out(distinct, count, piled)
    found = [v for v in distinct[piled] if not _expected_there(distance(v), values == v, known)]
    return np.array(found, dtype=float)


def _stands_out(distinct: Array, count: Array, asked: Array) -> Array:
    """Return those of some values of a column that others do not lead up to.

    A code lies apart: the gap to the next value is wider than all the way on to a few more. Or it
    lies among the others, and is there far more often than they are. A day without any sales is
    next to days with a few.
    """
    found = np.zeros(len(distinct), dtype=bool)
    for i in np.flatnonzero(asked):
        below, above = (
            (np.abs(distinct[side] - distinct[i]), count[side])
            for side in (slice(max(i - REPEAT.beside, 0), i), slice(i + 1, i + 1 + REPEAT.beside))
        )
        near = np.sort(np.concatenate([below[0], above[0]]))[: REPEAT.beside]
        apart = len(near) == 0 or near[0] > near[-1] - near[0]
        among = len(below[0]) > 0 and len(above[0]) > 0
        most = max(below[1].max(initial=0), above[1].max(initial=0))
        found[i] = apart or (among and count[i] >= REPEAT.far_oftener * most)
    return found


def _expected_there(distance: Array, there: Array, known: Array) -> bool:
    """Whether rows with a value expect it more than rows without it do."""
    inside, outside = distance[known & there], np.sort(distance[known & ~there])
    if not len(outside):
        return True
    # Pairs of a row with the value and one without, by which of them expects it more; a tie counts
    # half.
    further = (np.searchsorted(outside, inside, side) for side in ("left", "right"))
    nearer = 1 - sum(int(count.sum()) for count in further) / (2 * len(inside) * len(outside))
    return bool(nearer > REPEAT.expected_there)


def run_lengths(values: Array) -> Array:
    """Return for each cell how long the run of equal cells is that it stands in.

    Parameters
    ----------
    values : array of shape (n,)

    Returns
    -------
    int array of shape (n,)
        1 for a cell that differs from both neighbours, and for a missing one.

    Examples
    --------
    >>> run_lengths(np.array([1, 1, 2, 3, 3, 3.0])).tolist()
    [2, 2, 1, 3, 3, 3]
    """
    begins = np.append(True, values[1:] != values[:-1])
    run = np.cumsum(begins) - 1
    return np.bincount(run)[run]


def usual_ties(values: Array) -> float:
    """Return how often a cell of a column equals the one above; 1 if runs are its nature.

    Parameters
    ----------
    values : array of shape (n,)
        A column.

    Returns
    -------
    float

    Examples
    --------
    >>> usual_ties(np.random.default_rng(0).integers(0, 2, 200).astype(float))
    1.0
    >>> usual_ties(np.random.default_rng(0).normal(size=200)) < 0.01
    True
    """
    both = ~np.isnan(values[1:]) & ~np.isnan(values[:-1])
    lengths = run_lengths(values)
    if not both.any() or (lengths >= REPEAT.shortest_run).mean() > REPEAT.most_in_runs:
        return 1.0
    tied = (values[1:] == values[:-1]) & both
    # Ties within long runs are what is looked for: they do not count against it.
    usual = tied & (lengths[1:] < REPEAT.shortest_run)
    ties = (usual.sum() + 0.5) / max((both & ~(tied & ~usual)).sum(), 1)
    return 1.0 if ties > REPEAT.most_ties else float(ties)


def begin_together(X: Array) -> Array:
    """Return the columns whose runs begin where runs of others do.

    A sensor hangs alone. Where several columns begin to repeat themselves in the same row, the same
    thing was written down again: a price of the whole year for each of its months.

    Parameters
    ----------
    X : array of shape (n, m)

    Returns
    -------
    bool array of shape (m,)

    Examples
    --------
    >>> year = np.repeat(np.arange(5.0), 6)
    >>> begin_together(np.stack([year, year**2, np.arange(30.0)], axis=1)).tolist()
    [True, True, False]
    """
    begins = np.zeros(X.shape, dtype=bool)
    for j, values in enumerate(X.T):
        first = np.append(True, values[1:] != values[:-1])
        begins[:, j] = first & (run_lengths(values) >= REPEAT.shortest_run)
    runs = begins.sum(axis=0)
    together = (begins & (begins.sum(axis=1, keepdims=True) > 1)).sum(axis=0)
    return (together >= REPEAT.together_runs) & (together >= REPEAT.together_share * runs)


class Common(NamedTuple):
    """How common each value of a column is; all arrays go with the sorted values."""

    values: Array
    shares: Array
    """Of the cells."""
    elsewhere: Array
    """The same without the longest run of the value: its own run does not make it common."""

    @classmethod
    def of(cls, values: Array) -> Common:
        """Count the values of a column."""
        known = ~np.isnan(values)
        distinct, which = np.unique(values[known], return_inverse=True)
        counts = np.bincount(which, minlength=len(distinct))
        longest = np.ones(len(distinct), dtype=int)
        np.maximum.at(longest, which, run_lengths(values)[known])
        return cls(distinct, counts / len(values), (counts - longest + 1) / len(values))

    def at(self, values: Array) -> tuple[Array, Array]:
        """Return both shares of some values; 0 for what the column does not hold."""
        if not len(self.values):
            return np.zeros(values.shape), np.zeros(values.shape)
        nearest = np.minimum(np.searchsorted(self.values, values), len(self.values) - 1)
        there = self.values[nearest] == values
        return np.where(there, self.shares[nearest], 0), np.where(there, self.elsewhere[nearest], 0)


def hanging(values: Array, ties: float, common: Common, n: int) -> Array:
    """Return the cells of runs that are too long, but for the first of each, which was measured.

    Parameters
    ----------
    values : array of shape (rows,)
    ties : float
        From `usual_ties`.
    common : Common
        Of the whole column.
    n : int
        Rows of the whole column.

    Returns
    -------
    bool array of shape (rows,)
    """
    if ties >= 1:
        return np.zeros(len(values), dtype=bool)
    lengths = run_lengths(values)
    again = np.append(False, values[1:] == values[:-1])
    found = again & (lengths >= REPEAT.shortest_run)
    asked = np.flatnonzero(found)
    share, elsewhere = common.at(values[asked])
    # A value that is common makes runs by chance.
    chance = np.clip(np.maximum(elsewhere, ties), 1e-12, 1)
    expected = n * chance ** (lengths[asked] - 1)
    rare = (elsewhere <= REPEAT.most_elsewhere + 1 / n) & (share <= REPEAT.most_piled)
    found[asked] = rare & (expected < REPEAT.expected_runs)
    return found
