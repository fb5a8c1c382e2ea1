"""Which rows and features stand for all."""

from __future__ import annotations

import numpy as np

from robustnmf._auto.settings import SEARCH
from robustnmf._solvers import some_rows


def sample_rows(shape: tuple[int, int], entries: int, least: int) -> np.ndarray:
    """Return the positions of rows with about this many entries, or of at least so many rows."""
    n, m = shape
    size = max(least, entries // m)
    return np.arange(n) if size >= n else some_rows(n, size)


def sample_features(shape: tuple[int, int], n_components: int) -> np.ndarray | None:
    """Return the positions of the features that guesses are tried on; None for all of them."""
    n, m = shape
    size = max(
        SEARCH.least_features, SEARCH.features_a_component * n_components, SEARCH.entries // n
    )
    return None if SEARCH.worth_it * size > m else some_rows(m, size)
