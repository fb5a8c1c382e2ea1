"""Which engine serves which kind of data: the one place that knows them all."""

from __future__ import annotations

from typing import Any

from robustnmf._core.engine import Engine
from robustnmf._engines.memory import MemoryEngine


def engine_for(
    X: Any,
    weights: Any = None,
    *,
    dtype: Any = None,
    exponent: int = 0,
    block_bytes: int | None = None,
) -> Engine:
    """Return the engine for some data.

    Parameters
    ----------
    X : n×m
        An array, memory-mapped or not, or a CSR matrix. NaN marks a missing entry.
    weights : n×m or None
        The share in [0, 1] to which an entry counts.
    dtype : dtype, optional
        The working precision, float32 or float64; by default that of X.
    exponent : int
        Blocks hold X·2^exponent. A power of two changes no digits.
    block_bytes : int, optional
        The most bytes a block of X may take; by default what suits the engine.

    Returns
    -------
    Engine
    """
    size = {} if block_bytes is None else {"block_bytes": block_bytes}
    work = X.dtype if dtype is None else dtype
    return MemoryEngine(X, weights, dtype=work, exponent=exponent, **size)
