"""The numbers behind the figures as tables of words, for the report and the documentation."""

from __future__ import annotations

import pandas as pd

from robustnmf_studies.common.frames import (
    Curve,
    Numbers,
    mean_of,
    pick,
    table_of,
    text_table,
    unique_of,
)
from robustnmf_studies.paper.methods import NAMES
from robustnmf_studies.paper.panels import FIG2, FIG3, Panel
from robustnmf_studies.paper.settings import OPTIMUM, PAPER
from robustnmf_studies.paper.traces import STATED_TOLERANCE, TOLERANCES

_MODES = {PAPER: ", paper", OPTIMUM: ", optimum"}
# Iterations of the paper's rules at which a page tells what they come to.
_ITERATIONS = (20, 50, 100, 200, 500, 2000)


def panel_tables(numbers: Numbers) -> list[pd.DataFrame]:
    """Return a table for each panel of figures 2 and 3 that there are numbers for."""
    faces = table_of(numbers, "faces")
    found = ((panel, panel.curves(faces)) for panel in (*FIG2, *FIG3))
    return [_panel(panel, curves) for panel, curves in found if curves]


def _panel(panel: Panel, curves: dict[tuple[str, str], Curve]) -> pd.DataFrame:
    # Methods that know no λ have a single value, which the table of figure 2's first panel holds.
    places = max((curve.x for curve in curves.values()), key=len)
    rows = [
        (
            NAMES[method] + _MODES.get(mode, ""),
            *(_cell(panel, curve, place) for place in places),
        )
        for (method, mode), curve in curves.items()
    ]
    unit = " (thousands)" if panel.y == "msre" else ""
    words = f"{panel.y_label.split(' (')[0]}{unit} against {panel.x_label}"
    columns = ("", *(f"{place:g}" for place in places))
    return text_table(f"{panel.title}: {words}", columns, rows)


def _cell(panel: Panel, curve: Curve, place: float) -> str:
    if place not in curve.x:
        return ""
    i = curve.x.index(place)
    scale, form = (1000, ".0f") if panel.y == "msre" else (1, ".2f")
    spread = f" ± {curve.spread[i] / scale:{form}}" if curve.counts[i] > 1 else ""
    return f"{curve.mean[i] / scale:{form}}{spread}"


def picture_table(numbers: Numbers) -> pd.DataFrame:
    """Return the quality of all pictures, by method."""
    pictures = table_of(numbers, "pictures")
    images = unique_of(pictures, "image")
    rows = []
    if images:
        methods = pictures[["method", "mode"]].fillna("").drop_duplicates()
        for method, mode in methods.itertuples(index=False, name=None):
            own = pick(pictures, method=method, mode=mode or None)
            found = (pick(own, image=image) for image in images)
            cells = (f"{mean_of(one, 'psnr'):.2f} / {mean_of(one, 'ssim'):.3f}" for one in found)
            rows.append((NAMES[method] + _MODES.get(mode, ""), *cells))
    return text_table("Pictures: PSNR in dB / SSIM", ("method", *images), rows)


def iteration_table(numbers: Numbers) -> pd.DataFrame:
    """Return what the paper's rules come to after more and more iterations."""
    rules = pick(table_of(numbers, "traces"), solver="mu")
    recall = f"recall_{STATED_TOLERANCE:g}"
    rows = []
    for n in unique_of(rules, "n"):
        for iteration in _ITERATIONS:
            here = pick(rules, n=n, iteration=iteration)
            if len(here):
                cells = [f"{mean_of(here, f'precision_{t:g}'):.2f}" for t in TOLERANCES]
                cells += [f"{mean_of(here, recall):.2f}", f"{mean_of(here, 'msre') / 1000:.0f}"]
                rows.append((f"{n:g}", str(iteration), *cells))
    columns = (
        "faces",
        "iterations",
        *(f"precision, tolerance {100 * t:g} %" for t in TOLERANCES),
        f"recall, tolerance {100 * STATED_TOLERANCE:g} %",
        "MSRE (thousands)",
    )
    return text_table("Early stopping", columns, rows)


def rank_table(numbers: Numbers) -> pd.DataFrame:
    """Return how much the number of components matters."""
    ranks = table_of(numbers, "ranks")
    rows = []
    for k in unique_of(ranks, "k"):
        own = pick(ranks, k=k)
        robust = pick(own, method="robust")
        shares = (f"{mean_of(robust, name):.2f}" for name in ("precision", "recall"))
        errors = (mean_of(pick(own, method=m), "msre") for m in ("nmf", "robust", "refit"))
        rows.append((f"{k:g}", *shares, *(f"{error / 1000:.0f}k" for error in errors)))
    columns = ("k", "precision", "recall", "MSRE of NMF", "RobustNMF", "RobustNMF+WNMF")
    return text_table("Number of components", columns, rows)
