"""How well the noise was found and the data restored."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robustnmf._common.checks import check_positive
from robustnmf._common.levels import WHITE_HINT, top_level


class DetectionScores(NamedTuple):
    """Precision, recall and their harmonic mean F1, each from 0 to 1."""

    precision: float
    recall: float
    f1: float


def detection_scores(true_mask: Any, found_mask: Any) -> DetectionScores:
    """Compare the entries found with the entries that are corrupt.

    Parameters
    ----------
    true_mask, found_mask : array-like or scipy sparse, same shape
        What is not zero counts as marked, so the noise itself may be passed as well as a mask.

    Returns
    -------
    DetectionScores
        ``precision``: how many of the entries found are corrupt; 1 if none was found, since
        there was no false alarm. ``recall``: how many of the corrupt entries were found; 1 if
        none is corrupt, since none was missed. ``f1``: their harmonic mean,
        ``2 hits / (found + true)``; 1 if both masks are empty.

    Examples
    --------
    >>> scores = detection_scores([[1, 1, 0, 0]], [[1, 0, 0, 0]])
    >>> scores.precision, scores.recall, round(scores.f1, 3)
    (1.0, 0.5, 0.667)
    """
    true, found = _marked(true_mask), _marked(found_mask)
    if true.shape != found.shape:
        raise ValueError(
            f"true_mask has shape {true.shape} but found_mask {found.shape}: they must be equal"
        )
    # A sparse mask must lead, for a dense array's product with it would be a dense one.
    first, second = (found, true) if _is_sparse(found) else (true, found)
    both = first.multiply(second) if _is_sparse(first) else first & second
    hits, n_true, n_found = _count(both), _count(true), _count(found)
    return DetectionScores(
        precision=hits / n_found if n_found else 1.0,
        recall=hits / n_true if n_true else 1.0,
        f1=2 * hits / (n_true + n_found) if n_true + n_found else 1.0,
    )


def _is_sparse(mask: Any) -> bool:
    return hasattr(mask, "tocsr")


def _marked(mask: Any) -> Any:
    # Truth values, since a sparse matrix may store zeros, and tiny noise times tiny noise is zero.
    return mask.tocsr() != 0 if _is_sparse(mask) else np.asarray(mask) != 0


def _count(mask: Any) -> int:
    return int(mask.count_nonzero() if _is_sparse(mask) else np.count_nonzero(mask))


def msre(clean: ArrayLike, reconstruction: ArrayLike) -> float:
    """Squared error per sample, summed over the entries, as in the paper.

    Parameters
    ----------
    clean, reconstruction : array-like of shape (n_samples, ...)
        The data without noise, and what a method makes of the noisy data.

    Returns
    -------
    float
        ``(1 / n_samples) * ||clean - reconstruction||²``.

    Examples
    --------
    >>> msre([[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [3.0, 6.0]])
    2.0
    """
    squares = _squared_difference(clean, reconstruction, "reconstruction")
    if squares.ndim < 2 or len(squares) == 0:
        raise ValueError(
            f"clean has shape {squares.shape}: one sample a row is needed; "
            "for one sample pass clean.reshape(1, -1)"
        )
    return float(squares.sum() / len(squares))


def psnr(clean: ArrayLike, restored: ArrayLike, data_range: float | None = None) -> float:
    """Peak signal-to-noise ratio in decibels; more is better.

    Parameters
    ----------
    clean, restored : array-like, same shape
        The picture (or pictures) without noise, and as restored.
    data_range : float, optional
        Distance from black to white. By default 1 for floats that do not exceed 1, else 255,
        as `clean` tells.

    Returns
    -------
    float
        ``10 log10(data_range² / mean squared error)``; infinite where the two are equal.

    Examples
    --------
    >>> round(psnr([[0.0, 1.0]], [[0.1, 0.9]]), 6)
    20.0
    """
    squares = _squared_difference(clean, restored, "restored")
    if squares.size == 0:
        raise ValueError("clean is empty: at least one pixel is needed")
    if data_range is None:
        white = top_level(np.asarray(clean), "data_range")
    else:
        white = check_positive("data_range", data_range, WHITE_HINT)
    error = float(squares.mean())
    return math.inf if error == 0 else 10 * math.log10(white**2 / error)


def _squared_difference(clean: ArrayLike, other: ArrayLike, name: str) -> NDArray[np.float64]:
    # As floats, because the difference of two uint8 wraps round below zero.
    a, b = np.asarray(clean, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if a.shape != b.shape:
        raise ValueError(f"clean has shape {a.shape} but {name} {b.shape}: they must be equal")
    for label, values in (("clean", a), (name, b)):
        if not np.isfinite(values).all():
            raise ValueError(f"{label} holds NaN or infinity: leave such entries out of both")
    return (a - b) ** 2
