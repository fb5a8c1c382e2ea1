"""Detection by a threshold on a residual: the whole precision–recall curve, not one choice."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# In grey levels, so that runs can be averaged threshold by threshold.
THRESHOLDS = np.concatenate([np.arange(1, 41), np.arange(42, 101, 2), np.arange(105, 251, 5)])


class Detection(NamedTuple):
    """How well the entries found are those that are corrupt; None where nothing was found."""

    precision: float | None
    recall: float
    f1: float


def score(mask: NDArray[np.bool_], found: NDArray[np.bool_]) -> Detection:
    """Compare the entries found with those where the noise is.

    Unlike `robustnmf.metrics.detection_scores`, the precision of finding nothing is not 1 but
    None: in a comparison it must not count as a success.

    Examples
    --------
    >>> import numpy as np
    >>> score(np.array([True, False]), np.array([False, False]))
    Detection(precision=None, recall=0.0, f1=0.0)
    """
    return _from_counts(int((mask & found).sum()), int(found.sum()), int(mask.sum()))


def _from_counts(hits: int, n_found: int, n_true: int) -> Detection:
    return Detection(
        hits / n_found if n_found else None,
        hits / n_true if n_true else 1.0,
        2 * hits / (n_found + n_true) if n_found + n_true else 1.0,
    )


def curve(mask: NDArray[np.bool_], residual: NDArray[Any]) -> list[dict[str, float | None]]:
    """Score every threshold of `THRESHOLDS` on the absolute value of what a method left.

    Each gives a row of ``threshold``, ``precision``, ``recall`` and ``f1``.

    Examples
    --------
    >>> import numpy as np
    >>> points = curve(np.array([True, False]), np.array([90.0, 10.0]))
    >>> [p["precision"] for p in points if p["threshold"] in (5, 20, 100)]
    [0.5, 1.0, None]
    """
    size = np.abs(residual)
    noise, everything = np.sort(size[mask]), np.sort(size, axis=None)
    hits, found = (
        len(values) - np.searchsorted(values, THRESHOLDS, side="right")
        for values in (noise, everything)
    )
    return [
        {"threshold": float(threshold), **_from_counts(int(h), int(f), len(noise))._asdict()}
        for threshold, h, f in zip(THRESHOLDS, hits, found, strict=True)
    ]


def at_best_threshold(mask: NDArray[np.bool_], residual: NDArray[Any]) -> Detection:
    """Score the threshold with the highest F1, which only someone who knows the truth can pick.

    Examples
    --------
    >>> import numpy as np
    >>> at_best_threshold(np.array([True, True, False]), np.array([9.0, -8.0, 1.0])).f1
    1.0
    """
    size = np.abs(residual).ravel()
    order = np.argsort(-size, kind="stable")
    hits = np.cumsum(mask.ravel()[order])
    found = np.arange(1, len(size) + 1)
    # Only between different values can a threshold cut.
    cuts = np.flatnonzero(np.diff(size[order], append=-1.0) != 0)
    best = cuts[np.argmax(2 * hits[cuts] / (found[cuts] + hits[-1]))]
    return _from_counts(int(hits[best]), int(found[best]), int(hits[-1]))
