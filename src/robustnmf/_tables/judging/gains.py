"""What it is worth to replace a cell, before anybody knows the truth.

If the cell is wrong, with probability p, replacing it brings it nearer to the truth by how far it
is moved, less the error of what is expected. If it is right, it is spoiled by all that it is moved.
All is counted in spreads of the column, in the table's own units: what is far on a logarithm may
be next to nothing there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from robustnmf._common.arrays import Array


@dataclass(frozen=True)
class GainSettings:
    """How the worth of a replacement is counted.

    Chosen on the first edition of the study of trust (``robustnmf reproduce trust-tuning``).
    """

    # However far off a cell is, it counts as so many spreads: else one would outweigh all others.
    farthest: float = 10.0
    # The mean error of a prediction, by its standard deviation.
    usual_error: float = 0.8
    # Nothing is surer than this: who says that it is the cell, and not the whole table, that is
    # odd?
    surest: float = 0.97
    # Predictions have to be closer than the middle of the column by this share to be put into the
    # table.
    least: float = 0.1


GAIN = GainSettings()


class Moves(NamedTuple):
    """What replacing cells would do, in spreads of their columns."""

    moved: Array
    """How far each would be moved."""
    error: Array
    """How far from the truth it would be, if it was wrong."""

    @classmethod
    def of(cls, values: Array, expected: Array, spread: Array, unit: Array) -> Moves:
        """Count in units, of the columns, how far cells would be moved."""
        with np.errstate(over="ignore", invalid="ignore"):
            moved = np.abs(values - expected) / unit
            error = GAIN.usual_error * spread / unit
        return cls(np.minimum(moved, GAIN.farthest), np.minimum(error, GAIN.farthest))

    def gain(self, probability: Array) -> Array:
        """Return by how much each would be nearer to the truth in the mean; negative if further."""
        p = np.minimum(probability, GAIN.surest)
        return p * (self.moved - self.error) - (1 - p) * self.moved

    def total(self, probability: Array) -> tuple[float, float]:
        """Return the same for all together, and its standard deviation.

        Examples
        --------
        >>> moves = Moves(np.array([4.0, 4.0]), np.array([0.5, 0.5]))
        >>> gain, deviation = moves.total(np.array([0.5, 0.9]))
        >>> round(gain, 2), round(deviation, 2)
        (2.5, 4.37)
        """
        p = np.minimum(probability, GAIN.surest)
        variance = p * (1 - p) * (2 * self.moved - self.error) ** 2
        return float(self.gain(p).sum()), float(np.sqrt(variance.sum()))
