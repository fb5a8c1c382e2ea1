"""How all fused kernels are compiled."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.floating]

# NaN marks a missing entry, so "no NaN" must not be among the assumptions of fast math.
jit = njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "nsz"}, error_model="numpy")
