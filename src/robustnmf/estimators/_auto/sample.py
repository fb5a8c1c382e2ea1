"""Which rows stand for all."""

from __future__ import annotations

import numpy as np


def sample_rows(shape: tuple[int, int], entries: int, least: int) -> np.ndarray:
    """Return the positions of rows with about this many entries, or of at least so many rows."""
    n, m = shape
    size = max(least, entries // m)
    if size >= n:
        return np.arange(n)
    # Always the same rows, so that a fit depends on its own seed alone; random ones, because rows
    # often come in order.
    return np.sort(np.random.default_rng(0).choice(n, size, replace=False))
