"""What a detector finds in some data as a whole: sums over blocks of rows, and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from robustnmf._auto.detection.outliers import most_unexplained
from robustnmf._auto.detection.repair import completed_range
from robustnmf._auto.settings import FIT
from robustnmf._common.arrays import Array
from robustnmf._core.engine import Engine, RowArray
from robustnmf._core.noise import Penalty

# The sizes of noise are counted in bins of so many an octave, ...
BINS_AN_OCTAVE = 16
# ... from a sixteenth of a typical scale on; the last bin holds whatever is larger.
OCTAVES_BELOW, OCTAVES = 4, 32
# Whose scales the typical one is found from.
ROWS_COMPARED = 10_000


class RowFacts(NamedTuple):
    """What is noted of each row, in one array of the rows; its columns."""

    scale: Array
    """The middle scale of its entries."""
    unexplained: Array
    """The share of its variation that is not explained."""
    flagged: Array
    """How many of its entries are flagged."""

    @classmethod
    def of(cls, noted: Array) -> RowFacts:
        """Take them from that array, or from some rows of it."""
        return cls(*noted.T)


class Sums(NamedTuple):
    """What adds up over blocks of rows, in the user's units."""

    misfit: float
    penalty: float
    """As `Explained` has them, of all rows."""
    corrupt: float
    scattered: float
    """Sums of probabilities, of all entries and of those that `Facts` calls so."""
    flagged: Array
    """How many entries of each feature are flagged; m."""
    squares: float
    """Σ e² of these."""
    sizes: Array
    """How many |e| are in each bin of sizes, and their sums; 2×bins."""
    low: Array
    high: Array
    """The least and the largest value of each feature that is not flagged; m each."""

    def plus(self, more: Sums) -> Sums:
        """Add what another block has."""
        return Sums(
            self.misfit + more.misfit,
            self.penalty + more.penalty,
            self.corrupt + more.corrupt,
            self.scattered + more.scattered,
            self.flagged + more.flagged,
            self.squares + more.squares,
            self.sizes + more.sizes,
            np.fmin(self.low, more.low),
            np.fmax(self.high, more.high),
        )


def sizes_of(e: Array, unit: float) -> Array:
    """Return how many |e| are in each bin of sizes, and their sums."""
    size = np.abs(e).astype(float)
    with np.errstate(over="ignore", divide="ignore"):
        place = (np.log2(size / unit) + OCTAVES_BELOW) * BINS_AN_OCTAVE
    n_bins = OCTAVES * BINS_AN_OCTAVE
    index = np.clip(place, 0, n_bins - 1).astype(int)
    return np.stack([np.bincount(index, minlength=n_bins), np.bincount(index, size, n_bins)])


@dataclass(frozen=True)
class Facts:
    """What a detector found in some data as a whole, in the user's units."""

    scale: float
    """The typical size of a clean residual."""
    corruption: float
    """The share of known entries that is corrupt, by the sum of their probabilities."""
    scattered: float
    """The same of those whose value is not one that corruption wrote again and again, in features
    of which anything is known."""
    flagged: Array
    """How many entries of each feature are flagged; m."""
    crowds: Array
    """How many rows have so many flagged entries: none, one, ...; m + 1."""
    squares: float
    """Σ e² of what is flagged."""
    sizes: Array
    """Of |e|, as `sizes_of` tells them."""
    outliers: Array
    """Positions of the rows of which far more is left unexplained than of the usual ones."""
    most_unexplained: float
    """More than that is far more."""
    trusted: tuple[Array, Array]
    """The least and the largest value of each feature that is not flagged; m each."""

    @classmethod
    def of(cls, sums: Sums, rows: RowArray, data: Engine, usual: Array, n_known: int) -> Facts:
        """Put together what was noted of all blocks and rows; `usual` rows tell what is usual."""
        n, m = data.shape
        most = most_unexplained(RowFacts.of(data.take(rows, usual)).unexplained)
        spread = np.unique(np.linspace(0, n - 1, min(n, ROWS_COMPARED)).astype(int))
        scales = RowFacts.of(data.take(rows, spread)).scale

        def crowds(rows: Array) -> Array:
            return np.bincount(RowFacts.of(rows).flagged.astype(int), minlength=m + 1)

        beyond = data.combine(lambda rows: RowFacts.of(rows).unexplained > most, rows)
        return cls(
            scale=float(np.median(scales)),
            corruption=sums.corrupt / n_known,
            scattered=sums.scattered / n_known,
            flagged=sums.flagged,
            crowds=data.sum_rows(crowds, np.add, rows),
            squares=sums.squares,
            sizes=sums.sizes,
            outliers=np.flatnonzero(data.collect(beyond)),
            most_unexplained=most,
            trusted=completed_range(sums.low, sums.high),
        )

    @property
    def n_flagged(self) -> int:
        """How many entries are flagged."""
        return int(self.flagged.sum())

    def equivalent_lam(self, model: type[Penalty]) -> float:
        """Return the λ of a noise model that would draw the line at some scales, on average."""
        line = FIT.line * self.scale
        counts, sums = self.sizes
        sizes = np.divide(sums, counts, out=np.zeros(len(sums)), where=counts > 0)
        excess = float(counts @ np.maximum(sizes - line, 0))
        rows = int(self.crowds[1:].sum())
        return model.equivalent_lam(line, rows, self.n_flagged, excess)


def most_flagged(crowds: Array, n_rows: int) -> int:
    """Return how many flags are in as many rows, those with most; `crowds` is as `Facts` has it.

    Examples
    --------
    >>> crowds = np.bincount([0, 3, 1, 3])
    >>> [most_flagged(crowds, n) for n in (1, 2, 3)]
    [3, 6, 7]
    """
    rows = np.minimum(np.cumsum(crowds[::-1]), n_rows)
    return int(np.diff(rows, prepend=0) @ np.arange(len(crowds))[::-1])
