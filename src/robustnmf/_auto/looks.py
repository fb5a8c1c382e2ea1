"""Which entries of all rows are corrupt, as the components and a detector of a sample see them.

The thresholds of a first look are held while the fit improves, as they are where a fit has an array
of them. Here a block makes them anew of what is kept of its rows, and flags are a bit for each
entry.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robustnmf._auto.detection import Detector, FirstFit, unexplained
from robustnmf._auto.detection.detector import beyond
from robustnmf._auto.detection.outliers import most_unexplained
from robustnmf._auto.sampled import Told
from robustnmf._common.arrays import Array
from robustnmf._common.bits import packed
from robustnmf._core.engine import Engine, RowArray
from robustnmf._core.rows import solve_flagged


class Looks(NamedTuple):
    """What the thresholds of a first look follow from."""

    detector: Detector
    H: Array
    W: RowArray
    """Of the predictions by which entries have a level; n×k."""
    samples: RowArray
    """The factor of each sample; 0 for one that is left out as a whole; n."""

    def flags(self, data: Engine, W: RowArray, H: Array) -> RowArray:
        """Return the bits of the entries that are beyond their thresholds at other factors."""
        detector, first_H = self.detector, self.H
        flags = _room_for_flags(data)

        def look(
            rows: slice, X: Array, weights: None, first_W: Array, samples: Array, W: Array
        ) -> tuple[None, Array]:
            counts = samples > 0
            level = detector.scales.level_of(first_W @ first_H)
            scale = detector.scales.with_samples(np.where(counts, samples, 1), level)
            thresholds = detector.thresholds(scale, detector.classes.index_of(X))
            return None, packed(beyond(X, W @ H, thresholds) | ~counts[:, None])

        data.fold(look, _nothing, read=(self.W, self.samples, W), write=(flags,))
        return flags


def first_look(data: Engine, told: Told) -> tuple[RowArray, Array, RowArray, Looks]:
    """Return W of all rows, H, which entries are flagged, and what later looks need."""
    H, dtype = told.H.astype(data.dtype), data.dtype
    first, detector, bad = FirstFit.of(H), told.detector, told.bad_samples
    k = len(H)
    W, first_W = (
        data.make(lambda rows: np.empty((rows.stop - rows.start, k), dtype)) for _ in range(2)
    )
    # The unexplained share of each row, and the factor of its scale.
    noted = data.make(lambda rows: np.empty((rows.stop - rows.start, 2)))
    flags = _room_for_flags(data)

    def look(rows: slice, X: Array, weights: None) -> tuple[None, Array, Array, Array, Array]:
        first_W = first.weights(X)
        P = first_W @ H
        scale = detector.scale(X, P, None)
        thresholds = detector.thresholds(scale, detector.classes.index_of(X))
        W = solve_flagged(X, P, H, beyond(X, P, thresholds), first_W)
        P = W @ H
        of_rows = np.stack([unexplained(X, P, thresholds), scale.samples], axis=1)
        return None, first_W, W, of_rows, packed(beyond(X, P, thresholds))

    data.fold(look, _nothing, write=(first_W, W, noted, flags))
    most = most_unexplained(data.take(noted, told.usual_samples)[:, 0])
    unlike = data.make(lambda rows: np.isin(np.arange(rows.start, rows.stop), bad))

    def factors(noted: Array, unlike: Array) -> Array:
        return np.where(unlike | (noted[:, 0] > most), 0, noted[:, 1])

    samples = data.combine(factors, noted, unlike)
    flags = data.combine(_with_whole_rows, flags, samples)
    return W, H, flags, Looks(detector, H, first_W, samples)


def _with_whole_rows(flags: Array, samples: Array) -> Array:
    return flags | np.uint8(255) * (samples == 0)[:, None]


def _room_for_flags(data: Engine) -> RowArray:
    n_bytes = -(-data.shape[1] // 8)
    return data.make(lambda rows: np.empty((rows.stop - rows.start, n_bytes), np.uint8))


def _nothing(one: None, other: None) -> None:
    """Nothing is summed up."""
