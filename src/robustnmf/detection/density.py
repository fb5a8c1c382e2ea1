"""How clean residuals are spread: like a Gaussian in the middle, with exponential tails.

This is Huber's least favourable density. Residuals of real data (faces, say) have such tails, once
they are divided by the scale of their row, feature and level; Gaussian ones it fits nearly as well.
All residuals here are u = r / scale, and their sign does not matter.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = Any

# Beyond this many scales the density falls exponentially. Faces of two collections have it here.
TAIL = 1.6

_CENTRE = math.sqrt(2 * math.pi) * math.erf(TAIL / math.sqrt(2))
_TAILS = 2 * math.exp(-TAIL * TAIL / 2) / TAIL
# The logarithm of the density at 0.
LOG_PEAK = -math.log(_CENTRE + _TAILS)


def surprise(u: Array) -> Array:
    """Return log f(0) − log f(u): how much less likely a residual is than 0."""
    u = np.abs(u)
    return np.where(u < TAIL, u * u / 2, TAIL * u - TAIL * TAIL / 2)


def surprising(amount: Array) -> Array:
    """Return the u ≥ 0 whose surprise is this much, and 0 where it is negative.

    Examples
    --------
    >>> float(surprising(surprise(3.0)))
    3.0
    """
    amount = np.maximum(amount, 0)
    return np.where(amount < TAIL * TAIL / 2, np.sqrt(2 * amount), amount / TAIL + TAIL / 2)


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
