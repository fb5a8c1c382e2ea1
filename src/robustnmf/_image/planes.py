"""Images of any kind as planes (height, width) that predict each other: channels, slices, bands."""

from __future__ import annotations

import numpy as np

from robustnmf._common.arrays import Array

# Up to this number (colours, as a rule) all channels are predicted from each other; of more (bands
# of a spectrum) each is predicted from the next ones alone.
_MAX_LINKED_CHANNELS = 4


def to_planes(
    image: Array, channel_axis: int | None, *, link_slices: bool = True
) -> tuple[Array, list[list[int]]]:
    """View an image as planes (n, height, width), and say which of them predict which.

    Parameters
    ----------
    image : ndarray
        The last two axes, apart from that of the channels, are rows and columns.
    channel_axis : int or None
        Which axis holds channels.
    link_slices : bool, default=True
        Whether neighbouring slices predict each other; the pictures of a stack do not.

    Returns
    -------
    planes : ndarray of shape (n, height, width)
    links : list of lists of int
        For each plane, those that predict it; the same number for each.
    """
    if channel_axis is None:
        moved, channels, lead = image, 1, image.shape[:-2]
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
            if channels > _MAX_LINKED_CHANNELS:
                near = _next_to(c, channels)
            else:
                near = [other for other in range(channels) if other != c]
            across = _next_to(z, slices) if link_slices else []
            links.append([z * channels + o for o in near] + [o * channels + c for o in across])
    return planes, links


def from_planes(planes: Array, shape: tuple[int, ...], channel_axis: int | None) -> Array:
    """Turn planes back into an image of this shape."""
    if channel_axis is None:
        return planes.reshape(shape)
    axis = channel_axis % len(shape)
    rest = [length for index, length in enumerate(shape) if index != axis]
    moved = planes.reshape(*rest[:-2], shape[axis], *rest[-2:])
    return np.ascontiguousarray(np.moveaxis(moved, -3, axis))


def _next_to(index: int, length: int) -> list[int]:
    """Return the two indices next to this one; at an end, the only one twice."""
    if length == 1:
        return []
    before, after = index - 1, index + 1
    return [before if before >= 0 else after, after if after < length else before]
