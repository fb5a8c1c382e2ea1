"""How a fit went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from robustnmf._plot.axes import bare, given_or_current

# From this ratio of the highest to the lowest objective on, the scale is logarithmic.
_WIDE = 2.0

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    axes = given_or_current(ax)
    axes.plot(history["iteration"], history["objective"], **line)
    # The first steps are larger than all later ones by far; only on this scale both are seen.
    # It cannot show the zero that an exact fit may reach, nor tell ticks apart in a narrow range.
    drawn = np.concatenate([np.asarray(drawn.get_ydata()) for drawn in axes.get_lines()])
    wide = drawn.size and drawn.max() >= _WIDE * drawn.min() > 0
    axes.set_yscale("log" if wide else "linear")
    axes.locator_params(axis="x", integer=True)
    axes.set_xlabel("iteration")
    axes.set_ylabel("objective")
    return bare(axes)
