"""The parts that were learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from robustnmf._plot.axes import as_dense, bare, feature_names, given_or_current, label_columns
from robustnmf._plot.images import plot_images

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_parts(
    parts: Any,
    *,
    image_shape: tuple[int, int] | None = None,
    names: Sequence[str] | None = None,
    x: ArrayLike | None = None,
    n_columns: int | None = None,
    cmap: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the parts: as pictures, as curves, or as a map of parts and columns.

    The scale of a part means nothing, so each is drawn up to its own largest value.

    Parameters
    ----------
    parts : fitted estimator, or array-like of shape (n_components, n_features)
        A model with ``components_``, or these.
    image_shape : tuple of (height, width), optional
        Draw pictures: how the features of a part make one.
    names : sequence of str, optional
        Names of the features, for the map; the model's ``feature_names_in_`` by default.
    x : array-like of shape (n_features,), optional
        Draw curves over these values: wavelengths, frequencies, times.
    n_columns : int, optional
        Pictures side by side.
    cmap : str or Colormap, optional
        Of pictures and map.
    ax : matplotlib Axes, optional
        Where to draw; by default the current axes.

    Returns
    -------
    matplotlib Axes
        The axes drawn into.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_parts([[1, 2], [8, 2]], names=["a", "b"], ax=Figure().subplots())
    >>> ax.get_images()[0].get_array().tolist()
    [[0.5, 1.0], [1.0, 0.25]]
    """
    H = as_dense(getattr(parts, "components_", parts))
    if H.ndim != 2 or not H.size:
        raise ValueError(f"parts of shape {H.shape} cannot be drawn: give one part a row")
    if image_shape is not None:
        return plot_images(
            H, image_shape, n_columns=n_columns, stretch=True, cmap=cmap, gap=2, ax=ax
        )
    largest = H.max(axis=1, keepdims=True)
    H = H / np.where(largest > 0, largest, 1)
    axes = given_or_current(ax)
    if x is not None:
        positions = np.asarray(x)
        if positions.shape != H.shape[1:]:
            raise ValueError(
                f"x has shape {positions.shape}: give one value for each of {H.shape[1]}"
            )
        # One above the other: curves that lie on each other cannot be told apart.
        for i, part in enumerate(H):
            base = len(H) - 1 - i
            (line,) = axes.plot(positions, base + 0.9 * part)
            axes.fill_between(positions, base, base + 0.9 * part, color=line.get_color(), alpha=0.2)
        axes.set_yticks(range(len(H)), [str(len(H) - i) for i in range(len(H))])
        axes.set_ylabel("part")
        return bare(axes)
    axes.imshow(H, cmap=cmap or "Blues", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    axes.set_yticks(range(len(H)), [str(i + 1) for i in range(len(H))])
    axes.set_ylabel("part")
    label_columns(axes, feature_names(names, parts), H.shape[1])
    return axes
