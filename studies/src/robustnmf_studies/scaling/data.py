"""The data: each unit of rows from a seed of its own, so that any process can draw its part."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from robustnmf._engines import single_threaded_blas
from robustnmf_studies.scaling.settings import UNIT

# What no part explains, as a share of each entry, and the share of wrong entries.
_TEXTURE, _WRONG = 0.1, 0.05
_WRONG_VALUE = 20.0


@functools.cache
def _components(m: int, k: int, seed: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).standard_gamma(0.5, size=(k, m)).astype(np.float32)


def rows_of(first: int, n: int, m: int, k: int, seed: int) -> NDArray[np.float32]:
    """Return n rows from the first on; both are multiples of `UNIT`.

    Examples
    --------
    >>> whole = rows_of(0, 3 * UNIT, 8, 2, 0)
    >>> bool((whole[UNIT:] == rows_of(UNIT, 2 * UNIT, 8, 2, 0)).all())
    True
    """
    X = np.empty((n, m), np.float32)
    for row in range(0, n, UNIT):
        rng = np.random.default_rng([seed, (first + row) // UNIT])
        W = rng.standard_gamma(0.5, size=(UNIT, k), dtype=np.float32)
        # How threads share a product would show in its last digits.
        with single_threaded_blas:
            block = W @ _components(m, k, seed)
        block *= 1 + _TEXTURE * rng.standard_normal(block.shape, dtype=np.float32)
        np.maximum(block, 0, out=block)
        block[rng.random(block.shape, dtype=np.float32) < _WRONG] = _WRONG_VALUE
        X[row : row + UNIT] = block
    return X
