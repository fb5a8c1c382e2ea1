"""Which number stands for white: one rule for corruption and for picture quality."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# What to say of a data_range that cannot be.
WHITE_HINT = "It is the distance from black to white."


def top_level(X: NDArray[Any], argument: str) -> float:
    """Value of a white pixel in data that do not say it themselves.

    Parameters
    ----------
    X : ndarray
        Pictures, as integers or floats.
    argument : str
        The caller's argument that sets the level by hand; named in the error.

    Returns
    -------
    float
        1 for floats that do not exceed 1, else 255.

    Raises
    ------
    ValueError
        If the data exceed 255, so that neither convention can be meant.

    Examples
    --------
    >>> top_level(np.array([0.2, 0.9]), "high")
    1.0
    """
    peak = float(np.max(X, initial=0))
    if peak > 255:
        raise ValueError(
            f"the data reach {peak:g}, above 255, so white is not known: pass {argument}=..."
        )
    return 255.0 if peak > 1 or np.issubdtype(X.dtype, np.integer) else 1.0
