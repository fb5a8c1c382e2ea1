"""Grey levels: whatever the range of an image, the work is done on levels from 0 to 255."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.checks import check_positive
from robustnmf._common.levels import WHITE_HINT
from robustnmf._image.filters import median_filter
from robustnmf._image.tiles import TILING

WHITE = 255
# Levels kept free below black and above white, as a share of the range: a value outside of the
# range of an image must not look like its black or white.
_HEADROOM = 0.1


@dataclass(frozen=True)
class GreyScale:
    """How the numbers of an image become grey levels from 0 to 255, and back.

    Attributes
    ----------
    black : float
        The number that becomes 0.
    step : float
        From one grey level to the next.
    low, high : float
        The range within which repaired pixels must lie.
    dtype : dtype
        Of the image.
    """

    black: float
    step: float
    low: float
    high: float
    dtype: np.dtype[Any]

    @classmethod
    def estimate(cls, planes: Any, data_range: float | None = None, dtype: Any = None) -> GreyScale:
        """Tell black and white from an image, without trusting single pixels.

        Eight-bit images reach from 0 to 255 by convention. Others reach as far as a median filter
        leaves them: a single hot pixel must not make all others look alike.

        Parameters
        ----------
        planes : ndarray of shape (n, height, width), or iterator of ndarray (height, width)
            The image; NaN is missing.
        data_range : float, default=None
            Distance from black to white, where it is known.
        dtype : dtype, default=None
            Of the image, where that of `planes` is another (integers with gaps come as floats), or
            planes come one by one.
        """
        dtype = np.dtype(planes.dtype if dtype is None else dtype)
        if data_range is not None:
            check_positive("data_range", data_range, WHITE_HINT)
        if dtype == np.uint8 and data_range is None:
            return cls(0.0, 1.0, 0.0, float(WHITE), dtype)
        low, high = _robust_range(planes)
        span = (high - low) if data_range is None else data_range
        step = (1 + 2 * _HEADROOM) * span / WHITE
        if dtype.kind in "ui":
            # Finer than whole numbers means nothing.
            step = max(step, 1.0)
        # An image of one value has no range, and any step will do.
        return cls(low - _HEADROOM * span, step or 1.0, low, high, dtype)

    def to_grey(self, planes: Array) -> Array:
        """Return grey levels; NaN stays."""
        if self.black == 0 and self.step == 1 and planes.dtype == np.uint8:
            # Channels come interleaved; each is to lie by itself.
            return planes.astype(np.float32, order="C")
        scaled = planes - np.float64(self.black)
        scaled /= self.step
        return np.clip(scaled, 0, WHITE, out=scaled).astype(np.float32, order="C")

    def to_floats(self, grey: Array) -> Array:
        """Return numbers in the range of the image, as float32."""
        return self._numbers(grey).astype(np.float32)

    def to_image(self, grey: Array) -> Array:
        """Return numbers in the range and of the dtype of the image."""
        values = self._numbers(grey)
        return (np.rint(values) if self.dtype.kind in "ui" else values).astype(self.dtype)

    def _numbers(self, grey: Array) -> Array:
        return np.clip(grey.astype(np.float64) * self.step + self.black, self.low, self.high)


def level_index(values: Array) -> Array:
    """Return the grey level of each value, as an index from 0 to 255."""
    return np.clip(np.rint(values), 0, WHITE).astype(np.intp)


def _robust_range(planes: Iterable[Array]) -> tuple[float, float]:
    """Return the least and the largest number that a median filter leaves."""
    low, high = np.inf, -np.inf
    # A strip at a time: the filter needs some copies.
    for plane in planes:
        rows = max(16, TILING.largest_whole // plane.shape[1])
        for top in range(0, plane.shape[0], rows):
            strip = plane[max(0, top - 1) : top + rows + 1].astype(np.float64)
            known = np.isfinite(strip)
            if known.any():
                # Missing pixels take a value that is there, and so cannot widen the range.
                median = np.median(strip[known])
                smooth = median_filter(np.where(known, strip, median)[None], 3)
                low, high = min(low, smooth.min()), max(high, smooth.max())
    return float(low), float(high)
