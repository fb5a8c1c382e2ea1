"""Which rows stand for all."""

from __future__ import annotations

import numpy as np

from robustnmf._solvers import some_rows


def sample_rows(shape: tuple[int, int], entries: int, least: int) -> np.ndarray:
    """Return the positions of rows with about this many entries, or of at least so many rows."""
    n, m = shape
    size = max(least, entries // m)
    return np.arange(n) if size >= n else some_rows(n, size)
