"""How good a cleaned table or matrix is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf_studies.common.detection import score
from robustnmf_studies.trust.errors import robust_sd
from robustnmf_studies.trust.tables import RealTable

Array = NDArray[Any]
Mask = NDArray[np.bool_]
# One cell that is a million spreads away should not outweigh the whole table.
FARTHEST = 10.0


def distance(values: Array, truth: Array, spreads: Array) -> float:
    """Return how far a table is from the truth.

    Parameters
    ----------
    values, truth : ndarray of shape (n_rows, n_columns)
        Cells whose truth is not known do not count.
    spreads : ndarray of shape (n_columns,)
        Robust standard deviations of the true columns.

    Returns
    -------
    float
        Mean over the cells of the error in robust standard deviations, each counted as ten at
        most.

    Examples
    --------
    >>> import numpy as np
    >>> distance(np.array([[1.0, 2], [99, 4]]), np.array([[1.0, 2], [3, 4]]), np.array([2.0, 1]))
    2.5
    """
    off = np.minimum(np.abs(values - truth) / spreads, FARTHEST)
    # A number that is none is as wrong as can be.
    off = np.where(np.isfinite(values), off, FARTHEST)
    return float(off[np.isfinite(truth)].mean())


def table_scores(
    table: RealTable, dirty: Array, wrong: Mask, flagged: Mask, repaired: Array
) -> dict[str, Any]:
    """Measure what a method made of a dirty table.

    Parameters
    ----------
    table : RealTable
        The truth.
    dirty : ndarray
        What the method was given.
    wrong, flagged : ndarray of bool
        The cells that differ from the truth, and those the method calls wrong.
    repaired : ndarray
        The method's table; it is rounded to the columns' decimals first, as a file would be.

    Returns
    -------
    dict
        ``precision`` (None if nothing was flagged), ``recall``, ``f1``; ``repair``, the median
        error of wrong cells that were changed, in robust standard deviations, ``by_median``, what
        writing the column's median into the same cells would give, and ``exact``, the share of
        them that are right to the last digit; ``before`` and ``after``, the distances from the
        truth, and ``harm``, whether it grew; ``flagged`` and ``changed``, shares of the cells.
    """
    truth = table.values
    known = np.isfinite(truth)
    written = np.column_stack([np.round(repaired[:, j], d) for j, d in enumerate(table.decimals)])
    written = np.where(known, written, np.nan)
    changed = known & (written != dirty)
    spreads = np.array([robust_sd(column) for column in truth.T])
    mended = changed & wrong
    off = np.minimum(np.abs(written - truth) / spreads, FARTHEST)[mended]
    middles = np.abs(np.nanmedian(dirty, axis=0) - truth) / spreads
    before, after = distance(dirty, truth, spreads), distance(written, truth, spreads)
    found = score(wrong, flagged & known)
    return {
        **found._asdict(),
        "repair": float(np.median(off)) if off.size else None,
        "by_median": float(np.median(np.minimum(middles, FARTHEST)[mended])) if off.size else None,
        "exact": float((written == truth)[mended].mean()) if off.size else None,
        "before": before,
        "after": after,
        # A hair's breadth is what rounding makes of it.
        "harm": after > before * (1 + 1e-9) + 1e-12,
        "flagged": float((flagged & known).sum() / known.sum()),
        "changed": float(changed.sum() / known.sum()),
    }


def matrix_scores(
    truth: Array, dirty: Array, wrong: Mask, flagged: Mask, restored: Array
) -> dict[str, Any]:
    """Measure what a method made of a dirty matrix.

    Parameters
    ----------
    truth, dirty : ndarray of shape (n_samples, n_features)
        Without and with the corruption.
    wrong, flagged : ndarray of bool
        The entries that differ from the truth, and those the method calls corrupt.
    restored : ndarray
        The method's clean data.

    Returns
    -------
    dict
        ``precision``, ``recall``, ``f1``; ``left``, the squared error after cleaning relative to
        that before; ``worse``, whether it grew; ``flagged``, the share of entries.
    """
    before = float(((dirty - truth) ** 2).sum())
    after = float(((restored - truth) ** 2).sum())
    return {
        **score(wrong, flagged)._asdict(),
        "left": after / before if before > 0 else None,
        "worse": after > before * (1 + 1e-9) if before > 0 else None,
        "flagged": float(flagged.mean()),
    }
