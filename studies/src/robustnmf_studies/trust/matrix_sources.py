"""How matrices are read: what the two editions have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf_studies.trust.sources import r_table

# Samples in rows, and height and width of those that are pictures.
Samples = tuple[NDArray[Any], tuple[int, int] | None]


class MatrixSource(NamedTuple):
    """A matrix that can be had: what it is, who brings it, and how to read it."""

    name: str
    nature: str
    package: str
    read: Callable[[], Samples]


def in_patches(picture: NDArray[Any], side: int = 12) -> Samples:
    """Cut a picture into squares, one a sample; colours become grey levels from 0 to 255.

    Examples
    --------
    >>> import numpy as np
    >>> patches, layout = in_patches(np.arange(30).reshape(5, 6), side=2)
    >>> patches.shape, layout, patches[1]
    ((6, 4), (2, 2), array([2, 3, 8, 9]))
    """
    if picture.ndim == 3:
        colour = import_extra("skimage.color", "image", "patches of colour pictures need")
        picture = np.round(255 * colour.rgb2gray(picture[..., :3]))
    height, width = (length // side * side for length in picture.shape)
    blocks = picture[:height, :width].reshape(height // side, side, width // side, side)
    return blocks.swapaxes(1, 2).reshape(-1, side * side), (side, side)


def patches(name: str) -> Callable[[], Samples]:
    """Return a reader of the patches of one of scikit-image's pictures."""

    def read() -> Samples:
        data = import_extra("skimage.data", "image", "patches of pictures need")
        return in_patches(getattr(data, name)())

    return read


def r_matrix(
    package: str, item: str, columns: tuple[str, ...] = (), change: Any = None
) -> Callable[[], Samples]:
    """Return a reader of the complete rows of a table of R's packages, changed if need be."""

    def read() -> Samples:
        X = r_table(package, item, columns)().values
        X = X[np.isfinite(X).all(axis=1)]
        return (X if change is None else change(X)), None

    return read
