"""The paper's figures, drawn from the tables alone."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf_studies.common import drawing
from robustnmf_studies.common.frames import Numbers, mean_of, pick, table_of
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.paper import style
from robustnmf_studies.paper.draw_checks import CHECKS
from robustnmf_studies.paper.numbers import BARS, FIG2, FIG3, Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The order in which a picture's versions are shown, and what each is called.
VERSIONS = {
    "truth": "ground truth",
    "polluted": "polluted",
    "nmf/paper": "NMF, paper",
    "nmf/optimum": "NMF, optimum",
    "robust/paper": "RobustNMF, paper",
    "robust/optimum": "RobustNMF, optimum",
    "refit/paper": "RobustNMF+WNMF, paper",
    "refit/optimum": "RobustNMF+WNMF, optimum",
    "keep/optimum": "RobustNMF, clean kept",
    "oracle/reference": "WNMF, told the mask",
    "pcp/reference": "robust PCA",
    "median/reference": "3×3 median filter",
}
# What a page of the documentation has no room for.
_NOT_ON_A_PAGE = ("nmf/optimum", "refit/paper", "keep/optimum", "oracle/reference", "pcp/reference")


def draw_all(numbers: Numbers, storage: Storage) -> dict[str, drawing.Panels]:
    """Draw every figure that the numbers allow: files as PNG and SVG, and panels for the report.

    Returns the descriptions and the SVG texts of the panels of each figure.
    """
    matplotlib = import_extra("matplotlib", "plot", "figures need")
    faces = table_of(numbers, "faces")
    figures = {
        "fig2": (_painters(FIG2, faces), 3, style.LEGENDS["fig2"]),
        "fig3": (_painters(FIG3, faces), 2, style.LEGENDS["fig3"]),
        "checks": (drawing.painters_of(numbers, CHECKS), 3, []),
    }
    with matplotlib.rc_context(drawing.RC):
        pictures = storage.read_pictures()
        if pictures:
            rows = mosaic_rows(pictures, numbers["pictures"], VERSIONS)
            drawing.write_figure("fig4", drawing.draw_mosaic(rows), storage)
            few = [version for version in VERSIONS if version not in _NOT_ON_A_PAGE]
            rows = mosaic_rows(pictures, numbers["pictures"], few)
            mosaic = drawing.draw_mosaic(rows, inches=1.55)
            drawing.write_figure("fig4-page", mosaic, storage, svg=False)
        return drawing.draw_figures(figures, storage)


def mosaic_rows(
    pictures: Mapping[str, Mapping[str, NDArray[np.uint8]]],
    table: pd.DataFrame,
    versions: Iterable[str],
) -> list[drawing.PictureRow]:
    """Return a row for each version, with a column for each picture and its quality below."""

    def words(name: str, version: str) -> str:
        found = picture_score(table, name, version)
        return f"{found[0]:.1f} dB · {found[1]:.2f}" if found else name

    return [
        (
            VERSIONS[version].replace(", ", ",\n"),
            [(found[version], words(name, version)) for name, found in pictures.items()],
        )
        for version in versions
    ]


def picture_score(table: pd.DataFrame, image: str, version: str) -> tuple[float, float] | None:
    """Return the mean PSNR and SSIM of a version of a picture; None for the truth itself."""
    method, _, mode = version.partition("/")
    rows = pick(table, image=image, method=method, mode=mode or None)
    return (mean_of(rows, "psnr"), mean_of(rows, "ssim")) if len(rows) else None


def _painters(panels: tuple[Panel, ...], faces: pd.DataFrame) -> list[drawing.Painter]:
    return [
        (
            f"{panel.y_label} against {panel.x_label}: {panel.title}",
            functools.partial(_draw_panel, panel=panel, faces=faces),
        )
        for panel in panels
        if panel.curves(faces)
    ]


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
        style.lam_axis(ax)
    if restores:
        ax.set_ylim(bottom=0)
    else:
        ax.set_ylim(0, 1.03)
        ax.axhline(BARS[panel.y], zorder=0, **style.thin("bar"))
