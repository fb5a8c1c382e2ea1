"""Is a pixel corrupt? The odds, from what was learned of the picture so far.

A clean pixel differs from its prediction by as much as its surroundings do, now and then by far
more: Student's t with three degrees of freedom, as wide as the local deviations. A corrupt pixel
has a value that tells nothing of the prediction: its density is that of the values of all corrupt
pixels, in which black and white may be far more frequent than others. Bayes' rule gives the odds.
How many pixels are corrupt, which values they have and how wide the deviations are is learned from
the picture itself, in rounds: these are the beliefs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from robustnmf._image.neighbours import Prediction, first_coefficients

Array = NDArray[Any]

WHITE = 255
_FREEDOM = 3.0
_LOG_T = math.lgamma((_FREEDOM + 1) / 2) - math.lgamma(_FREEDOM / 2)
_LOG_T -= 0.5 * math.log(_FREEDOM * math.pi)
# The least deviation that is expected anywhere: measured values are rounded, at the least.
LEAST_DEVIATION = 1.5
# Deviations up to this many grey levels are no impulses, whatever the odds say.
SMALL = 10.0
# A value more frequent than this many times its surroundings, among corrupt pixels, stands alone.
_ATOM = 5.0
_SMOOTHING = 12.0
# Deviations in multiples of the local one, in logarithmic classes from 1/1000 to 1000.
_CLASSES = np.geomspace(1e-3, 1e3, 241)
_MIDDLES = np.sqrt(_CLASSES[1:] * _CLASSES[:-1])


@dataclass(frozen=True)
class Belief:
    """What is held to be true of all pixels of a picture.

    Attributes
    ----------
    share : float
        Of corrupt pixels.
    log_density : ndarray of shape (256,)
        Logarithm of the share of each grey level among corrupt pixels.
    width : float
        Of the deviations of clean pixels, in units of those around them.
    coefficients : ndarray of shape (K,)
        With which neighbours predict a pixel of this picture.
    """

    share: float
    log_density: Array
    width: float
    coefficients: Array

    @classmethod
    def first(cls, n_linked: int) -> Belief:
        """What is believed before the picture was looked at."""
        even = np.full(WHITE + 1, -math.log(WHITE + 1))
        return cls(0.1, even, 1.0, first_coefficients(n_linked))

    def corrupt(self, values: Array, deviation: Array, activity: Array) -> Array:
        """Return the probability that each pixel is corrupt.

        Parameters
        ----------
        values : ndarray of float32
            Pixels, from 0 to 255.
        deviation : ndarray
            How far each is from its prediction.
        activity : ndarray
            How far the pixels around it are from theirs.
        """
        scale = self.width * (activity + LEAST_DEVIATION)
        log_clean = _LOG_T - np.log(scale)
        log_clean -= (_FREEDOM + 1) / 2 * np.log1p((deviation / scale) ** 2 / _FREEDOM)
        log_odds = math.log(self.share / (1 - self.share)) - log_clean
        log_odds += self.log_density.astype(np.float32)[levels(values)]
        found = 1 / (1 + np.exp(np.clip(-log_odds, -50, 50)))
        return (found * np.minimum(np.abs(deviation) / SMALL, 1) ** 2).astype(np.float32)


def levels(values: Array) -> Array:
    """Return the grey level of each value, as an index."""
    return np.clip(np.rint(values), 0, WHITE).astype(np.intp)


@dataclass
class Evidence:
    """What a round saw, in sums that add up over the parts of a picture."""

    known: float
    corrupt: float
    grey: Array
    deviations: Array
    products: Array
    target: Array

    @classmethod
    def gather(
        cls,
        values: Array,
        known: Array,
        corrupt: Array,
        deviation: Array,
        activity: Array,
        predictions: list[Prediction],
    ) -> Evidence:
        """Sum up what one part of the picture says."""
        probability = corrupt[known].astype(np.float64)
        relative = np.abs(deviation[known]) / (activity[known] + LEAST_DEVIATION)
        return cls(
            float(known.sum()),
            float(probability.sum()),
            np.bincount(levels(values[known]), weights=probability, minlength=WHITE + 1),
            np.histogram(
                np.clip(relative, _CLASSES[0], _CLASSES[-1]), _CLASSES, weights=1 - probability
            )[0],
            np.sum([found.products for found in predictions], axis=0),
            np.sum([found.target for found in predictions], axis=0),
        )

    def __add__(self, other: Evidence) -> Evidence:
        return Evidence(
            self.known + other.known,
            self.corrupt + other.corrupt,
            self.grey + other.grey,
            self.deviations + other.deviations,
            self.products + other.products,
            self.target + other.target,
        )

    def belief(self) -> Belief:
        """Return what follows from the evidence."""
        K = len(self.target)
        # A hundredth of a squared grey level keeps a flat picture from dividing by nothing.
        hold = 0.01 * max(self.known, 1.0)
        prior = first_coefficients(K - len(first_coefficients(0)))
        return Belief(
            min(0.6, max(self.corrupt / max(self.known, 1), 1e-4)),
            _log_density(self.grey),
            _width(self.deviations),
            np.linalg.solve(self.products + hold * np.eye(K), self.target + hold * prior),
        )


def _log_density(grey: Array) -> Array:
    """Smooth the values of corrupt pixels, but for those that stand alone."""
    total = grey.sum()
    smooth = ndimage.gaussian_filter1d(grey, _SMOOTHING, mode="reflect")
    alone = np.where(grey > _ATOM * smooth + 0.01 * total, grey, 0)
    rest = ndimage.gaussian_filter1d(grey - alone, _SMOOTHING, mode="reflect")
    # Some of the rest is spread evenly, and one pixel of each level assumed: nothing is impossible.
    density = alone + 0.7 * rest + 0.3 * rest.mean() + 1
    return np.log(density / density.sum())


def _width(deviations: Array) -> float:
    """Fit the width of Student's t to the classes of deviations (EM)."""
    total = deviations.sum()
    width = 1.0
    for _ in range(20):
        squares = (_MIDDLES / width) ** 2
        weight = (_FREEDOM + 1) / (_FREEDOM + squares)
        width = math.sqrt((deviations * weight * _MIDDLES**2).sum() / max(total, 1e-9))
    return max(width, 0.1)
