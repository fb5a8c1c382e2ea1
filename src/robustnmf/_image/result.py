"""What the functions for images return when asked for details."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robustnmf._common.arrays import Array


@dataclass(frozen=True)
class Denoised:
    """A restored image and what was wrong with it.

    Attributes
    ----------
    image : ndarray
        The restored image, of the shape and dtype of the one given.
    mask : ndarray of bool
        True where a pixel was corrupt or missing, and so was replaced.
    measured : ndarray
        The image as it was given.
    """

    image: Array
    mask: Array
    measured: Array

    @property
    def noise(self) -> Array:
        """What was measured less what was put in its place; 0 where nothing was, or a gap was."""
        # The kind of float that holds every value of the image.
        dtype = np.result_type(self.image.dtype, np.float32)
        known = self.mask & np.isfinite(np.ma.getdata(self.measured))
        known &= ~np.ma.getmaskarray(self.measured)
        noise = np.zeros(self.image.shape, dtype=dtype)
        noise[known] = np.ma.getdata(self.measured)[known].astype(dtype) - self.image[known]
        return noise
