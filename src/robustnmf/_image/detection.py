"""Detect and repair in rounds: a better picture shows more noise, and without it gets better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from robustnmf._common.arrays import Array
from robustnmf._image.agreement import third_smallest_difference
from robustnmf._image.gaps import fill_gaps
from robustnmf._image.grey_levels import WHITE
from robustnmf._image.mixture import Mixture, Statistics
from robustnmf._image.neighbours import Prediction, predict


@dataclass(frozen=True)
class DetectionSettings:
    """Constants of the rounds.

    Chosen on the seven development photographs of the study of pictures (``robustnmf reproduce
    images``, docs/images.md).

    Attributes
    ----------
    max_rounds : int
        The most rounds.
    tol : float
        Rounds end when no larger share of the known pixels changes sides.
    threshold : float
        Probability above which a pixel is flagged.
    agreement : float
        A residual counts as no more than this many times the pixel's third smallest difference from
        its trusted neighbours.
    least_weight : float
        Even a pixel that is surely corrupt counts so much as an example to learn coefficients from,
        at its repaired value.
    least_fill_weight : float
        The same in the first guess, at its measured value: where all are corrupt, these are all
        there is.
    n_repairs : int
        Passes of the last repair, each predicting from what the one before repaired.
    first_scale, first_size : float, int
        Before anything is predicted, the local scale is this many times the median absolute
        residual in a window of this side.
    scale_sigma, scale_radius : float, int
        Afterwards it is a mean with Gaussian weights of this standard deviation and reach.
    scale_ridge : float
        Weight added to its denominator, for pixels without a trusted one nearby.
    """

    max_rounds: int = 6
    tol: float = 3e-4
    threshold: float = 0.5
    agreement: float = 3.0
    least_weight: float = 0.02
    least_fill_weight: float = 1e-4
    n_repairs: int = 2
    first_scale: float = 1.5
    first_size: int = 5
    scale_sigma: float = 1.5
    scale_radius: int = 3
    scale_ridge: float = 1e-3


DETECTION = DetectionSettings()

_RING = np.ones((3, 3), dtype=bool)
_RING[1, 1] = False


def _gaussian_ring(sigma: float, radius: int) -> Array:
    """Return Gaussian weights around a pixel, without the pixel itself."""
    distance = np.hypot(*np.mgrid[-radius : radius + 1, -radius : radius + 1])
    weights = np.where(distance > 0, np.exp(-0.5 * (distance / sigma) ** 2), 0)
    weights /= weights.sum()
    return weights.astype(np.float32)


_NEARBY = _gaussian_ring(DETECTION.scale_sigma, DETECTION.scale_radius)


class Region:
    """Some linked pictures, or tiles of them, on the way to being repaired.

    Parameters
    ----------
    values : ndarray of float32, shape (n, height, width)
        Grey levels from 0 to 255; anything finite where a pixel is not known.
    known : ndarray of bool, same shape
        False where a pixel is missing.
    links : list of lists of int
        For each picture, the others that predict it as well; the same number each.
    guides : ndarray of float32, same shape, default=None
        A prediction of each picture from elsewhere, which predicts it as well.
    own : pair of slices, default=None
        Rows and columns that count in the statistics, for regions that overlap; all by default.

    Attributes
    ----------
    values, known : ndarray
        As given, with a first guess where a pixel is missing.
    prediction, residual : ndarray of float32, same shape
        What the neighbours predict, and by how much the values differ from it.
    local_scale : ndarray of float32, same shape
        How large the residuals of the pixels nearby are.
    probability : ndarray of float32, same shape
        That a pixel is corrupt; 1 where it is missing.
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
        self._links = links
        self._guides = guides
        self._own = (slice(None), *(own or (slice(None), slice(None))))
        filled = np.where(known, values, _filled(values, known.astype(np.float32)))
        ring = np.stack([ndimage.median_filter(plane, footprint=_RING) for plane in filled])
        self.values = filled
        self.residual = filled - ring
        # Half of the residuals are below their median, and it is small where most are tiny.
        self.local_scale = DETECTION.first_scale * np.stack(
            [
                ndimage.median_filter(np.abs(plane), size=DETECTION.first_size)
                for plane in self.residual
            ]
        )
        self.probability = np.zeros_like(values)
        self.prediction = ring

    @property
    def n_linked(self) -> int:
        """How many other pictures predict each."""
        return len(self._links[0]) + (self._guides is not None)

    @property
    def flagged(self) -> Array:
        """True where a pixel is held to be corrupt, or is missing."""
        return (self.probability > DETECTION.threshold) | ~self.known

    def clear_flags(self) -> None:
        """Hold all known pixels to be clean."""
        self.probability = np.where(self.known, np.float32(0), np.float32(1))

    def draw_clean(self, share: float, rng: np.random.RandomState) -> Array:
        """Return a mask of some pixels that are not flagged, to hide them and predict them."""
        return (rng.random_sample(self.known.shape) < share) & ~self.flagged

    def step(self, mixture: Mixture) -> Statistics:
        """Go one round: flag, repair, predict anew; return the statistics."""
        self.probability = self._posterior(mixture)
        trust = 1 - self.probability
        smooth = _filled(self.values, trust**2 + DETECTION.least_fill_weight * self.known)
        repaired = trust * self.values + (1 - trust) * smooth
        repaired = self._pass(repaired, trust, mixture)[0]
        _, predictions = self._pass(repaired, trust, mixture)
        self.prediction = np.stack([_clipped(found.values) for found in predictions])
        self.residual = self.values - self.prediction
        size = np.abs(self.residual)
        self.local_scale = np.stack(
            [
                _mean_nearby(weight * plane)
                / (_mean_nearby(weight) + np.float32(DETECTION.scale_ridge))
                for weight, plane in zip(trust, size, strict=True)
            ]
        )
        own = self._own
        return Statistics.gather(
            self.values[own],
            self.known[own],
            self.probability[own],
            self.residual[own],
            self.local_scale[own],
            predictions,
        )

    def repaired(self, mixture: Mixture, replace: Array) -> Array:
        """Return the pictures with the pixels `replace` predicted from all the others."""
        trust = (~replace).astype(np.float32)
        repaired = np.where(replace, self.prediction, self.values)
        for _ in range(DETECTION.n_repairs):
            repaired = self._pass(repaired, trust, mixture)[0]
        return repaired

    def _posterior(self, mixture: Mixture) -> Array:
        """Return the probability that each pixel is corrupt; 1 where it is missing."""
        first = mixture.posterior(self.values, self.residual, self.local_scale)
        trusted = self.known & (first <= DETECTION.threshold)
        difference = np.stack(
            [third_smallest_difference(*pair) for pair in zip(self.values, trusted, strict=True)]
        )
        residual = np.minimum(np.abs(self.residual), np.float32(DETECTION.agreement) * difference)
        probability = mixture.posterior(self.values, residual, self.local_scale)
        return np.where(self.known, probability, np.float32(1))

    def _pass(
        self, repaired: Array, trust: Array, mixture: Mixture
    ) -> tuple[Array, list[Prediction]]:
        """Predict every pixel; return the values as far as trusted, else the predictions."""
        weights = np.maximum(trust**2, np.float32(DETECTION.least_weight))
        linked = [[repaired[other] for other in others] for others in self._links]
        if self._guides is not None:
            linked = [[*others, guide] for others, guide in zip(linked, self._guides, strict=True)]
        predictions = predict(repaired, weights, linked, mixture.coefficients)
        new = np.stack([_clipped(found.values) for found in predictions])
        return trust * self.values + (1 - trust) * new, predictions


def detect(regions: list[Region]) -> list[Mixture]:
    """Take regions of one picture through the rounds together.

    Parameters
    ----------
    regions : list of Region
        They are flagged in place.

    Returns
    -------
    list of Mixture
        The one that each round used, and the one that follows from the last.
    """
    mixtures = [Mixture.initial(regions[0].n_linked)]
    before = [region.flagged for region in regions]
    for turn in range(DETECTION.max_rounds):
        seen = [region.step(mixtures[-1]) for region in regions]
        after = [region.flagged for region in regions]
        changed = sum(int((a != b).sum()) for a, b in zip(after, before, strict=True))
        before = after
        statistics = sum(seen[1:], start=seen[0])
        mixtures.append(statistics.mixture())
        if turn and changed <= DETECTION.tol * statistics.n_known:
            break
    return mixtures


def _filled(values: Array, weights: Array) -> Array:
    return np.stack(
        [fill_gaps(plane, weight) for plane, weight in zip(values, weights, strict=True)]
    )


def _mean_nearby(plane: Array) -> Array:
    return ndimage.convolve(plane, _NEARBY, mode="reflect")


def _clipped(plane: Array) -> Array:
    return np.clip(plane, 0, WHITE)
