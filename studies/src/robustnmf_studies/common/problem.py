"""Data with noise in it: what methods are given, and the truth by which they are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The paper's: k = 10, λ = 0.04, faces of 32×32.
K = 10
LAM = 0.04
SIDE = 32

Array = NDArray[Any]


@dataclass(frozen=True)
class Problem:
    """Data with noise in it, and what only the judge and the oracle may know.

    Attributes
    ----------
    X, clean : ndarray of shape (n_samples, n_features)
        With and without noise.
    mask : ndarray of bool
        Where the noise is.
    seed : int
        Of the fits' random starts.
    lam : float
        λ.
    image_shape : tuple of (height, width)
        How a row makes a picture; the median filter needs neighbours.
    k : int
        Number of components.
    """

    X: Array
    clean: Array
    mask: NDArray[np.bool_]
    seed: int
    lam: float = LAM
    image_shape: tuple[int, int] | None = None
    k: int = K
