"""Panels into files: all of a figure as PNG and SVG, and each by itself for a report.

Single panels let the report lay them out for the width of the screen.
"""

from __future__ import annotations

import functools
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.files import written_whole
from robustnmf._common.optional import import_extra
from robustnmf_studies.common.frames import Numbers, table_of
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
# What a row of pictures is called, and each picture, grey or RGB, with the words below it.
PictureRow = tuple[str, Sequence[tuple[NDArray[np.uint8], str]]]

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


def painters_of(
    numbers: Numbers, panels: Iterable[tuple[str, str, Callable[..., None]]]
) -> list[Painter]:
    """Return what draws the panels for which there are numbers.

    Each panel names the table it needs and says what it shows; what draws it is given all tables.
    """
    return [
        (words, functools.partial(paint, numbers=numbers))
        for table, words, paint in panels
        if len(table_of(numbers, table))
    ]


def draw_figures(
    figures: Mapping[str, tuple[Sequence[Painter], int, Sequence[LegendEntry]]], storage: Storage
) -> dict[str, Panels]:
    """Draw figures by name, each of panels in so many columns and a legend; those with panels."""
    return {
        name: draw_panels(name, painters, columns, storage, legend)
        for name, (painters, columns, legend) in figures.items()
        if painters
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


def finish(ax: Axes, title: str, x: str, y: str, *, legend: Any = None, **axes: Any) -> None:
    """Write the words of a panel, with settings of its legend and of its axes."""
    ax.set(title=title, xlabel=x, ylabel=y, **axes)
    ax.legend(**{"fontsize": 7.5} | (legend or {}))


def make_figure(width: float, height: float, layout: str | None = "constrained") -> Figure:
    """Return an empty figure, its size in inches."""
    # Without pyplot, nothing is kept open and no screen is asked for.
    module = import_extra("matplotlib.figure", "plot", "figures need")
    made: Figure = module.Figure(figsize=(width, height), layout=layout)
    return made


def write_figure(name: str, figure: Figure, storage: Storage, *, svg: bool = True) -> None:
    """Write a figure as PNG and as SVG, the same bytes for the same numbers."""
    storage.figures.mkdir(parents=True, exist_ok=True)
    for suffix, stamp in ((".png", "Software"), *([(".svg", "Date")] if svg else [])):
        with written_whole(storage.figures / f"{name}{suffix}") as temporary:
            figure.savefig(temporary, metadata={stamp: None})


def draw_mosaic(
    rows: Sequence[PictureRow],
    heads: Sequence[str] = (),
    *,
    inches: float = 1.5,
    left: float = 1.6,
    below: float = 0.2,
    foot: float = 0.0,
) -> Figure:
    """Draw rows of pictures, all of one size.

    Parameters
    ----------
    rows : sequence of (name, pictures)
        The pictures of a row, each with its words.
    heads : sequence of str, optional
        What stands above the columns.
    inches, left, below, foot : float
        The side of a picture, the room for the names of rows, that for the words below each
        picture, and that for a legend below all.
    """
    montage = import_extra("skimage.util", "image", "figures need").montage
    pictures = [picture for _, cells in rows for picture, _ in cells]
    shown = np.stack([np.dstack([p] * 3) if p.ndim == 2 else p for p in pictures])
    side = shown.shape[2]
    gap, room = max(side // 32, 1), round(side * below / inches)
    # White below each for its words, and to the right to part it from the next.
    cells = np.pad(shown, ((0, 0), (0, room), (0, gap), (0, 0)), constant_values=255)
    columns = len(rows[0][1])
    mosaic = montage(cells, grid_shape=(len(rows), columns), channel_axis=-1)
    height, width = (pixels * inches / side for pixels in mosaic.shape[:2])
    across, down = left + width, foot + height + 0.25 * bool(heads)
    figure = make_figure(across, down, layout=None)
    ax = figure.add_axes((left / across, foot / down, width / across, height / down))
    ax.imshow(mosaic)
    ax.set_axis_off()
    for i, (name, line) in enumerate(rows):
        top = i * cells.shape[1]
        ax.text(-gap, top + side / 2, name, ha="right", va="center", size=9)
        for j, (_, words) in enumerate(line):
            middle = (j * cells.shape[2] + side / 2, top + side + room / 2)
            ax.text(*middle, words, ha="center", va="center", size=7.5)
    for j, words in enumerate(heads):
        ax.text(j * cells.shape[2], -gap, words, ha="left", va="bottom", size=9)
    return figure
