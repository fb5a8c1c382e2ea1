"""Photographs that come with scikit-image, and how well one was restored."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf.metrics import psnr


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


def quality(clean: NDArray[Any], restored: NDArray[Any]) -> dict[str, float]:
    """Return ``psnr`` and ``ssim`` of a restored picture of 0 to 255; infinite and 1 if exact.

    Examples
    --------
    >>> black = np.zeros((8, 8))
    >>> {name: round(value) for name, value in quality(black, black + 255).items()}
    {'psnr': 0, 'ssim': 0}
    """
    metrics = import_extra("skimage.metrics", "image", "SSIM needs")
    a, b = clean.astype(np.float64), restored.astype(np.float64)
    similarity = metrics.structural_similarity(a, b, data_range=255)
    return {"psnr": psnr(a, b, data_range=255), "ssim": float(similarity)}
