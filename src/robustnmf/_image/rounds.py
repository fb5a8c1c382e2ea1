"""Detect and restore in turns: a better picture shows more noise, and without it gets better."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from robustnmf._image.belief import WHITE, Belief, Evidence
from robustnmf._image.company import distance_to_company
from robustnmf._image.gaps import fill_gaps
from robustnmf._image.neighbours import predict

Array = NDArray[Any]

MOST_ROUNDS = 6
# Rounds end when fewer than this share of the pixels change sides.
_SETTLED = 3e-4
# Probability from which a pixel counts as corrupt.
CORRUPT_FROM = 0.5
# As an example to learn from, even a pixel known to be corrupt counts a little, at its guess.
_LEAST_WEIGHT = 0.02
_LAST_PASSES = 2
# A pixel deviates by no more than so many times its distance to its company.
_COMPANY = 3.0

_RING = np.ones((3, 3), dtype=bool)
_RING[1, 1] = False
_DISTANCE = np.hypot(*np.mgrid[-3:4, -3:4])
_NEARBY = np.where(_DISTANCE > 0, np.exp(-0.5 * (_DISTANCE / 1.5) ** 2), 0)
_NEARBY /= _NEARBY.sum()


class Region:
    """Some linked pictures, or parts of them, on the way to being restored.

    Parameters
    ----------
    values : ndarray of float32, shape (n, height, width)
        Grey levels from 0 to 255; anything finite where a pixel is not known.
    known : ndarray of bool, same shape
        False where a pixel is missing.
    links : list of lists of int
        For each picture, the others that may help to predict it; the same number each.
    guides : ndarray of float32, same shape, default=None
        A prediction of each picture from elsewhere, which may help as well.
    own : pair of slices, default=None
        Rows and columns that count as evidence, for regions that overlap; all by default.
    """

    def __init__(
        self,
        values: Array,
        known: Array,
        links: list[list[int]],
        guides: Array | None = None,
        own: tuple[slice, slice] | None = None,
    ) -> None:
        self.known = known
        self.links = links
        self.guides = guides
        self._own = (slice(None), *(own or (slice(None), slice(None))))
        trust = known.astype(np.float32)
        filled = np.where(known, values, _filled(values, trust))
        ring = np.stack([ndimage.median_filter(plane, footprint=_RING) for plane in filled])
        deviation = filled - ring
        self.values = filled
        self.deviation = deviation
        # Half of the deviations are below their median, and it is small where most are tiny.
        self.activity = 1.5 * np.stack(
            [ndimage.median_filter(np.abs(plane), size=5) for plane in deviation]
        )
        self.probability = np.zeros_like(values)
        self.prediction = ring

    @property
    def n_linked(self) -> int:
        """How many other pictures help to predict each."""
        return len(self.links[0]) + (self.guides is not None)

    @property
    def doubtful(self) -> Array:
        """True where a pixel is held to be corrupt, or is missing."""
        return (self.probability > CORRUPT_FROM) | ~self.known

    def advance(self, belief: Belief) -> Evidence:
        """Go one round: judge, restore, predict anew; return what was seen."""
        self.probability = self._judge(belief)
        trust = 1 - self.probability
        # Corrupt pixels count a little even so; where all are corrupt, they are all there is.
        smooth = _filled(self.values, trust**2 + 1e-4 * self.known)
        restored = trust * self.values + (1 - trust) * smooth
        restored = self._pass(restored, trust, belief)[0]
        _, predictions = self._pass(restored, trust, belief)
        self.prediction = np.stack([_clipped(found.values) for found in predictions])
        self.deviation = self.values - self.prediction
        size = np.abs(self.deviation)
        self.activity = np.stack(
            [
                _nearby(weight * plane) / (_nearby(weight) + np.float32(1e-3))
                for weight, plane in zip(trust, size, strict=True)
            ]
        )
        own = self._own
        return Evidence.gather(
            self.values[own],
            self.known[own],
            self.probability[own],
            self.deviation[own],
            self.activity[own],
            predictions,
        )

    def acquit(self) -> None:
        """Hold all known pixels to be clean."""
        self.probability = np.where(self.known, np.float32(0), np.float32(1))

    def _judge(self, belief: Belief) -> Array:
        """Return the probability that each pixel is corrupt; 1 where it is missing."""
        judged = belief.corrupt(self.values, self.deviation, self.activity)
        trusted = self.known & (judged <= CORRUPT_FROM)
        company = np.stack(
            [distance_to_company(*pair) for pair in zip(self.values, trusted, strict=True)]
        )
        nearest = np.minimum(np.abs(self.deviation), np.float32(_COMPANY) * company)
        judged = belief.corrupt(self.values, nearest, self.activity)
        return np.where(self.known, judged, np.float32(1))

    def restored(self, belief: Belief, replace: Array) -> Array:
        """Return the pictures with the pixels `replace` predicted from all the others."""
        trust = (~replace).astype(np.float32)
        restored = np.where(replace, self.prediction, self.values)
        for _ in range(_LAST_PASSES):
            restored = self._pass(restored, trust, belief)[0]
        return restored

    def _pass(self, restored: Array, trust: Array, belief: Belief) -> tuple[Array, list[Any]]:
        weights = np.maximum(trust**2, np.float32(_LEAST_WEIGHT))
        linked = [[restored[other] for other in others] for others in self.links]
        if self.guides is not None:
            linked = [[*others, guide] for others, guide in zip(linked, self.guides, strict=True)]
        predictions = predict(restored, weights, linked, belief.coefficients)
        new = np.stack([_clipped(found.values) for found in predictions])
        return trust * self.values + (1 - trust) * new, predictions


def settle(regions: list[Region]) -> list[Belief]:
    """Take regions of one picture through the rounds together; return what each round believed."""
    beliefs = [Belief.first(regions[0].n_linked)]
    before = [region.doubtful for region in regions]
    for turn in range(MOST_ROUNDS):
        seen = [region.advance(beliefs[-1]) for region in regions]
        after = [region.doubtful for region in regions]
        changed = sum(int((a != b).sum()) for a, b in zip(after, before, strict=True))
        before = after
        evidence = sum(seen[1:], start=seen[0])
        beliefs.append(evidence.belief())
        if turn and changed <= _SETTLED * evidence.known:
            break
    return beliefs


def _filled(values: Array, trust: Array) -> Array:
    return np.stack([fill_gaps(plane, weight) for plane, weight in zip(values, trust, strict=True)])


def _nearby(plane: Array) -> Array:
    return ndimage.convolve(plane, _NEARBY.astype(np.float32), mode="reflect")


def _clipped(plane: Array) -> Array:
    return np.clip(plane, 0, WHITE)
