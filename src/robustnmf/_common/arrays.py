"""The types of arrays, in one place.

The mathematics is written in the array API, so what comes is whatever has that. To the type checker
all arrays are NumPy's, whose methods are a superset.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
RowPositions: TypeAlias = slice | NDArray[np.integer[Any]]
"""Some of the rows."""
