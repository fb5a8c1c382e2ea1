"""The paper's figures, drawn from the tables alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from robustnmf._common.optional import import_extra
from robustnmf_studies.common.drawing import RC, Painter, Panels, draw_panels, write_figure
from robustnmf_studies.common.frames import Numbers, table_of
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.paper import style
from robustnmf_studies.paper.draw_checks import check_panels, lam_axis
from robustnmf_studies.paper.mosaic import ON_A_PAGE, draw_mosaic
from robustnmf_studies.paper.numbers import BARS, FIG2, FIG3, Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_all(numbers: Numbers, storage: Storage) -> dict[str, Panels]:
    """Draw every figure that the numbers allow: files as PNG and SVG, and panels for the report.

    Returns the descriptions and the SVG texts of the panels of each figure.
    """
    matplotlib = import_extra("matplotlib", "plot", "figures need")
    storage.figures.mkdir(parents=True, exist_ok=True)
    faces = table_of(numbers, "faces")
    figures = {
        "fig2": (_painters(FIG2, faces), 3),
        "fig3": (_painters(FIG3, faces), 2),
        "checks": (check_panels(numbers), 3),
    }
    with matplotlib.rc_context(RC):
        pictures = storage.read_pictures()
        if pictures:
            table = numbers["pictures"]
            write_figure("fig4", draw_mosaic(pictures, table), storage)
            few = draw_mosaic(pictures, table, ON_A_PAGE, inches=1.55)
            write_figure("fig4-page", few, storage, svg=False)
        return {
            name: draw_panels(name, painters, columns, storage, style.LEGENDS.get(name, ()))
            for name, (painters, columns) in figures.items()
            if painters
        }


def _painters(panels: tuple[Panel, ...], faces: pd.DataFrame) -> list[Painter]:
    def painter(panel: Panel) -> Painter:
        words = f"{panel.y_label} against {panel.x_label}: {panel.title}"
        return words, lambda ax: _draw_panel(ax, panel, faces)

    return [painter(panel) for panel in panels if panel.curves(faces)]


def _draw_panel(ax: Axes, panel: Panel, faces: pd.DataFrame) -> None:
    restores = panel.y == "msre"
    scale = 1000 if restores else 1
    for (method, mode), series in panel.curves(faces).items():
        # The first three curves of figure 3 are judged; in figure 2 both modes share the axes.
        judged = (method, mode) in panel.methods[:3]
        look = style.detector(method, mode)
        if restores:
            look = style.bold(method) if judged else style.thin(method)
        mean, spread = np.array(series.mean) / scale, np.array(series.spread) / scale
        ax.plot(series.x, mean, **look)
        if "marker" in look:
            band = (mean - spread, mean + spread)
            ax.fill_between(series.x, *band, color=look["color"], alpha=0.16, lw=0)
    ax.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    if panel.x == "lam":
        lam_axis(ax)
    if restores:
        ax.set_ylim(bottom=0)
    else:
        ax.set_ylim(0, 1.03)
        ax.axhline(BARS[panel.y], zorder=0, **style.thin("bar"))
