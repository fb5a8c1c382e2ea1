"""Which loops to use: the fused ones, or the plain ones where there is no Numba."""

from __future__ import annotations

import functools
from types import ModuleType


@functools.cache
def loops() -> ModuleType:
    """Return the module with the loops over all entries."""
    # Imported at first use: Numba is slow to import, and `import robustnmf` must not be.
    try:
        from robustnmf._auto.detection import fused
    except ImportError:  # a platform without Numba
        from robustnmf._auto.detection import plain

        return plain
    return fused
