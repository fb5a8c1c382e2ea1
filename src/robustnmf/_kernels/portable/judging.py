"""Judging rows, in plain NumPy; arrays as in `detection`."""

from __future__ import annotations

from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._kernels.portable.detection import Scale, count_beyond, level_of, spread_sums


def class_index(X: Array, edges: Array, grid: Any, atoms: Array, same: float) -> Array:
    """Return the class of each value: between which edges it lies, or which of the atoms it is.

    Atoms come after the bins, and are told from other values to within a share of these. Any class
    will do for a missing value. `grid` is for others that want to be faster: how many edges are in
    cells below each of some cells, how many of these there are for each unit of the values from the
    first edge on, and how many edges the fullest has.
    """
    index = np.searchsorted(edges, X)
    if len(atoms):
        nearest = np.searchsorted((atoms[1:] + atoms[:-1]) / 2, X)
        is_atom = np.abs(atoms[nearest] - X) <= same * np.abs(X)
        index = np.where(is_atom, len(edges) + 1 + nearest, index)
    return index.astype(np.int32)


def sample_spreads(
    X: Array,
    P: Array,
    corrupt: Array | None,
    scale: Scale,
    bounds: Array,
    settings: tuple[float, ...],
) -> tuple[Array, Array, Array, Array]:
    """Return the factor of each sample from its own residuals, in a few steps from a common one.

    Also the level of each entry, how many known ones lie beyond reach of that factor, and how many
    are known. `scale` holds the factors of features and levels; `settings` are the factor to begin
    with, residuals above how many scales do not count, the mean spread of clean ones, how many
    entries draw towards the common factor, the least factor, the largest step, the reach, and the
    number of steps.
    """
    first, cutoff, usual, prior, least, largest, reach, steps = settings
    _, features, levels, _, _ = scale
    known = ~np.isnan(X)
    use = known if corrupt is None else known & ~corrupt
    size = np.where(known, np.abs(X - P), 0)
    level = level_of(P, bounds)
    samples = np.full(len(X), first)
    for _ in range(int(steps)):
        now = (samples, features, levels, level, 0.0)
        total, count = spread_sums(size, now, use, cutoff, 1)
        step = np.sqrt((total / usual + prior * first / samples) / (count + prior))
        samples = np.maximum(samples * np.clip(step, 1 / largest, largest), least)
    now = (samples, features, levels, level, 0.0)
    return samples, level, *count_beyond(size, now, known, reach, 1)


def beyond(X: Array, P: Array, thresholds: Array) -> Array:
    """Return which residuals are larger than their thresholds; never that of a missing entry."""
    return np.abs(X - P) > thresholds  # NaN compares as False


def row_losses(X: Array, P: Array, thresholds: Array) -> tuple[Array, Array, Array]:
    """Return what is left of each row's squares, what large residuals cost, and how much it varies.

    Squares of the residuals within their thresholds; squares of the thresholds of all others; and
    squares of what is known, about its mean.
    """
    R = np.abs(X - P)
    with np.errstate(invalid="ignore", divide="ignore"):
        large, small = (thresholds < R), (thresholds >= R)  # neither is true of a missing entry
        count = np.count_nonzero(~np.isnan(X), axis=1)
        mean = np.nansum(X, axis=1, dtype=float) / count
        variation = np.nansum((X - mean[:, None]) ** 2, axis=1, dtype=float)
    parts = np.where(small, R, 0), np.where(large, thresholds, 0)
    misfit, penalty = (np.einsum("ij,ij->i", A, A, dtype=float) for A in parts)
    return misfit, penalty, variation


def value_range(X: Array, corrupt: Array) -> tuple[Array, Array]:
    """Return the least and the largest value of each feature that is not corrupt; else infinite."""
    trusted = np.where(corrupt, np.nan, X).astype(float)
    low = np.fmin.reduce(trusted, axis=0, initial=np.inf)
    return low, np.fmax.reduce(trusted, axis=0, initial=-np.inf)
