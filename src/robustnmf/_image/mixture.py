"""Is a pixel corrupt? A mixture of clean and corrupt pixels, fitted to the picture itself.

A clean pixel differs from its prediction by as much as its surroundings do, now and then by far
more: its residual follows Student's t with three degrees of freedom, scaled by the local residuals.
A corrupt pixel has a value that tells nothing of the prediction: its density is that of the values
of all corrupt pixels, in which black and white may be far more frequent than others. Bayes' rule
gives the posterior probability. How many pixels are corrupt, which values they have and how wide
the residuals are is learned from the picture, in rounds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from robustnmf._common.arrays import Array
from robustnmf._image.grey_levels import WHITE
from robustnmf._image.neighbours import Equations, initial_coefficients
from robustnmf._kernels.jit import jit


@dataclass(frozen=True)
class MixtureSettings:
    """Constants of the mixture of clean and corrupt pixels.

    Chosen on the seven development photographs of the study of pictures, with other noise than it
    measures; the study shows the other five photographs apart (``robustnmf reproduce images``,
    docs/images.md).

    Attributes
    ----------
    scale_floor : float
        Grey levels added to the local scale: measured values are rounded, at the least.
    smallest_impulse : float
        Grey levels: below, the probability falls with the square of the residual, because a smaller
        deviation is no impulse whatever the odds say.
    first_corruption : float
        Share of corrupt pixels assumed at first.
    least_corruption, most_corruption : float
        Limits of what the later rounds may learn; they keep the logarithm of the odds finite.
    atom_ratio, atom_share : float
        A grey level is an atom (black and white, as a rule) if its frequency among corrupt pixels
        exceeds this many times the smoothed frequency and this share of all.
    smoothing : float
        Standard deviation, in grey levels, with which the other frequencies are smoothed.
    uniform_share : float
        How much of these is spread evenly over all levels.
    least_scale : float
        Of Student's t, in units of the local scale.
    n_em : int
        Iterations of EM for that scale.
    ridge : float
        Squared grey levels for each pixel by which the picture's coefficients are held to the
        initial ones, so that a flat picture does not divide by nothing.
    """

    scale_floor: float = 1.5
    smallest_impulse: float = 10.0
    first_corruption: float = 0.1
    least_corruption: float = 1e-4
    most_corruption: float = 0.6
    atom_ratio: float = 5.0
    atom_share: float = 0.01
    smoothing: float = 12.0
    uniform_share: float = 0.3
    least_scale: float = 0.1
    n_em: int = 20
    ridge: float = 0.01


MIXTURE = MixtureSettings()

# Degrees of freedom of Student's t. With three, its density is 1 / (1 + z² / 3)², up to a constant:
# odds are had by products alone.
_NU = 3
_T_AT_ZERO = 2 / (math.pi * math.sqrt(3))
# Absolute residuals over the local scale are counted by the leading bits of their single-precision
# numbers: sixteen bins for each power of two, between these two powers.
_BITS, _LOWEST, _HIGHEST = 19, -10, 10
_FIRST_BIN = int(np.float32(2.0**_LOWEST).view(np.int32)) >> _BITS
_N_BINS = 16 * (_HIGHEST - _LOWEST)
_BIN_EDGES = ((np.arange(_N_BINS + 1) + _FIRST_BIN) << _BITS).astype(np.int32).view(np.float32)
_BIN_CENTRES = np.sqrt(_BIN_EDGES[1:].astype(np.float64) * _BIN_EDGES[:-1])


@dataclass(frozen=True)
class Mixture:
    """What one round holds to be true of all pixels of a picture.

    Attributes
    ----------
    corruption : float
        Share of corrupt pixels.
    log_density : ndarray of shape (256,)
        Logarithm of the share of each grey level among corrupt pixels.
    scale : float
        Of the residuals of clean pixels, in units of the local scale.
    coefficients : ndarray of shape (K,)
        With which neighbours predict a pixel of this picture.
    """

    corruption: float
    log_density: Array
    scale: float
    coefficients: Array

    @classmethod
    def initial(cls, n_linked: int) -> Mixture:
        """Return what is assumed before anything is known of the picture."""
        uniform = np.full(WHITE + 1, -math.log(WHITE + 1))
        return cls(MIXTURE.first_corruption, uniform, 1.0, initial_coefficients(n_linked))

    def posterior(self, values: Array, residual: Array, local_scale: Array) -> Array:
        """Return the probability that each pixel is corrupt.

        Parameters
        ----------
        values : ndarray of float32
            Pixels, from 0 to 255.
        residual : ndarray of float32
            How far each is from its prediction.
        local_scale : ndarray of float32
            How far the pixels around it are from theirs.
        """
        odds = self.corruption / (1 - self.corruption) / _T_AT_ZERO * np.exp(self.log_density)
        out = np.empty(values.size, np.float32)
        _posterior(
            values.ravel(),
            residual.ravel(),
            local_scale.ravel(),
            odds.astype(np.float32),
            np.float32(self.scale),
            np.float32(MIXTURE.scale_floor),
            np.float32(MIXTURE.smallest_impulse),
            out,
        )
        return out.reshape(values.shape)


@dataclass
class Statistics:
    """Sufficient statistics of a round, as sums that add up over the parts of a picture.

    Attributes
    ----------
    n_known, n_corrupt : float
        Known pixels, and the sum of their probabilities of being corrupt.
    corrupt_levels : ndarray of shape (256,)
        Corrupt pixels by their grey level.
    clean_residuals : ndarray of shape (n_bins,)
        Clean pixels by their absolute residual over the local scale.
    products, target : ndarray of shape (K, K) and (K,)
        Normal equations of the coefficients of the whole picture.
    """

    n_known: float
    n_corrupt: float
    corrupt_levels: Array
    clean_residuals: Array
    products: Array
    target: Array

    @classmethod
    def gather(
        cls,
        values: Array,
        known: Array,
        probability: Array,
        residual: Array,
        local_scale: Array,
        equations: Equations,
    ) -> Statistics:
        """Sum up one part of the picture."""
        relative = np.abs(residual) / (local_scale + np.float32(MIXTURE.scale_floor))
        bins = (relative.view(np.int32) >> _BITS) - _FIRST_BIN
        levels, residuals = np.zeros(WHITE + 1), np.zeros(_N_BINS)
        _tally(
            values.ravel(),
            known.ravel(),
            probability.ravel(),
            bins.ravel(),
            levels,
            residuals,
        )
        return cls(
            float(known.sum()),
            float(levels.sum()),
            levels,
            residuals,
            *equations,
        )

    def __add__(self, other: Statistics) -> Statistics:
        return Statistics(
            self.n_known + other.n_known,
            self.n_corrupt + other.n_corrupt,
            self.corrupt_levels + other.corrupt_levels,
            self.clean_residuals + other.clean_residuals,
            self.products + other.products,
            self.target + other.target,
        )

    def mixture(self) -> Mixture:
        """Return the mixture that fits these statistics."""
        K = len(self.target)
        ridge = MIXTURE.ridge * max(self.n_known, 1.0)
        prior = initial_coefficients(K - len(initial_coefficients(0)))
        corruption = max(self.n_corrupt / max(self.n_known, 1), MIXTURE.least_corruption)
        return Mixture(
            min(MIXTURE.most_corruption, corruption),
            _log_density(self.corrupt_levels),
            _scale(self.clean_residuals),
            np.linalg.solve(self.products + ridge * np.eye(K), self.target + ridge * prior),
        )


@jit
def _posterior(
    values: Array,
    residual: Array,
    local_scale: Array,
    odds: Array,
    scale: np.float32,
    floor: np.float32,
    smallest: np.float32,
    out: Array,
) -> None:
    one = np.float32(1)
    for i in range(out.shape[0]):
        r = abs(residual[i])
        s = scale * (local_scale[i] + floor)
        z = r / s
        heavier = one + z * z / np.float32(_NU)
        odd = odds[int(values[i] + np.float32(0.5))] * s * heavier * heavier
        size = r / smallest
        size = size if size < one else one
        out[i] = odd / (one + odd) * size * size


@jit
def _tally(
    values: Array, known: Array, probability: Array, bins: Array, levels: Array, residuals: Array
) -> None:
    """Count corrupt pixels by their level, and clean ones by their residual."""
    last = residuals.shape[0] - 1
    for i in range(values.shape[0]):
        if known[i]:
            p = probability[i]
            levels[int(values[i] + np.float32(0.5))] += p
            at = min(max(bins[i], 0), last)
            residuals[at] += 1 - p


def _log_density(counts: Array) -> Array:
    """Smooth the frequencies of corrupt grey levels, apart from atoms."""
    total = counts.sum()
    smooth = _smoothed(counts)
    is_atom = counts > MIXTURE.atom_ratio * smooth + MIXTURE.atom_share * total
    atoms = np.where(is_atom, counts, 0)
    rest = _smoothed(counts - atoms)
    even = MIXTURE.uniform_share
    # One pixel of each level is assumed: no value is impossible.
    density = atoms + (1 - even) * rest + even * rest.mean() + 1
    return np.log(density / density.sum())


def _smoothed(counts: Array) -> Array:
    return ndimage.gaussian_filter1d(counts, MIXTURE.smoothing, mode="reflect")


def _scale(counts: Array) -> float:
    """Fit the scale of Student's t to binned residuals (EM)."""
    total = counts.sum()
    scale = 1.0
    for _ in range(MIXTURE.n_em):
        weight = (_NU + 1) / (_NU + (_BIN_CENTRES / scale) ** 2)
        scale = math.sqrt((counts * weight * _BIN_CENTRES**2).sum() / max(total, 1e-9))
    return max(scale, MIXTURE.least_scale)
