"""The pictures of a stack, in little memory: grey levels are made of a few of them at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._image.grey_levels import GreyScale

Indices: TypeAlias = Sequence[int] | Array


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

    def planes_of(self, pictures: Indices) -> Array:
        """Return which planes those of some pictures are."""
        first = np.asarray(pictures)[:, None] * self.n_channels
        return (first + np.arange(self.n_channels)).ravel()

    def grey(self, planes: Array | int) -> tuple[Array, Array]:
        """Return the grey levels of some planes, 0 where they are missing, and which are known."""
        grey = self.greys.to_grey(self.planes[planes])
        known = np.isfinite(grey)
        return np.where(known, grey, np.float32(0)), known


class Flags:
    """Flags of all pixels of a stack, eight to a byte.

    Parameters
    ----------
    pictures : Pictures
        The stack.

    Examples
    --------
    >>> import numpy as np
    >>> stack = np.zeros((2, 3, 3), np.uint8)
    >>> flags = Flags(Pictures(stack, GreyScale.estimate(stack)))
    >>> flags.put([1], np.eye(3, dtype=bool)[None])
    >>> flags.at(np.array([0, 1, 8])).tolist()
    [[False, False, False], [True, False, True]]
    """

    def __init__(self, pictures: Pictures) -> None:
        self._bytes = np.zeros((len(pictures), -(-pictures.n_pixels // 8)), np.uint8)

    @classmethod
    def of(cls, pictures: Pictures, flagged: Array) -> Flags:
        """Pack a mask of the shape of the planes."""
        flags = cls(pictures)
        flags.put(range(len(pictures)), flagged)
        return flags

    def put(self, pictures: Indices, flagged: Array) -> None:
        """Set the flags of some pictures by a mask of their planes."""
        for index, mask in zip(pictures, flagged.reshape(len(pictures), -1), strict=True):
            self._bytes[index] = np.packbits(mask)

    def at(self, pixels: Array) -> Array:
        """Return the flags of some pixels, of all pictures; (n_pictures, n)."""
        shifts = (7 - pixels % 8).astype(np.uint8)
        return ((self._bytes[:, pixels // 8] >> shifts) & 1).astype(bool)
