"""The pictures of a stack, kept as they were given and turned into grey levels one at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._image.grey_levels import GreyScale


@dataclass(frozen=True)
class Pictures:
    """Some pictures of one size, each of one or more channels.

    Attributes
    ----------
    planes : ndarray of shape (n_pictures * n_channels, height, width)
        As given, in their own dtype: as floats they would take several times the memory.
    greys : GreyScale
        What grey levels they stand for.
    n_channels : int
        Planes of a picture.
    """

    planes: Array
    greys: GreyScale
    n_channels: int = 1

    def __len__(self) -> int:
        return len(self.planes) // self.n_channels

    @property
    def n_pixels(self) -> int:
        """Of a picture, those of each channel counted."""
        return self.planes[: self.n_channels].size

    def span(self, index: int) -> slice:
        """Return where the planes of a picture are."""
        return slice(index * self.n_channels, (index + 1) * self.n_channels)

    def grey(self, planes: slice | int) -> tuple[Array, Array]:
        """Return the grey levels of some planes, 0 where they are missing, and which are known."""
        grey = self.greys.to_grey(self.planes[planes])
        known = np.isfinite(grey)
        return np.where(known, grey, np.float32(0)), known
