"""A smooth first guess for pixels that are not known, from those that are.

Normalised convolution: a blurred picture over its blurred weights, on coarser and coarser versions
of the picture where gaps are large.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._image.filters import blur


@dataclass(frozen=True)
class FillSettings:
    """Constants of the first guess.

    Chosen on the seven development photographs of the study of pictures (``robustnmf reproduce
    images``, docs/images.md).

    Attributes
    ----------
    sigma, radius : float, int
        Standard deviation and reach of the blur, in pixels.
    least_weight : float
        Below this blurred weight no known pixel is near, and the coarser picture takes over.
    """

    sigma: float = 0.8
    radius: int = 3
    least_weight: float = 0.02


FILL = FillSettings()


def gaussian(sigma: float, radius: int) -> Array:
    """Return the weights of a Gaussian, as far as it is to reach; the largest is 1."""
    steps = np.arange(-radius, radius + 1)
    return np.exp(-0.5 * (steps / sigma) ** 2).astype(np.float32)


_TAPS = gaussian(FILL.sigma, FILL.radius)
_TAPS /= _TAPS.sum()


def fill_gaps(values: Array, weights: Array) -> Array:
    """Return a local mean of the known pixels around each pixel, itself among them.

    Parameters
    ----------
    values : ndarray of float32, shape (n, height, width)
        The pictures; what lies under weight 0 does not matter, but must be finite.
    weights : ndarray of float32, same shape
        How much each pixel counts, from 0 to 1.

    Returns
    -------
    ndarray of float32, same shape
        Gaps of any size are filled: far from all known pixels, from smaller versions of the
        picture.

    Examples
    --------
    >>> import numpy as np
    >>> known = np.ones((1, 9, 9), dtype=np.float32); known[0, 1:8, 1:8] = 0
    >>> bool(np.allclose(fill_gaps(np.full_like(known, 5), known), 5))
    True
    """
    total = blur(weights * values, _TAPS)
    weight = blur(weights, _TAPS)
    filled = total / np.maximum(weight, np.finfo(weight.dtype).tiny)
    far = weight < FILL.least_weight
    if far.any() and max(values.shape[1:]) > 1:
        # Halved by averaging squares of four, each by its weight.
        small_weight = _halve(weight)
        small = fill_gaps(
            _halve(total) / np.maximum(small_weight, np.finfo(weight.dtype).tiny),
            np.minimum(small_weight / FILL.least_weight, 1),
        )
        _, height, width = values.shape
        coarse = small.repeat(2, axis=1).repeat(2, axis=2)[:, :height, :width]
        fine = np.minimum(weight / FILL.least_weight, 1)
        filled = np.where(far, fine * filled + (1 - fine) * coarse, filled)
    return filled


def _halve(planes: Array) -> Array:
    _, height, width = planes.shape
    even = np.pad(planes, ((0, 0), (0, height % 2), (0, width % 2)), mode="edge")
    upper, lower = even[:, ::2], even[:, 1::2]
    total = upper[..., ::2] + lower[..., ::2] + upper[..., 1::2] + lower[..., 1::2]
    return total / np.float32(4)
