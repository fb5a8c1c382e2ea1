"""The paper's figures, drawn from the tables alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from robustnmf._common.optional import import_extra
from robustnmf_studies.common.drawing import (
    RC,
    LegendEntry,
    Painter,
    Panels,
    draw_panels,
    write_figure,
)
from robustnmf_studies.common.frames import Numbers, table_of
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.paper import style
from robustnmf_studies.paper.checks import check_panels
from robustnmf_studies.paper.mosaic import ON_A_PAGE, draw_mosaic
from robustnmf_studies.paper.panels import FIG2, FIG3, Panel
from robustnmf_studies.paper.settings import OPTIMUM, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BARS = {"precision": 0.9, "recall": 0.5}


def draw_panel(ax: Axes, panel: Panel, faces: pd.DataFrame) -> None:
    """Draw one panel of figure 2 or 3.

    Parameters
    ----------
    ax : matplotlib Axes
        Where to draw.
    panel : Panel
        What to draw.
    faces : pd.DataFrame
        The numbers.
    """
    scale = 1000 if panel.y == "msre" else 1
    axes_mode = OPTIMUM if panel.name.startswith(OPTIMUM) else PAPER
    for (method, mode), series in panel.curves(faces).items():
        if panel.y == "msre":
            look = style.restorer(method, mode, axes_mode)
        else:
            look = style.detector(method, mode)
        mean = [value / scale for value in series.mean]
        ax.plot(series.x, mean, **look)
        if "marker" in look:
            low, high = (
                [m + sign * s / scale for m, s in zip(mean, series.spread, strict=True)]
                for sign in (-1, 1)
            )
            ax.fill_between(series.x, low, high, color=look["color"], alpha=0.16, lw=0)
    ax.set_title(panel.title)
    ax.set_xlabel(panel.x_label)
    ax.set_ylabel(panel.y_label)
    if panel.x == "lam":
        lam_axis(ax)
    if panel.y in BARS:
        _bar(ax, BARS[panel.y])
    else:
        ax.set_ylim(bottom=0)


def lam_axis(ax: Axes) -> None:
    """Make the x axis one of λ: by factors, with the numbers written out."""
    ticks = (0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16)
    ax.set_xscale("log")
    low, high = ax.get_xlim()
    shown = [tick for tick in ticks if low <= tick <= high]
    ax.set_xticks(shown, [f"{tick:g}" for tick in shown])
    ax.minorticks_off()


def _bar(ax: Axes, bar: float) -> None:
    ax.set_ylim(0, 1.03)
    ax.axhline(bar, zorder=0, **style.line("bar", "", main=False))


def draw_all(numbers: Numbers, storage: Storage) -> dict[str, Panels]:
    """Draw every figure that the numbers allow: files as PNG and SVG, and panels for the report.

    Parameters
    ----------
    numbers : mapping of DataFrame
        The tables.
    storage : Storage
        Where the files go, and where the pictures of figure 4 are.

    Returns
    -------
    dict of lists of (description, SVG)
        The panels of each figure; figures without numbers are left out.
    """
    matplotlib = import_extra("matplotlib", "plot", "figures need")
    storage.figures.mkdir(parents=True, exist_ok=True)
    drawn: dict[str, Panels] = {}
    with matplotlib.rc_context(RC):
        faces = table_of(numbers, "faces")
        for name, panels, columns in (("fig2", FIG2, 3), ("fig3", FIG3, 2)):
            painters = [_painter(panel, faces) for panel in panels if panel.curves(faces)]
            if painters:
                drawn[name] = draw_panels(name, painters, columns, storage, legend_entries(name))
        checks = check_panels(numbers)
        if checks:
            drawn["checks"] = draw_panels("checks", checks, 3, storage)
        pictures = storage.read_pictures()
        if pictures:
            table = numbers["pictures"]
            write_figure("fig4", draw_mosaic(pictures, table), storage)
            few = draw_mosaic(pictures, table, ON_A_PAGE, inches=1.55)
            write_figure("fig4-page", few, storage, svg=False)
    return drawn


def _painter(panel: Panel, faces: pd.DataFrame) -> Painter:
    words = f"{panel.y_label} against {panel.x_label}: {panel.title}"
    return words, lambda ax: draw_panel(ax, panel, faces)


def legend_entries(name: str) -> list[LegendEntry]:
    """Return the label and the style of each curve of a figure, for the report's own legend."""
    return [
        (label, _handle_style(name, method, mode))
        for method, mode, label in style.LEGENDS.get(name, ())
    ]


def _handle_style(name: str, method: str, mode: str) -> dict[str, Any]:
    if name == "fig2":
        return style.detector(method, mode)
    return style.line(method, mode, main=mode == PAPER)
