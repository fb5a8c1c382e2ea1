"""What both kinds of kernels and their callers go by: tolerances, and the smallest formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
from array_api_compat import array_namespace, device

from robustnmf._common.arrays import Array
from robustnmf._common.bits import unpacked

# Far below any curvature that matters, far above rounding.
RIDGE = 1e-12
# Halvings of an interval until it is as short as double precision can tell.
HALVINGS = 50
# Most rows are solved after 3 to 10 steps of Newton's method; the bound is for the very smallest λ.
MAX_STEPS = 500


def observed_residual(X: Array, P: Array) -> Array:
    """X − P, and 0 where X is missing."""
    xp = array_namespace(X, P)
    R = X - P
    return xp.where(xp.isnan(X), xp.zeros_like(R), R)


def no_room(bits: Array, n_features: int) -> Array:
    """The thresholds of entries that do not count where their bit is set: 0 there, or infinite.

    Examples
    --------
    >>> no_room(np.array([[0b01000000]], np.uint8), 3)
    array([[inf,  0., inf]], dtype=float32)
    """
    xp = array_namespace(bits)
    left_out = unpacked(bits, n_features)
    all_room = xp.full(left_out.shape, xp.inf, dtype=xp.float32, device=device(bits))
    return xp.where(left_out, xp.zeros_like(all_room), all_room)


def weighted_squares(q: Array, R: Any, dtype: Any = None) -> Array:
    """Σ q r²; in the precision of the arrays, unless one is named."""
    if isinstance(R, np.ndarray):
        found: Array = np.einsum("ij,ij,ij->", q, R, R, dtype=dtype)  # no arrays in between
    else:
        found = array_namespace(R).sum(q * R * R, dtype=dtype)
    return found


def ratio(top: Array, bottom: Array) -> Array:
    """Top / bottom, and 1 where both vanish: what nothing pulls at stays as it is."""
    tiny = array_namespace(bottom).finfo(bottom.dtype).smallest_normal ** 0.5
    return (top + tiny) / (bottom + tiny)


def exact_fit(eps: float) -> float:
    """How far, as a share of itself, a prediction may be off an entry that it fits exactly."""
    return 64 * (eps + RIDGE)


def tolerance(eps: float) -> float:
    """Relative differences below this are rounding; float32 data cannot tell finer anyway."""
    return 64 * eps
