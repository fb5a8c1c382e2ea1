"""Sums over rows, and what of a residual is rounding."""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._common.places import widest
from robustnmf._kernels.shared import exact_fit


def row_sum(xp: Any, A: Array) -> Array:
    """Sum up each row."""
    # Sums in double precision: the objective must not rise by rounding in float32.
    return xp.sum(A, axis=1, dtype=widest(A))


def rounding(P: Array) -> Array:
    """How large a residual rounding alone can make: noise below it is not noise."""
    return exact_fit(array_namespace(P).finfo(P.dtype).eps) * P
