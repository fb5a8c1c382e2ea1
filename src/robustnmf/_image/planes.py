"""Images of any kind as flat pictures that help each other: channels, slices, bands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from robustnmf._fitting.parameters import check_positive
from robustnmf._image.belief import WHITE

Array = NDArray[Any]

# So many channels all help each other; of more, only the next ones do.
_FEW_CHANNELS = 4
_HEADROOM = 0.1
_STRIP = 2**20


def to_planes(
    image: Array, channel_axis: int | None, *, slices_help: bool = True
) -> tuple[Array, list[list[int]]]:
    """View an image as pictures (n, height, width), and say which of them may help which.

    Parameters
    ----------
    image : ndarray
        The last two axes, apart from that of the channels, are rows and columns.
    channel_axis : int or None
        Which axis holds channels.
    slices_help : bool, default=True
        Whether slices are neighbours; pictures of a stack are not.

    Returns
    -------
    planes : ndarray of shape (n, height, width)
    links : list of lists of int
        For each picture, others; the same number for each.
    """
    if channel_axis is None:
        lead = image.shape[:-2]
        channels = 1
        moved = image
    else:
        if not -image.ndim <= channel_axis < image.ndim:
            raise ValueError(
                f"channel_axis={channel_axis} is no axis of an image of shape {image.shape}"
            )
        if image.ndim < 3:
            raise ValueError(
                f"channel_axis={channel_axis}, but an image of shape {image.shape} has no "
                "channels beside rows and columns: pass channel_axis=None"
            )
        # Slices first, then channels, then rows and columns.
        moved = np.moveaxis(image, channel_axis, -3)
        channels = moved.shape[-3]
        lead = moved.shape[:-3]
    slices = int(np.prod(lead, dtype=int))
    planes = moved.reshape(slices * channels, *moved.shape[-2:])
    links = []
    for z in range(slices):
        for c in range(channels):
            if channels > _FEW_CHANNELS:
                near = _next_to(c, channels)
            else:
                near = [other for other in range(channels) if other != c]
            across = _next_to(z, slices) if slices_help else []
            links.append([z * channels + o for o in near] + [o * channels + c for o in across])
    return planes, links


def from_planes(planes: Array, shape: tuple[int, ...], channel_axis: int | None) -> Array:
    """Turn pictures back into an image of this shape."""
    if channel_axis is None:
        return planes.reshape(shape)
    axis = channel_axis % len(shape)
    rest = [length for place, length in enumerate(shape) if place != axis]
    moved = planes.reshape(*rest[:-2], shape[axis], *rest[-2:])
    return np.ascontiguousarray(np.moveaxis(moved, -3, axis))


def _next_to(place: int, length: int) -> list[int]:
    """Return the two places next to this one; at an end, the only one twice."""
    if length == 1:
        return []
    before, after = place - 1, place + 1
    return [before if before >= 0 else after, after if after < length else before]


@dataclass(frozen=True)
class Units:
    """Between the numbers of an image and grey levels from 0 to 255.

    Attributes
    ----------
    black : float
        The number that is level 0; anything below is level 0, too.
    level : float
        How much one grey level is.
    low, high : float
        The numbers between which the image itself lies, single pixels apart.
    dtype : dtype
        Of the image.
    """

    black: float
    level: float
    low: float
    high: float
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, planes: Array, data_range: float | None = None, dtype: Any = None) -> Units:
        """Tell black and white from a picture, without trusting single pixels.

        Eight-bit pictures reach from 0 to 255 by convention. Other pictures reach as far as a
        median filter leaves them: a single hot pixel must not make all others look alike.
        """
        # Integers with gaps come as floats, and are to be integers again.
        dtype = planes.dtype if dtype is None else np.dtype(dtype)
        if data_range is not None:
            check_positive("data_range", data_range, "It is the distance from black to white.")
        if dtype == np.uint8 and data_range is None:
            return cls(0.0, 1.0, 0.0, float(WHITE), dtype)
        low, high = _range(planes)
        span = (high - low) if data_range is None else data_range
        # What lies outside must differ from what is white, hence the headroom.
        level = (1 + 2 * _HEADROOM) * span / WHITE
        if dtype.kind in "ui":
            # Finer than whole numbers means nothing.
            level = max(level, 1.0)
        level = level or 1.0
        return cls(low - _HEADROOM * span, level, low, high, dtype)

    def grey(self, planes: Array) -> Array:
        """Return grey levels; NaN stays."""
        scaled = (planes.astype(np.float64) - self.black) / self.level
        return np.clip(scaled, 0, WHITE).astype(np.float32)

    def floats(self, grey: Array) -> Array:
        """Return numbers on the image's scale, as floats."""
        values = grey.astype(np.float64) * self.level + self.black
        return np.clip(values, self.low, self.high).astype(np.float32)

    def back(self, grey: Array) -> Array:
        """Return numbers of the image's own kind."""
        values = np.clip(grey.astype(np.float64) * self.level + self.black, self.low, self.high)
        return (np.rint(values) if self.dtype.kind in "ui" else values).astype(self.dtype)


def _range(planes: Array) -> tuple[float, float]:
    """Return the least and the largest number that a median filter leaves."""
    low, high = np.inf, -np.inf
    # A strip at a time: the filter needs some copies.
    for plane in planes:
        rows = max(16, _STRIP // plane.shape[1])
        for top in range(0, plane.shape[0], rows):
            strip = plane[max(0, top - 1) : top + rows + 1].astype(np.float64)
            known = np.isfinite(strip)
            if known.any():
                # Missing pixels take a value that is there, and so cannot widen the range.
                usual = np.median(strip[known])
                smooth = ndimage.median_filter(np.where(known, strip, usual), 3)
                low, high = min(low, smooth.min()), max(high, smooth.max())
    return float(low), float(high)
