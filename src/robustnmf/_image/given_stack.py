"""A stack as it was given: an array in memory, or pictures that lie elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._engines import flattened, lies_elsewhere
from robustnmf._engines.kept import room
from robustnmf._image.checks import check_image, check_kind, check_values, looks_like_colour
from robustnmf._image.grey_levels import GreyScale
from robustnmf._image.pictures import Pictures, parts
from robustnmf._image.planes import channels_first, check_channel_axis, from_planes


@dataclass(frozen=True)
class GivenStack:
    """A stack whose shape and values are checked.

    Attributes
    ----------
    measured : object
        As it was given, or the array that was made of it.
    source : ndarray or StoredPictures
        Gives pictures as (n, channels, height, width).
    shape : tuple of int
        As it was given.
    dtype : dtype
        As it was given; masked integers are floats in `source`.
    channel_axis : int or None
    """

    measured: Any
    source: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    channel_axis: int | None

    @classmethod
    def of(cls, stack: Any, channel_axis: int | None) -> GivenStack:
        """Check a stack: what is wrong with it is told before any work."""
        if not lies_elsewhere(stack):
            given, array = check_image(stack, "stack")
            _check_shape(array.shape, channel_axis)
            source = channels_first(array, channel_axis)
            return cls(given, source, array.shape, given.dtype, channel_axis)
        shape = _known_shape(stack)
        check_kind("stack", np.dtype(stack.dtype), shape)
        _check_shape(shape, channel_axis)
        if _channels_lead(shape, channel_axis):
            raise ValueError(
                f"channel_axis={channel_axis}: a stack that is no array in memory needs pictures "
                "along its first axis, so that some of them can be read; store it in that order"
            )
        stored = StoredPictures(stack, channel_axis)
        # What is no float has neither gaps nor infinity.
        if stored.dtype.kind == "f":
            check_values("stack", map(stored.__getitem__, _parts(stored)))
        return cls(stack, stored, shape, stored.dtype, channel_axis)

    @property
    def held(self) -> bool:
        """Whether it is an array in memory."""
        return isinstance(self.source, np.ndarray)

    @property
    def channels_lead(self) -> bool:
        """Whether the first axis holds channels, and not pictures."""
        return _channels_lead(self.shape, self.channel_axis)

    def pictures(self, data_range: float | None) -> Pictures:
        """Return the pictures, and what grey levels they stand for."""
        planes = (plane for part in _parts(self.source) for plane in self._planes(part))
        greys = GreyScale.estimate(planes, data_range, self.dtype)
        return Pictures(self.source, self.source.shape, greys, np.zeros if self.held else room)

    def _planes(self, part: slice) -> Array:
        found: Array = self.source[part]
        return found.reshape(-1, *found.shape[2:])

    def as_given(self, pictures: Array) -> Array:
        """Return some pictures, (n, channels, height, width), with their axes as they were."""
        shape = list(self.shape)
        shape[1 if self.channels_lead else 0] = len(pictures)
        planes = pictures.reshape(-1, *pictures.shape[2:])
        return from_planes(planes, tuple(shape), self.channel_axis)


class StoredPictures:
    """Pictures that lie elsewhere, read some at a time.

    Parameters
    ----------
    stack : object
        What `lies_elsewhere`.
    channel_axis : int or None
    """

    def __init__(self, stack: Any, channel_axis: int | None) -> None:
        self._rows, self._axis = flattened(stack, "stack"), channel_axis
        self._picture = tuple(map(int, stack.shape[1:]))
        self.dtype = self._rows.dtype
        self._first, self._read = 0, np.empty((0, self._rows.shape[1]), self.dtype)
        like = np.broadcast_to(np.zeros((), self.dtype), (1, *self._picture))
        self.shape = (len(self), *channels_first(like, channel_axis).shape[1:])

    def __len__(self) -> int:
        return self._rows.shape[0]

    def __getitem__(self, pictures: slice) -> Array:
        first, stop, _ = pictures.indices(len(self))
        if not self._first <= first <= stop <= self._first + len(self._read):
            # Whoever asks for one picture will ask for the next.
            ahead = first + next(_parts(self)).stop
            self._first, self._read = first, self._rows.read(slice(first, max(stop, ahead)))
        found = self._read[first - self._first : stop - self._first]
        return channels_first(found.reshape(-1, *self._picture), self._axis)


def _parts(pictures: Any) -> Iterator[slice]:
    """Cut pictures into parts that are read at a time."""
    n, *picture = pictures.shape
    return parts(n, math.prod(picture) * pictures.dtype.itemsize)


def _known_shape(stack: Any) -> tuple[int, ...]:
    if any(math.isnan(length) for length in stack.shape):
        raise ValueError(
            f"stack has shape {stack.shape}: it must be known how many pictures there are; for an "
            "array of Dask call its compute_chunk_sizes()"
        )
    return tuple(map(int, stack.shape))


def _channels_lead(shape: tuple[int, ...], channel_axis: int | None) -> bool:
    return channel_axis is not None and channel_axis % len(shape) == 0


def _check_shape(shape: tuple[int, ...], channel_axis: int | None) -> None:
    if channel_axis is None and looks_like_colour(shape):
        raise ValueError(
            f"stack has shape {shape}, which is that of one colour picture: use "
            "denoise_image(picture, channel_axis=-1); a stack of them has four axes"
        )
    if len(shape) != 3 + (channel_axis is not None):
        raise ValueError(
            f"stack has shape {shape}: pictures along the first axis are needed; "
            "for one picture use denoise_image, for channels pass channel_axis"
        )
    if channel_axis is not None:
        check_channel_axis(shape, channel_axis)
