"""Data before and after they were cleaned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf._plot.axes import as_dense
from robustnmf._plot.images import plot_images
from robustnmf._plot.noise import plot_noise

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TITLES = ("before", "after", "taken away")


def plot_before_after(
    before: Any,
    after: Any,
    *,
    image_shape: tuple[int, int] | None = None,
    n_columns: int | None = None,
    cmap: Any = None,
    axes: Sequence[Axes] | None = None,
) -> NDArray[Any]:
    """Draw data before and after, in the same greys, and what was taken away.

    Parameters
    ----------
    before, after : array-like of the same shape
        A picture (height, width), a colour picture (height, width, 3 or 4), a table, or samples
        as rows with `image_shape`.
    image_shape : tuple of (height, width), optional
        Draw each row as a picture of its own.
    n_columns : int, optional
        Pictures side by side.
    cmap : str or Colormap, optional
        Of before and after; grey by default.
    axes : sequence of two or three matplotlib Axes, optional
        Where to draw; by default three axes of a new figure. With two, what was taken away is
        not drawn.

    Returns
    -------
    ndarray of matplotlib Axes
        The axes drawn into.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes = plot_before_after([[0, 9]], [[0, 1]], axes=Figure().subplots(1, 3))
    >>> axes[2].get_images()[0].get_array().tolist()
    [[0.0, 8.0]]
    """
    old, new = as_dense(before), as_dense(after)
    if old.shape != new.shape:
        raise ValueError(f"before has shape {old.shape} but after {new.shape}: they must be equal")
    if axes is None:
        pyplot = import_extra("matplotlib.pyplot", "plot", "pictures need")
        axes = pyplot.figure(figsize=(12, 4.2), layout="constrained").subplots(1, 3)
    drawn = np.asarray(axes, dtype=object).ravel()
    if len(drawn) not in (2, 3):
        raise ValueError(f"axes must be two or three; got {len(drawn)}")
    limits = (float(np.nanmin(old)), float(np.nanmax(old)))
    # What is new may lie outside of what was there.
    limits = (min(limits[0], float(np.nanmin(new))), max(limits[1], float(np.nanmax(new))))
    for ax, picture in zip(drawn, (old, new), strict=False):
        _show(ax, picture, image_shape, n_columns, limits, cmap)
    if len(drawn) == 3:
        away = old - new
        if away.ndim == 3:
            # Of colours, the one that changed most.
            most = np.abs(away).argmax(axis=2)
            away = np.take_along_axis(away, most[..., None], axis=2)[..., 0]
        plot_noise(away, image_shape=image_shape, n_columns=n_columns, ax=drawn[2])
        _plain(drawn[2], image_shape)
    for ax, title in zip(drawn, _TITLES, strict=False):
        ax.set_title(title)
    return drawn


def _show(
    ax: Axes,
    picture: NDArray[np.float64],
    image_shape: tuple[int, int] | None,
    n_columns: int | None,
    limits: tuple[float, float],
    cmap: Any,
) -> None:
    if image_shape is not None:
        plot_images(picture, image_shape, n_columns=n_columns, limits=limits, cmap=cmap, ax=ax)
    elif picture.ndim == 3:
        top = 255.0 if limits[1] > 1 else 1.0
        ax.imshow(np.clip(picture / top, 0, 1), interpolation="nearest")
    elif picture.ndim == 2:
        low, high = limits
        ax.imshow(picture, cmap=cmap or "gray", vmin=low, vmax=high, interpolation="nearest")
    else:
        raise ValueError(f"data of shape {picture.shape} cannot be drawn: give a picture or rows")
    _plain(ax, image_shape)


def _plain(ax: Axes, image_shape: tuple[int, int] | None) -> None:
    ax.set_axis_off()
    if image_shape is None:
        # A table is no picture, and may be much longer than wide.
        high, wide = np.asarray(ax.get_images()[0].get_array()).shape[:2]
        ax.set_aspect("auto" if max(high, wide) > 4 * min(high, wide) else "equal")
