"""Photographs that come with scikit-image."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra


def load_picture(name: str, side: int) -> NDArray[np.uint8]:
    """Load a photograph of ``skimage.data`` in grey, values 0 to 255: its central square, resized.

    Examples
    --------
    >>> load_picture("camera", 64).shape
    (64, 64)
    """
    data = import_extra("skimage.data", "image", "the pictures need")
    transform = import_extra("skimage.transform", "image", "the pictures need")
    colour = import_extra("skimage.color", "image", "the pictures need")
    picture = getattr(data, name)()
    grey = colour.rgb2gray(picture) if picture.ndim == 3 else picture / 255
    height, width = grey.shape
    edge = min(height, width)
    top, left = (height - edge) // 2, (width - edge) // 2
    square = grey[top : top + edge, left : left + edge]
    resized = transform.resize(square, (side, side), anti_aliasing=True)
    return np.rint(255 * np.clip(resized, 0, 1)).astype(np.uint8)
