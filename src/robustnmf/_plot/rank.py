"""How many parts the data ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from robustnmf._plot.axes import bare, given_or_current

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_rank(model: Any, ax: Axes | None = None, **line: Any) -> Axes:
    """Draw the error on held-out entries over the number of parts, and mark the choice.

    Parameters
    ----------
    model : fitted estimator
        One with a ``rank_path_``, as a fit with ``n_components="auto"`` leaves it.
    ax : matplotlib Axes, optional
        Where to draw; by default the current axes.
    **line
        Passed on to :meth:`matplotlib.axes.Axes.errorbar`, e.g. ``label="faces"``.

    Returns
    -------
    matplotlib Axes
        The axes drawn into.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from matplotlib.figure import Figure
    >>> path = {"n_components": [1, 2, 3], "error": [4.0, 1.0, 1.1], "standard_error": [0.1] * 3}
    >>> model = SimpleNamespace(rank_path_=path, n_components_=2)
    >>> plot_rank(model, ax=Figure().subplots()).get_xlabel()
    'number of parts'
    """
    path = getattr(model, "rank_path_", None)
    if path is None:
        raise ValueError(
            f"{type(model).__name__} has no rank_path_: fit it with n_components='auto'"
        )
    # The fit may have looked at them in any order.
    ordered = sorted(zip(path["n_components"], path["error"], path["standard_error"], strict=True))
    ranks, errors, spreads = (list(values) for values in zip(*ordered, strict=True))
    axes = given_or_current(ax)
    style: dict[str, Any] = {"marker": "o", "ms": 4, "capsize": 3} | line
    axes.errorbar(ranks, errors, yerr=spreads, **style)
    chosen = model.n_components_
    axes.axvline(chosen, color="0.5", ls="--", lw=1)
    axes.annotate(
        f"chosen: {chosen}",
        (chosen, 1),
        xycoords=("data", "axes fraction"),
        xytext=(4, -4),
        textcoords="offset points",
        va="top",
        color="0.35",
    )
    # There is no half of a part.
    axes.locator_params(axis="x", integer=True)
    axes.set_xlabel("number of parts")
    axes.set_ylabel("error on held-out entries")
    return bare(axes)
