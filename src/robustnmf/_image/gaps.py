"""A smooth first guess for pixels that are not known, from those that are.

Normalised convolution: a blurred picture over its blurred weights, on coarser and coarser versions
of the picture where gaps are large.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from robustnmf._common.arrays import Array


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


def fill_gaps(values: Array, weights: Array) -> Array:
    """Return a local mean of the known pixels around each pixel, itself among them.

    Parameters
    ----------
    values : ndarray of shape (height, width)
        The picture; what lies under weight 0 does not matter, but must be finite.
    weights : ndarray of shape (height, width)
        How much each pixel counts, from 0 to 1.

    Returns
    -------
    ndarray of shape (height, width)
        Gaps of any size are filled: far from all known pixels, from smaller versions of the
        picture.

    Examples
    --------
    >>> import numpy as np
    >>> known = np.ones((9, 9)); known[1:8, 1:8] = 0
    >>> bool(np.allclose(fill_gaps(np.full((9, 9), 5.0), known), 5.0))
    True
    """
    total = _blur(weights * values)
    weight = _blur(weights)
    filled = total / np.maximum(weight, np.finfo(weight.dtype).tiny)
    far = weight < FILL.least_weight
    if far.any() and values.size > 1:
        # Halved by averaging squares of four, each by its weight.
        small_weight = _halve(weight)
        small = fill_gaps(
            _halve(total) / np.maximum(small_weight, np.finfo(weight.dtype).tiny),
            np.minimum(small_weight / FILL.least_weight, 1),
        )
        coarse = small.repeat(2, axis=0).repeat(2, axis=1)[: values.shape[0], : values.shape[1]]
        fine = np.minimum(weight / FILL.least_weight, 1)
        filled = np.where(far, fine * filled + (1 - fine) * coarse, filled)
    return filled


def _blur(picture: Array) -> Array:
    return ndimage.gaussian_filter(picture, FILL.sigma, radius=FILL.radius, mode="reflect")


def _halve(picture: Array) -> Array:
    height, width = picture.shape
    even = np.pad(picture, ((0, height % 2), (0, width % 2)), mode="edge")
    return (even[::2, ::2] + even[1::2, ::2] + even[::2, 1::2] + even[1::2, 1::2]) / 4
