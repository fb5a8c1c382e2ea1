"""What is written beside a clean picture: masks, noise, and a picture to compare."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.files import written_whole
from robustnmf._common.optional import import_extra
from robustnmf._picture_files.names import NPY, TIFF, kind_of

_GAP = 8
_RED = np.array([220, 30, 30], dtype=np.uint8)


def write_array(path: Path, arrays: list[Array]) -> None:
    """Write arrays, one for each page, in the format of the name.

    PNG and JPEG hold the first page alone; NPY stacks pages of one shape.
    """
    kind = kind_of(path)
    with written_whole(path) as temporary:
        if kind == TIFF:
            tifffile = import_extra("tifffile", "image", "TIFF files need")
            with tifffile.TiffWriter(temporary) as writer:
                for array in arrays:
                    writer.write(array, contiguous=False, metadata=None)
        elif kind == NPY:
            with temporary.open("wb") as file:
                np.save(file, arrays[0] if len(arrays) == 1 else np.stack(arrays))
        else:
            image = import_extra("PIL.Image", "image", "picture files need")
            image.fromarray(np.ascontiguousarray(_flat(arrays[0]))).save(temporary)


def before_after(measured: Array, restored: Array, mask: Array, channel_axis: int | None) -> Array:
    """Put a picture side by side: before, after, and in red what was replaced.

    Parameters
    ----------
    measured, restored, mask : ndarray, same shape
        Of one picture; of a volume, the first slice is shown.
    channel_axis : int or None
        Which axis holds channels.

    Returns
    -------
    ndarray of uint8, shape (height, 3 * width + 2 gaps, 3)
    """
    before, after, found = (_rgb(array, channel_axis) for array in (measured, restored, mask))
    low, high = float(after.min()), float(after.max())
    if restored.dtype == np.uint8:
        low, high = 0.0, 255.0
    pale = 0.5 * _shades(after, low, high).mean(axis=-1, keepdims=True) + 127
    where = np.where(found.any(axis=-1, keepdims=True), _RED, pale).astype(np.uint8)
    gap = np.full((before.shape[0], _GAP, 3), 255, dtype=np.uint8)
    return np.concatenate(
        [_shades(before, low, high), gap, _shades(after, low, high), gap, where], axis=1
    )


def _rgb(array: Array, channel_axis: int | None) -> Array:
    """Return three channels of the first slice."""
    if channel_axis is None:
        while array.ndim > 2:
            array = array[0]
        return np.repeat(array[..., None], 3, axis=-1)
    array = np.moveaxis(array, channel_axis, -1)
    while array.ndim > 3:
        array = array[0]
    if array.shape[-1] >= 3:
        return array[..., :3]
    return np.repeat(array[..., :1], 3, axis=-1)


def _shades(array: Array, low: float, high: float) -> Array:
    """Return eight bits; what is missing is black."""
    scaled = (np.nan_to_num(array.astype(float), nan=low) - low) * 255 / ((high - low) or 1)
    return np.clip(np.rint(scaled), 0, 255).astype(np.uint8)


def _flat(array: Array) -> Array:
    """Return what a PNG can hold: one picture, grey or in colours."""
    while array.ndim > 3 or (array.ndim == 3 and array.shape[-1] not in (3, 4)):
        array = array[..., 0] if array.shape[-1] <= 2 else array[0]
    return array
