"""The noise that was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._plot.axes import as_dense, feature_names, given_or_current, label_columns
from robustnmf._plot.images import plot_images

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colours are full for this share of the noise: a few giants must not make all else pale.
_FULL = 0.95


def plot_noise(
    noise: Any,
    *,
    image_shape: tuple[int, int] | None = None,
    names: Sequence[str] | None = None,
    n_columns: int | None = None,
    limit: float | None = None,
    cmap: Any = "RdBu_r",
    ax: Axes | None = None,
) -> Axes:
    """Draw noise: red where a value is too large, blue where it is too small.

    Parameters
    ----------
    noise : fitted estimator, or array-like or sparse matrix of shape (n_samples, n_features)
        A model with ``noise_``, or E itself.
    image_shape : tuple of (height, width), optional
        Draw each sample as a picture; by default all of E is one map.
    names : sequence of str, optional
        Names of the features, for the map; the model's ``feature_names_in_`` by default.
    n_columns : int, optional
        Pictures side by side.
    limit : float, optional
        The size at which colours are full. By default 95 % of the noise is smaller.
    cmap : str or Colormap, default="RdBu_r"
        Colours with a middle.
    ax : matplotlib Axes, optional
        Where to draw; by default the current axes.

    Returns
    -------
    matplotlib Axes
        The axes drawn into.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_noise([[0, -2], [1, 0]], ax=Figure().subplots())
    >>> low, high = ax.get_images()[0].get_clim()
    >>> low == -high
    True
    """
    names = feature_names(names, noise)
    E = as_dense(getattr(noise, "noise_", noise))
    if E.ndim != 2 or not E.size:
        raise ValueError(f"noise of shape {E.shape} cannot be drawn: give one sample a row")
    reach = _reach(E) if limit is None else limit
    if image_shape is not None:
        return plot_images(
            E,
            image_shape,
            n_columns=n_columns,
            signed=True,
            limits=(-reach, reach),
            cmap=cmap,
            ax=ax,
        )
    axes = given_or_current(ax)
    axes.imshow(E, cmap=cmap, vmin=-reach, vmax=reach, aspect="auto", interpolation="nearest")
    axes.set_xlabel("feature")
    axes.set_ylabel("sample")
    axes.locator_params(axis="y", integer=True)
    label_columns(axes, names, E.shape[1])
    return axes


def _reach(E: NDArray[np.float64]) -> float:
    sizes = np.abs(E[np.nonzero(np.nan_to_num(E))])
    return float(np.quantile(sizes, _FULL)) if len(sizes) else 1.0
