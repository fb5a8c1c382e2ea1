"""How good a cleaned table or matrix is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf_studies.common.detection import score
from robustnmf_studies.trust.scales import robust_sd
from robustnmf_studies.trust.tables import RealTable, rounded

Array = NDArray[Any]
Mask = NDArray[np.bool_]
# One cell that is a million spreads away should not outweigh the whole table.
FARTHEST = 10.0


def errors_of(values: Array, truth: Array, spreads: Array) -> Array:
    """Return the error of every cell in robust standard deviations of its column, ten at most."""
    return np.minimum(np.abs(values - truth) / spreads, FARTHEST)


def distance(errors: Array, truth: Array) -> float:
    """Return the mean error of the cells whose truth is known.

    Examples
    --------
    >>> import numpy as np
    >>> distance(np.array([[1.0, np.nan], [3, np.nan]]), np.array([[2.0, 2], [3, np.nan]]))
    4.666666666666667
    """
    # A number that is none is as wrong as can be.
    return float(np.nan_to_num(errors[np.isfinite(truth)], nan=FARTHEST).mean())


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
        them that are right to the last digit; ``before`` and ``after``, the mean distances from
        the truth, and ``harm``, whether it grew; ``flagged`` and ``changed``, shares of the cells.
    """
    truth = table.values
    known = np.isfinite(truth)
    written = np.where(known, rounded(repaired, table.decimals), np.nan)
    spreads = np.array([robust_sd(column) for column in truth.T])
    medians = np.broadcast_to(np.nanmedian(dirty, axis=0), truth.shape)
    given, left, by_median = (errors_of(v, truth, spreads) for v in (dirty, written, medians))
    before, after = distance(given, truth), distance(left, truth)
    changed = known & (written != dirty)
    mended = changed & wrong
    repairs: dict[str, float | None] = {"repair": None, "by_median": None, "exact": None}
    if mended.any():
        repairs = {
            "repair": float(np.median(left[mended])),
            "by_median": float(np.median(by_median[mended])),
            "exact": float((written == truth)[mended].mean()),
        }
    return {
        **score(wrong, flagged & known)._asdict(),
        **repairs,
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

    The arguments are as for `table_scores`.

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
