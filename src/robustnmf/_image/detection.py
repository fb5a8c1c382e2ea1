"""Detect and repair in rounds: a better picture shows more noise, and without it gets better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._image.agreement import third_smallest_difference
from robustnmf._image.filters import blur, median_filter
from robustnmf._image.gaps import fill_gaps, gaussian
from robustnmf._image.grey_levels import WHITE
from robustnmf._image.mixture import Mixture, Statistics
from robustnmf._image.neighbours import predict, whole_equations


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
    n_followed : int
        The most rounds in which a part of a picture takes what other parts have taught at last.
    threshold : float
        Probability above which a pixel is flagged.
    negligible : float
        A pixel with less is taken as it is: nothing is worked out for it alone.
    agreement : float
        A residual counts as no more than this many times the pixel's third smallest difference from
        its trusted neighbours.
    least_weight : float
        Even a pixel that is surely corrupt counts so much as an example to learn coefficients from,
        at its repaired value.
    least_fill_weight : float
        The same in the first guess, at its measured value: where all are corrupt, these are all
        there is.
    much_corruption : float
        From this share of corrupt pixels on, two rounds are not enough for a stack's picture.
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
    n_followed: int = 3
    threshold: float = 0.5
    negligible: float = 1e-3
    agreement: float = 3.0
    least_weight: float = 0.02
    least_fill_weight: float = 1e-4
    much_corruption: float = 0.12
    first_scale: float = 1.5
    first_size: int = 5
    scale_sigma: float = 1.5
    scale_radius: int = 3
    scale_ridge: float = 1e-3


DETECTION = DetectionSettings()

_NEARBY = gaussian(DETECTION.scale_sigma, DETECTION.scale_radius)


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
        if not known.all():
            values = np.where(known, values, fill_gaps(values, known.astype(np.float32)))
        self.values = values
        around = median_filter(values, 3, ring=True)
        self.residual = values - around
        # Half of the residuals are below their median, and it is small where most are tiny.
        size = median_filter(np.abs(self.residual), DETECTION.first_size)
        self.local_scale = np.float32(DETECTION.first_scale) * size
        self.probability = np.zeros_like(values)
        self.prediction = around

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

    def flag(self, mixture: Mixture) -> None:
        """Begin a round: judge pixels by what the round before has predicted."""
        self.probability = self._posterior(mixture)

    def predict(self, mixture: Mixture) -> Array:
        """End a round: repair and predict anew; return the picture that predicts."""
        trust = 1 - self.probability
        weights = trust * trust
        smooth = fill_gaps(
            self.values, weights + np.float32(DETECTION.least_fill_weight) * self.known
        )
        repaired = self.values + self.probability * (smooth - self.values)
        doubtful = self.probability > DETECTION.negligible
        repaired = self._repair(repaired, trust, doubtful, mixture)
        self.prediction = self._predict(repaired, trust, mixture)
        self.residual = self.values - self.prediction
        self.local_scale = _mean_nearby(np.abs(self.residual), trust)
        return repaired

    def follow(self, mixtures: list[Mixture]) -> None:
        """Go through the rounds of another region of the picture, in less time than it took.

        What the picture is like need not be found out again: after two rounds as they were, those
        that follow take what was known in the end, until flags hardly change. The last one need not
        predict.
        """
        for mixture in mixtures[:2]:
            self.flag(mixture)
            self.predict(mixture)
        for left in reversed(range(DETECTION.n_followed)):
            before = self.flagged
            self.flag(mixtures[-1])
            changed = (self.flagged != before).sum()
            if not left or changed <= DETECTION.tol * before.size:
                break
            self.predict(mixtures[-1])

    def glance(self, mixtures: list[Mixture]) -> None:
        """Go through the rounds roughly: two are enough unless much is corrupt."""
        if mixtures[-1].corruption > DETECTION.much_corruption:
            self.follow(mixtures)
        else:
            self.flag(mixtures[0])
            self.predict(mixtures[0])
            self.flag(mixtures[-1])

    def statistics(self, repaired: Array) -> Statistics:
        """Return the statistics of the round that predicted from this picture."""
        own = self._own
        weights = _weights(1 - self.probability)
        return Statistics.gather(
            self.values[own],
            self.known[own],
            self.probability[own],
            self.residual[own],
            self.local_scale[own],
            whole_equations(repaired, weights, self._links, self._guides),
        )

    def predicted_without(self, mixture: Mixture, hidden: Array) -> Array:
        """Return the pictures with the pixels `hidden` predicted from all the others."""
        guess = np.where(hidden, self.prediction, self.values)
        return self._repair(guess, (~hidden).astype(np.float32), hidden, mixture)

    def repaired(self, mixture: Mixture, replace: Array) -> Array:
        """Return the pictures with the pixels `replace` replaced.

        By the mean of what was predicted in the rounds and of what is now: each has errors of its
        own. Where other pictures predict as well, they got better since, and the last is the best.
        """
        last = self.predicted_without(mixture, replace)
        if self.n_linked:
            return last
        return np.where(replace, (self.prediction + last) / 2, self.values)

    def _posterior(self, mixture: Mixture) -> Array:
        """Return the probability that each pixel is corrupt; 1 where it is missing."""
        size = np.abs(self.residual)
        first = mixture.posterior(self.values, size, self.local_scale)
        trusted = self.known & (first <= DETECTION.threshold)
        # A smaller residual can only make a pixel less likely to be corrupt.
        difference = third_smallest_difference(self.values, trusted)
        size = np.minimum(size, np.float32(DETECTION.agreement) * difference)
        probability = mixture.posterior(self.values, size, self.local_scale)
        probability[~self.known] = 1
        return probability

    def _repair(self, repaired: Array, trust: Array, doubtful: Array, mixture: Mixture) -> Array:
        """Return the values as far as they are trusted, else what the neighbours predict."""
        new = self._predict(repaired, trust, mixture, doubtful)
        return np.where(doubtful, new + trust * (self.values - new), repaired)

    def _predict(
        self, repaired: Array, trust: Array, mixture: Mixture, wanted: Array | None = None
    ) -> Array:
        found = predict(
            repaired, _weights(trust), self._links, mixture.coefficients, self._guides, wanted
        )
        return np.clip(found, 0, WHITE, out=found)


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
        seen = []
        for region in regions:
            region.flag(mixtures[-1])
            seen.append(region.statistics(region.predict(mixtures[-1])))
        after = [region.flagged for region in regions]
        changed = sum(int((a != b).sum()) for a, b in zip(after, before, strict=True))
        before = after
        statistics = sum(seen[1:], start=seen[0])
        mixtures.append(statistics.mixture())
        if turn and changed <= DETECTION.tol * statistics.n_known:
            break
    return mixtures


def _weights(trust: Array) -> Array:
    """Return how much pixels count as examples to learn coefficients from."""
    return np.maximum(trust * trust, np.float32(DETECTION.least_weight))


def _mean_nearby(planes: Array, weights: Array) -> Array:
    """Return the weighted mean of the pixels around each, itself left out."""
    total = blur(weights * planes, _NEARBY) - weights * planes
    weight = blur(weights, _NEARBY) - weights
    # The weights of all pixels around one add up to so much.
    around = np.float32(_NEARBY.sum() ** 2 - 1)
    return np.maximum(total, 0) / (weight + around * np.float32(DETECTION.scale_ridge))
