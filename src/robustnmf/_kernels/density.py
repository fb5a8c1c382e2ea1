"""How clean residuals are spread: like a Gaussian in the middle, with exponential tails.

This is Huber's least favourable density. Residuals of real data (faces, say) have such tails, once
they are divided by the scale of their row, feature and level; Gaussian ones it fits nearly as well.
All residuals here are u = r / scale, and their sign does not matter.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from robustnmf._common.arrays import Array

# Beyond this many scales the density falls exponentially. Faces of two collections have it here; no
# committed study chose it, but all of `robustnmf reproduce beyond` was run with it.
TAIL = 1.6
# Residuals beyond this many scales stand out: of clean ones hardly any do (`tail_share`). Here the
# heavier tails begin. No study chose it; tests/auto/test_tails.py checks what is learned beyond it.
FAR = 4.0

_CENTRE = math.sqrt(2 * math.pi) * math.erf(TAIL / math.sqrt(2))
_TAILS = 2 * math.exp(-TAIL * TAIL / 2) / TAIL
# The logarithm of the density at 0.
LOG_PEAK = -math.log(_CENTRE + _TAILS)


class Tail(NamedTuple):
    """A tail that is heavier than exponential: beyond `FAR` the density falls by a power."""

    surprise: float
    """How much less likely a residual of `FAR` scales is than 0."""
    power: float
    """The power of u by which the density falls."""

    @classmethod
    def of(cls, share: float, index: float) -> Tail:
        """Return the tail that holds a share of all residuals, falling like Pareto's."""
        return cls(LOG_PEAK - math.log(share * index / (2 * FAR)), index + 1)


THIN = Tail(math.inf, 1.0)


def surprise(u: Array, tail: Tail = THIN) -> Array:
    """Return log f(0) − log f(u): how much less likely a residual is than 0."""
    u = np.abs(u)
    near = np.minimum(u, TAIL)
    thin: Array = near * (u - near / 2)
    if tail.surprise == math.inf:
        return thin
    return np.minimum(thin, tail.surprise + tail.power * np.log(np.maximum(u, FAR) / FAR))


def surprising(amount: Array, tail: Tail = THIN) -> Array:
    """Return the u ≥ 0 whose surprise is this much, and 0 where it is negative.

    Examples
    --------
    >>> float(surprising(surprise(3.0)))
    3.0
    """
    amount = np.maximum(amount, 0)
    thin = np.where(amount < TAIL * TAIL / 2, np.sqrt(2 * amount), amount / TAIL + TAIL / 2)
    with np.errstate(over="ignore"):
        heavy = FAR * np.exp((amount - tail.surprise) / tail.power)
    return np.where(amount < tail.surprise, thin, np.maximum(thin, heavy))


def spread_term(u: Array) -> Array:
    """Return u·ψ(u), whose mean tells the scale: residuals far out count only linearly."""
    return u * np.minimum(u, TAIL)


def mean_spread(cutoff: float = math.inf) -> float:
    """Return the mean of `spread_term` over clean residuals below the cutoff."""
    u = np.linspace(0, min(cutoff, 40.0), 20001)
    density = np.exp(-surprise(u))
    return float((spread_term(u) * density).sum() / density.sum())


def tail_share(u: float) -> float:
    """Return the share of clean residuals beyond ±u, for u ≥ TAIL."""
    return 2 * math.exp(LOG_PEAK + TAIL * TAIL / 2 - TAIL * u) / TAIL
