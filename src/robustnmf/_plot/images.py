"""Many small pictures as one grid."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robustnmf._plot.axes import as_dense, given_or_current

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_images(
    images: ArrayLike,
    image_shape: tuple[int, int],
    *,
    n_columns: int | None = None,
    signed: bool = False,
    limits: tuple[float, float] | None = None,
    stretch: bool = False,
    cmap: Any = None,
    gap: int = 1,
    ax: Axes | None = None,
) -> Axes:
    """Draw many small pictures as one grid.

    Parameters
    ----------
    images : array-like of shape (n_images, n_pixels)
        One picture a row: data, components, or noise. NaN is left blank.
    image_shape : tuple of (height, width)
        How the pixels of a row make a picture.
    n_columns : int, optional
        Pictures side by side. By default about as many as there are rows of them.
    signed : bool, default=False
        True for noise: colours on both sides of zero, and zero white.
    limits : tuple of (black, white), optional
        Values drawn in the first and the last colour. By default those of all pictures
        together, and around zero if `signed`.
    stretch : bool, default=False
        Give each picture the whole range of greys for itself, as is usual for components, whose
        scales mean nothing.
    cmap : str or Colormap, optional
        By default grey, or blue to red if `signed`.
    gap : int, default=1
        Pixels between the pictures.
    ax : matplotlib Axes, optional
        Where to draw; by default the current axes.

    Returns
    -------
    matplotlib Axes
        The axes drawn into.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> ax = plot_images(np.eye(6, 12), (3, 4), n_columns=3, ax=Figure().subplots())
    >>> ax.get_images()[0].get_array().shape
    (7, 14)
    """
    tiles = _tiles(images, image_shape)
    if stretch:
        tiles = _stretched(tiles)
    axes = given_or_current(ax)
    low, high = limits or _limits(tiles, signed)
    grid = _grid(tiles, n_columns or math.ceil(math.sqrt(len(tiles))), gap)
    axes.imshow(
        grid,
        cmap=cmap or ("RdBu_r" if signed else "gray"),
        vmin=low,
        vmax=high,
        # Smoothing would hide the very thing to be seen, single wrong pixels.
        interpolation="nearest",
    )
    axes.set_axis_off()
    return axes


def _tiles(images: ArrayLike, image_shape: tuple[int, int]) -> NDArray[np.float64]:
    tiles = as_dense(images)
    if tiles.ndim < 2 or len(tiles) == 0 or math.prod(tiles.shape[1:]) != math.prod(image_shape):
        raise ValueError(
            f"images of shape {tiles.shape} are not pictures of image_shape={image_shape}: "
            "pass one picture a row, and (height, width)"
        )
    return tiles.reshape(len(tiles), *image_shape)


def _stretched(tiles: NDArray[np.float64]) -> NDArray[np.float64]:
    low = np.nanmin(tiles, axis=(1, 2), keepdims=True)
    spread = np.nanmax(tiles, axis=(1, 2), keepdims=True) - low
    return (tiles - low) / np.where(spread > 0, spread, 1.0)


def _limits(tiles: NDArray[np.float64], signed: bool) -> tuple[float, float]:
    if signed:
        # The same reach on both sides, so that zero is in the middle of the colours.
        reach = float(np.nanmax(np.abs(tiles))) or 1.0
        return -reach, reach
    return float(np.nanmin(tiles)), float(np.nanmax(tiles))


def _grid(tiles: NDArray[np.float64], n_columns: int, gap: int) -> NDArray[np.float64]:
    """One array with all pictures in it, and NaN, which is drawn blank, between them."""
    n, height, width = tiles.shape
    n_rows = math.ceil(n / n_columns)
    grid = np.full((n_rows * (height + gap) - gap, n_columns * (width + gap) - gap), np.nan)
    for i, tile in enumerate(tiles):
        top, left = (i // n_columns) * (height + gap), (i % n_columns) * (width + gap)
        grid[top : top + height, left : left + width] = tile
    return grid
