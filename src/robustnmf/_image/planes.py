"""Images of any kind as planes (height, width) that predict each other: channels, slices, bands."""

from __future__ import annotations

import numpy as np

from robustnmf._common.arrays import Array

# Up to this number (colours, as a rule) all channels are predicted from each other; of more (bands
# of a spectrum) each is predicted from the next ones alone.
_MAX_LINKED_CHANNELS = 4


def to_planes(image: Array, channel_axis: int | None) -> tuple[Array, list[list[int]]]:
    """View an image as planes (n, height, width), and say which of them predict which.

    Parameters
    ----------
    image : ndarray
        The last two axes, apart from that of the channels, are rows and columns.
    channel_axis : int or None
        Which axis holds channels.

    Returns
    -------
    planes : ndarray of shape (n, height, width)
    links : list of lists of int
        For each plane, those that predict it, the next slices among them; the same number for each.
    """
    planes = channels_first(image, channel_axis)
    slices, channels = planes.shape[:2]
    near = channel_links(channels)
    links = [
        [z * channels + o for o in near[c]] + [o * channels + c for o in _next_to(z, slices)]
        for z in range(slices)
        for c in range(channels)
    ]
    return planes.reshape(-1, *planes.shape[2:]), links


def channels_first(image: Array, channel_axis: int | None) -> Array:
    """View an image as (slices, channels, height, width)."""
    if channel_axis is None:
        moved = image[..., None, :, :]
    else:
        check_channel_axis(image.shape, channel_axis)
        # Slices first, then channels, then rows and columns.
        moved = np.moveaxis(image, channel_axis, -3)
    return moved.reshape(-1, *moved.shape[-3:])


def channel_links(channels: int) -> list[list[int]]:
    """Return for each channel of a picture those that predict it; the same number for each."""
    if channels > _MAX_LINKED_CHANNELS:
        return [_next_to(c, channels) for c in range(channels)]
    return [[other for other in range(channels) if other != c] for c in range(channels)]


def check_channel_axis(shape: tuple[int, ...], channel_axis: int) -> None:
    """Refuse what is no axis of channels."""
    if not -len(shape) <= channel_axis < len(shape):
        raise ValueError(f"channel_axis={channel_axis} is no axis of an image of shape {shape}")
    if len(shape) < 3:
        raise ValueError(
            f"channel_axis={channel_axis}, but an image of shape {shape} has no "
            "channels beside rows and columns: pass channel_axis=None"
        )


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
