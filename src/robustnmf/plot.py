"""Pictures of parts, noise and convergence; each function draws into `ax` and returns it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robustnmf._optional import import_extra

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
    axes = _axes(ax)
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


def plot_convergence(model: Any, ax: Axes | None = None, **line: Any) -> Axes:
    """Draw how the objective fell while a model was fitted.

    Parameters
    ----------
    model : fitted estimator
        Anything with a ``history_`` that holds ``iteration`` and ``objective``.
    ax : matplotlib Axes, optional
        Where to draw; by default the current axes.
    **line
        Passed on to :meth:`matplotlib.axes.Axes.plot`, e.g. ``label="k = 10"``.

    Returns
    -------
    matplotlib Axes
        The axes drawn into.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from matplotlib.figure import Figure
    >>> model = SimpleNamespace(history_={"iteration": [0, 1, 2], "objective": [9.0, 4.0, 3.0]})
    >>> plot_convergence(model, ax=Figure().subplots()).get_ylabel()
    'objective'
    """
    history = getattr(model, "history_", None)
    if history is None:
        raise ValueError(f"{type(model).__name__} has no history_: fit it first")
    axes = _axes(ax)
    axes.plot(history["iteration"], history["objective"], **line)
    # The first steps are larger than all later ones by far; only on this scale both are seen.
    # It cannot show the zero that an exact fit may reach.
    axes.set_yscale("log" if min(history["objective"], default=0) > 0 else "linear")
    axes.set_xlabel("iteration")
    axes.set_ylabel("objective")
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    pyplot = import_extra("matplotlib.pyplot", "plot", "pictures need")
    axes: Axes = pyplot.gca()
    return axes


def _tiles(images: ArrayLike, image_shape: tuple[int, int]) -> NDArray[np.float64]:
    rows: Any = images.toarray() if hasattr(images, "toarray") else images
    tiles = np.asarray(rows, dtype=np.float64)
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
