"""Where data are corrupt, and how much of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from robustnmf._plot.axes import bare, feature_names, given_or_current, label_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Fields of the map in either direction: more could not be seen.
MOST_FIELDS = 80


def plot_corruption(
    noise: Any,
    *,
    names: Sequence[str] | None = None,
    cmap: Any = "Reds",
    ax: Axes | None = None,
) -> Axes:
    """Draw the share of corrupt entries over rows and columns, and of each along the edges.

    Entries of large data share a field of the map; its colour is the share that is corrupt.

    Parameters
    ----------
    noise : fitted estimator, or array-like or sparse matrix of shape (n_samples, n_features)
        A model with ``noise_``, or E itself, or a mask: what is not zero is corrupt.
    names : sequence of str, optional
        Names of the features; the model's ``feature_names_in_`` by default.
    cmap : str or Colormap, default="Reds"
        From clean to corrupt.
    ax : matplotlib Axes, optional
        Where to draw; by default the current axes. The edges are drawn inside them.

    Returns
    -------
    matplotlib Axes
        The axes drawn into; ``child_axes`` are those above and at the side.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_corruption([[0, 1], [0, 1]], ax=Figure().subplots())
    >>> ax.get_images()[0].get_array().tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    >>> ax.child_axes[0].get_title(loc="left")
    '2 of 4 entries are corrupt (50 %)'
    """
    names = feature_names(names, noise)
    E = getattr(noise, "noise_", noise)
    E = sparse.coo_array(E if sparse.issparse(E) else np.asarray(E))
    if E.ndim != 2 or 0 in E.shape:
        raise ValueError(f"noise of shape {E.shape} cannot be drawn: give one sample a row")
    n, m = E.shape
    corrupt = E.data != 0
    rows, columns = E.row[corrupt], E.col[corrupt]
    shares, high, wide = _shares(rows, columns, (n, m))
    axes = given_or_current(ax)
    figure = axes.get_figure(root=True)
    if figure is not None and figure.get_layout_engine() is None:
        # The edges need room of their own, or they would cover the neighbours.
        box = axes.get_position()
        axes.set_position((box.x0, box.y0, 0.84 * box.width, 0.8 * box.height))
    axes.imshow(
        shares,
        cmap=cmap,
        vmin=0,
        vmax=max(float(shares.max()), 1e-9),
        aspect="auto",
        interpolation="nearest",
        extent=(-0.5, wide * shares.shape[1] - 0.5, high * shares.shape[0] - 0.5, -0.5),
    )
    axes.set_xlim(-0.5, m - 0.5)
    axes.set_ylim(n - 0.5, -0.5)
    axes.set_xlabel("feature")
    axes.set_ylabel("sample")
    axes.locator_params(axis="y", integer=True)
    label_columns(axes, names, m)
    top = _edges(axes, rows, columns, (n, m), (high, wide))
    total = int(corrupt.sum())
    words = f"{total:,} of {n * m:,} entries are corrupt ({100 * total / (n * m):.2g} %)"
    top.set_title(words, loc="left", fontsize="medium")
    return axes


def _shares(
    rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int]
) -> tuple[NDArray[np.float64], int, int]:
    """Return the corrupt share of each field, and how many rows and columns a field has."""
    high, wide = (math.ceil(size / MOST_FIELDS) for size in shape)
    fields = (math.ceil(shape[0] / high), math.ceil(shape[1] / wide))
    counts = np.zeros(fields)
    np.add.at(counts, (rows // high, columns // wide), 1)
    # The last field of either direction may be smaller.
    heights, widths = _sizes(shape[0], high), _sizes(shape[1], wide)
    return counts / np.outer(heights, widths), high, wide


def _sizes(n: int, step: int) -> NDArray[np.int64]:
    return np.diff(np.append(np.arange(0, n, step), n))


def _edges(
    axes: Axes,
    rows: NDArray[Any],
    columns: NDArray[Any],
    shape: tuple[int, int],
    steps: tuple[int, int],
) -> Axes:
    """Draw the shares of columns above and of rows at the side; return the axes above."""
    n, m = shape
    top = axes.inset_axes((0, 1.03, 1, 0.2), sharex=axes)
    side = axes.inset_axes((1.02, 0, 0.16, 1), sharey=axes)
    for edge, indices, size, other, step in (
        (top, columns, m, n, steps[1]),
        (side, rows, n, m, steps[0]),
    ):
        counts = np.bincount(indices // step, minlength=math.ceil(size / step))
        shares = counts / (other * _sizes(size, step))
        at = np.arange(len(shares)) * step + (step - 1) / 2
        draw = edge.bar if edge is top else edge.barh
        draw(at, shares, step, color="#b3261e")
        edge.tick_params(labelbottom=edge is side, labelleft=edge is top, labelsize="small")
        bare(edge)
    # The side has no room for more than its ends.
    top.locator_params(axis="y", nbins=3)
    side.locator_params(axis="x", nbins=1)
    top.set_ylabel("share", fontsize="small")
    side.set_xlabel("share", fontsize="small")
    return top
