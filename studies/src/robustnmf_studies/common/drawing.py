"""Panels into files: all of a figure as PNG and SVG, and each by itself for a report.

Single panels let the report lay them out for the width of the screen.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from robustnmf._common.files import written_whole
from robustnmf._common.optional import import_extra
from robustnmf_studies.common.storage import Storage

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# What each panel says to someone who cannot see it, and its picture as SVG text.
Panels = list[tuple[str, str]]
# The same words, and what draws the panel into given axes.
Painter = tuple[str, Callable[["Axes"], Any]]
# What a line is called, and its style.
LegendEntry = tuple[str, dict[str, Any]]

_PANEL = (4.2, 3.1)

# The look of all figures.
RC: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "0.9",
    "grid.linewidth": 0.6,
    "figure.dpi": 120,
    "savefig.dpi": 120,
    # Letters as shapes: the same on every machine, whatever fonts it has.
    "svg.fonttype": "path",
    # The same numbers must give the same file.
    "svg.hashsalt": "robustnmf",
}


def draw_panels(
    name: str,
    painters: Sequence[Painter],
    columns: int,
    storage: Storage,
    legend: Sequence[LegendEntry] = (),
) -> Panels:
    """Draw all panels into one figure's files, and each into an SVG text of its own.

    Parameters
    ----------
    name : str
        Of the files.
    painters : sequence of (description, painter)
        The panels.
    columns : int
        How many stand side by side in the files.
    storage : Storage
        Where the files go.
    legend : sequence of (label, style), optional
        One for all panels, below them.
    """
    rows = math.ceil(len(painters) / columns)
    figure = make_figure(_PANEL[0] * columns, _PANEL[1] * rows + 0.42 * bool(legend))
    grid = figure.subplots(rows, columns, squeeze=False)
    for ax in grid.flat[len(painters) :]:
        ax.set_axis_off()
    for ax, (_, paint) in zip(grid.flat, painters, strict=False):
        paint(ax)
    if legend:
        lines = import_extra("matplotlib.lines", "plot", "figures need")
        handles = [lines.Line2D([], [], **look) for _, look in legend]
        labels = [label for label, _ in legend]
        figure.legend(handles, labels, loc="outside lower center", ncols=4 if columns > 2 else 3)
    write_figure(name, figure, storage)
    return [(words, _as_svg(paint)) for words, paint in painters]


def _as_svg(paint: Callable[[Axes], Any]) -> str:
    """Return a panel as text that can stand inside a page."""
    figure = make_figure(*_PANEL)
    paint(figure.subplots())
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    svg = text.getvalue()
    # Inside a page, the document's own head has no place.
    return svg[svg.index("<svg") :]


def make_figure(width: float, height: float) -> Figure:
    """Return an empty figure, its size in inches."""
    # Without pyplot, nothing is kept open and no screen is asked for.
    module = import_extra("matplotlib.figure", "plot", "figures need")
    made: Figure = module.Figure(figsize=(width, height), layout="constrained")
    return made


def write_figure(name: str, figure: Figure, storage: Storage, *, svg: bool = True) -> None:
    """Write a figure as PNG and as SVG, the same bytes for the same numbers."""
    storage.figures.mkdir(parents=True, exist_ok=True)
    for suffix, stamp in ((".png", "Software"), *([(".svg", "Date")] if svg else [])):
        with written_whole(storage.figures / f"{name}{suffix}") as temporary:
            figure.savefig(temporary, metadata={stamp: None})
