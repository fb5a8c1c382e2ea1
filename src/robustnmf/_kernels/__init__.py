"""The few hot functions, once per kind of array, all with the same signatures.

`portable` is written in the array API and is the readable truth; `cpu` is the same in fused loops
for NumPy arrays. Everything above asks `kernels_for(array)` and never names either. What both
go by is in `shared` and `density`.
"""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

import numpy as np

from robustnmf._kernels import portable
from robustnmf._kernels.shared import (
    HALVINGS,
    MAX_STEPS,
    exact_fit,
    no_room,
    observed_residual,
    ratio,
    tolerance,
    weighted_squares,
)

__all__ = [
    "HALVINGS",
    "MAX_STEPS",
    "exact_fit",
    "kernels_for",
    "no_room",
    "observed_residual",
    "ratio",
    "tolerance",
    "weighted_squares",
]


def kernels_for(array: Any) -> ModuleType:
    """Return the fastest kernels that can work on this kind of array.

    Examples
    --------
    >>> import numpy as np
    >>> kernels_for(np.ones((2, 3))).__name__
    'robustnmf._kernels.cpu'
    >>> kernels_for(np.ones((2, 3), dtype=np.longdouble)).__name__
    'robustnmf._kernels.portable'
    """
    if isinstance(array, np.ndarray) and array.dtype in (np.float32, np.float64):
        return _numpy_kernels()
    return portable


@functools.cache
def _numpy_kernels() -> ModuleType:
    # Imported at first use: Numba is slow to import, and `import robustnmf` must not be.
    try:
        from robustnmf._kernels import cpu
    except ImportError:  # a platform without Numba
        return portable
    return cpu
