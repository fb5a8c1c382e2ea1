"""Which flagged entries may be replaced, and within which bounds predictions stay.

To flag is to say something, to replace is to do something, and asks for more: the prediction must
be likely to lie nearer to the truth than the entry itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from robustnmf._auto.detection.settings import REPAIR
from robustnmf._common.arrays import Array
from robustnmf._kernels import kernels_for

# Likelier than anything is: nothing is replaced.
NEVER = 2.0


class Flagged(NamedTuple):
    """The flagged entries of a block, row by row; one number for each."""

    rows: Array
    columns: Array
    x: Array
    p: Array
    """What is predicted."""


@dataclass(frozen=True)
class Repair:
    """What hidden entries say of predictions, by feature."""

    errors: Array
    """The root mean square error of predictions of clean values; m."""
    useful: Array
    """Whether predictions beat the feature's own middle; m."""
    stuck: Array | bool = False
    """Whether a feature is stuck, so that nothing is replaced there; m."""
    least: float = REPAIR.trusted
    """How likely corrupt an entry must be to be replaced."""
    rare: float = REPAIR.trusted
    """The same, where so few entries are corrupt that they may be clean tails."""
    ceiling: float = math.inf
    """Where values are cut off: what is missing there nobody can say, so nothing is replaced."""
    most_unexplained: float = math.inf
    """A sample of which more is left unexplained is like no other; nothing is replaced there."""
    low: Array | None = None
    high: Array | None = None
    """The range of the feature's trusted values; m each."""

    def rescaled(self, factor: float) -> Repair:
        """Return the same for data multiplied by `factor`."""
        low, high = (None if A is None else A * factor for A in (self.low, self.high))
        return replace(
            self, errors=self.errors * factor, ceiling=self.ceiling * factor, low=low, high=high
        )

    def allowed(self, flagged: Flagged, probability: Array, written: Array, n: int) -> Array:
        """Return which flagged entries are likely to come nearer to the truth by replacing them.

        If an entry is corrupt, replacing it leaves the error of the prediction instead of the
        residual; if it is clean, it brings in the residual. Entries that are `written` have a value
        that corruption left again and again; others may be clean tails. `n` is how many rows there
        are.
        """
        errors, useful, stuck = (
            A[flagged.columns] if isinstance(A, np.ndarray) else A
            for A in (self.errors, self.useful, self.stuck)
        )
        squares = (flagged.x - flagged.p) ** 2
        gain = probability * (squares - errors**2) - (1 - probability) * squares
        least = np.where(written, self.least, max(self.rare, self.least))
        good = (probability >= least) & (gain > 0)
        # Where a feature hardly varies, nothing beats its middle, and an entry that is far from all
        # the others is still better replaced.
        far = (probability >= REPAIR.in_doubt) & (squares > (REPAIR.rarely * errors) ** 2)
        # Nor should a value stay that was surely written, however poor the prediction.
        surely = written & (probability >= REPAIR.in_doubt)
        good &= useful | surely | (far & (least == REPAIR.trusted))
        good &= (self.ceiling > flagged.x) & ~np.asarray(stuck)
        if self.least > REPAIR.trusted:
            good &= squares > (REPAIR.clearly * errors) ** 2
        if self.rare > REPAIR.trusted:
            scattered = flagged.rows[(probability > REPAIR.trusted) & ~written]
            most = REPAIR.crowded * len(self.errors)
            alone = np.bincount(scattered, minlength=n)[flagged.rows] < most
            good &= written | (alone & (squares > (REPAIR.rarely * errors) ** 2))
        return good

    def bounded(self, X: Array, P: Array, corrupt: Array) -> Array:
        """Return predictions within twice the range of trusted values.

        The largest value of a feature may itself be one of those that are missing or corrupt.
        A row that is louder than all rows learned from, by its own trusted values, may have
        predictions as much louder.
        """
        if self.low is None or self.high is None:
            return P
        tiny = np.finfo(float).tiny
        trusted = np.where(corrupt | np.isnan(X), np.nan, X)
        with np.errstate(over="ignore"):
            up = np.fmax.reduce(trusted / np.maximum(self.high, tiny), axis=1, initial=1.0)
            down = np.fmin.reduce(trusted / np.maximum(self.low, tiny), axis=1, initial=1.0)
            high = REPAIR.margin * np.maximum(up[:, None] * self.high, self.high)
        return np.clip(P, down[:, None] * self.low / REPAIR.margin, high).astype(P.dtype)


def trusted_range(X: Array, corrupt: Array) -> tuple[Array, Array]:
    """Return the least and the largest trusted value of each feature; infinite where none is."""
    low, high = kernels_for(X).value_range(X, corrupt)
    return low, high


def completed_range(low: Array, high: Array) -> tuple[Array, Array]:
    """Return the range of all blocks; a feature without any trusted value gets that of all."""
    known = np.isfinite(high)
    largest = high[known].max() if known.any() else np.inf
    return np.where(known, low, 0.0), np.where(known, high, largest)
