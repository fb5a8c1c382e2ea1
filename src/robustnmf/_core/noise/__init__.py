"""Noise models: what may be wrong with a sample, and at what price.

A model looks at one sample at a time. Given the residual r = x − wH it finds the best noise e in
closed form; what the factors then see is the cleaned row x − e = wH + (r − e). E itself is never
stored during a fit.

============== ==================== =============================================================
name           penalty of a row     best e
============== ==================== =============================================================
``squared_l1`` λ‖e‖₁² (paper eq. 6) r shrunk towards 0 by τ = λ‖e‖₁, which the row finds itself
``squared_l0`` λ‖e‖₀² (paper eq. 5) r itself on the s largest |r|, for the s that pays
============== ==================== =============================================================

Users choose one of these by its name, from `robustnmf._core.penalties`. Three more have the same
interface: `NoNoise`, for plain and weighted NMF, where nothing is flagged; `TruncatedSquares`,
which is told a threshold for each entry; and `LeftOut`, which is told which entries do not count.
"""

from robustnmf._core.noise.left_out import LeftOut
from robustnmf._core.noise.model import (
    Cleaned,
    NoiseModel,
    Penalty,
    Quadratic,
    Swept,
    of_rows,
)
from robustnmf._core.noise.none import NoNoise
from robustnmf._core.noise.squared_l0 import SquaredL0
from robustnmf._core.noise.squared_l1 import CONVEX_START, SquaredL1
from robustnmf._core.noise.truncated import TruncatedSquares

__all__ = [
    "CONVEX_START",
    "Cleaned",
    "LeftOut",
    "NoNoise",
    "NoiseModel",
    "Penalty",
    "Quadratic",
    "SquaredL0",
    "SquaredL1",
    "Swept",
    "TruncatedSquares",
    "of_rows",
]
