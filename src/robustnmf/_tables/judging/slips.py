"""Slips of the hand that explain a wrong value, and what was meant.

A point in the wrong place, a sign, two digits swapped: if undoing the slip gives a value that
fits, it is far likelier than any other value that was meant, and the repair is exact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._tables.judging.scales import Scale
from robustnmf._tables.numerals import MOST_DIGITS

POINT, SIGN, DIGITS = "point", "sign", "digits"
SLIPS = (POINT, SIGN, DIGITS)
# By how many places a point is moved, and how likely each is.
MOVES = {-3: 0.05, -2: 0.15, -1: 0.3, 1: 0.3, 2: 0.15, 3: 0.05}


class Meant(NamedTuple):
    """What one kind of slip makes of some cells of a column."""

    log_density: Array
    """Of the value, had it come about by this slip; −∞ where it cannot have."""
    value: Array
    """The likeliest value that was meant."""
    slack: Array
    """How far from it the value may have been, because digits were lost when it was written."""


def undo(kind: str, x: Array, scale: Scale, decimals: int | None, log_clean: Any) -> Meant:
    """Ask of each cell whether a slip explains it.

    Parameters
    ----------
    kind : {"point", "sign", "digits"}
    x : array of shape (n,)
        Cells of one column.
    scale : Scale
        The column's.
    decimals : int or None
        How many digits after the point its numbers have.
    log_clean : callable
        Given even values of the same cells, returns the log density of clean ones there.

    Returns
    -------
    Meant
    """
    values, log_weights = _CANDIDATES[kind](x, decimals)
    # A scale without negative numbers has no slope there; that of the size stands in for it.
    here = scale.log_slope(np.abs(x))
    densities = np.full(values.shape, -np.inf)
    for c in range(values.shape[1]):
        meant = values[:, c]
        possible = ~np.isnan(meant) & (meant != x)
        if scale.kind != "identity":
            possible &= meant > 0
        if not possible.any():
            continue
        safe = np.where(possible, meant, 1.0)
        # The slope turns a density over meant values into one over what stands there.
        density = log_clean(scale.forth(safe)) + scale.log_slope(safe) - here + log_weights[:, c]
        densities[:, c] = np.where(possible, density, -np.inf)
    best = densities.argmax(axis=1)
    total = np.logaddexp.reduce(densities, axis=1)
    value = values[np.arange(len(x)), best]
    if kind != POINT or decimals is None:
        return Meant(total, value, np.zeros(len(x)))
    moves = np.array(list(MOVES))[best]
    return Meant(total, value, np.where(moves < 0, 0.5 * 10.0 ** (-decimals - moves), 0.0))


def _moved_points(x: Array, decimals: int | None) -> tuple[Array, Array]:
    moves = np.array(list(MOVES), dtype=float)
    with np.errstate(over="ignore"):
        values = x[:, None] / 10.0**moves
        rounded = values if decimals is None else np.round(values, decimals)
    # The largest numbers cannot be moved up, nor be rounded.
    rounded, values = (np.where(np.isinf(rounded), np.nan, A) for A in (rounded, values))
    # Where x = 10 v, a step of v is ten steps of x.
    log_weights = np.log(list(MOVES.values())) - moves * np.log(10)
    log_weights = np.tile(log_weights, (len(x), 1))
    if decimals is not None:
        # Multiplied by ten, a number ends in a zero: if it does not, it was no point that moved.
        lost = np.abs(rounded - values) > 1e-9 * np.maximum(np.abs(values), 1)
        values = np.where(lost & (moves > 0), np.nan, rounded)
    return np.where(x[:, None] == 0, np.nan, values), log_weights


def _turned_signs(x: Array, decimals: int | None) -> tuple[Array, Array]:
    return np.where(x == 0, np.nan, -x)[:, None], np.zeros((len(x), 1))


def _swapped_digits(x: Array, decimals: int | None) -> tuple[Array, Array]:
    after_point = decimals or 0
    unit = 10.0**after_point
    with np.errstate(over="ignore"):
        whole = np.rint(np.abs(x) * unit)
    readable = np.isfinite(whole) & (whole < 10.0**MOST_DIGITS) & (whole > 0)
    if decimals is None:
        readable &= np.abs(x) == whole
    whole = np.where(readable, whole, 0).astype(np.int64)
    most = min(max(len(str(int(whole.max(initial=0)))), 1 + after_point), MOST_DIGITS)
    values = np.full((len(x), max(most - 1, 1)), np.nan)
    for digit in range(most - 1):
        low, high = whole // 10**digit % 10, whole // 10 ** (digit + 1) % 10
        swapped = whole + (low - high) * 10**digit * 9
        there = readable & (low != high)
        if digit + 1 > after_point:
            # Before the point no number begins with a zero, as it is meant or as it is typed.
            there &= np.minimum(whole, swapped) >= 10 ** (digit + 1)
        values[:, digit] = np.where(there, np.sign(x) * swapped / unit, np.nan)
    count = np.maximum((~np.isnan(values)).sum(axis=1), 1)
    return values, np.tile(-np.log(count)[:, None], (1, values.shape[1]))


_CANDIDATES = {POINT: _moved_points, SIGN: _turned_signs, DIGITS: _swapped_digits}
