"""The numbers behind the figures, as HTML tables."""

from __future__ import annotations

from collections.abc import Callable

from robustnmf._report import table as html_table
from robustnmf_studies.common.methods import NAMES
from robustnmf_studies.common.settings import OPTIMUM, PAPER
from robustnmf_studies.common.table import Series, Table
from robustnmf_studies.common.verdicts import Numbers
from robustnmf_studies.paper.panels import FIG2, FIG3, Panel

_MODES = {PAPER: ", paper", OPTIMUM: ", optimum"}


def number_tables(numbers: Numbers) -> str:
    """Return a table for each panel, and one for the pictures; folded, since they are long.

    Parameters
    ----------
    numbers : mapping of Table
        The tables.

    Returns
    -------
    str
        HTML; empty without numbers.
    """
    faces = numbers.get("faces", Table())
    html = [_panel(panel, faces) for panel in (*FIG2, *FIG3)]
    html.append(_pictures(numbers.get("pictures", Table())))
    found = "".join(html)
    if not found:
        return ""
    return (
        "<p>Mean ± standard deviation over the runs. The files in <code>numbers/</code> hold every "
        "run.</p><details><summary>Show the tables</summary>" + found + "</details>"
    )


def _panel(panel: Panel, faces: Table) -> str:
    curves = panel.curves(faces)
    if not curves:
        return ""
    # Methods that know no λ have a single value, which the table of figure 2's first panel holds.
    places = max((series.x for series in curves.values()), key=len)
    write: Callable[[float], str] = (
        (lambda value: f"{value / 1000:.0f}k") if panel.y == "msre" else (lambda v: f"{v:.2f}")
    )
    rows = [
        [NAMES[method] + _MODES.get(mode, ""), *(_cell(series, x, write) for x in places)]
        for (method, mode), series in curves.items()
    ]
    head = [f"{panel.y_label.split(' (')[0]} \\ {panel.x_label}", *(f"{x:g}" for x in places)]
    return html_table(panel.title, head, rows)


def _cell(series: Series, x: float, write: Callable[[float], str]) -> str:
    if x not in series.x:
        return ""
    i = series.x.index(x)
    spread = f" ± {write(series.spread[i])}" if series.counts[i] > 1 else ""
    return write(series.mean[i]) + spread


def _pictures(table: Table) -> str:
    images = table.unique("image")
    if not images:
        return ""
    methods = dict.fromkeys((row["method"], row["mode"]) for row in table)
    rows = []
    for method, mode in methods:
        found = table.where(method=method, mode=mode)
        cells = [
            f"{found.where(image=image).mean('psnr'):.2f} / "
            f"{found.where(image=image).mean('ssim'):.3f}"
            for image in images
        ]
        rows.append([NAMES[method] + _MODES.get(mode, ""), *cells])
    return html_table("Pictures: PSNR in dB / SSIM", ["method", *images], rows)
