"""The figures: curves of quality, and the pictures themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robustnmf.metrics import psnr
from robustnmf_studies.common.drawing import draw_panels, make_figure, write_figure
from robustnmf_studies.common.frames import Numbers, curve_of, pick, table_of
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.images.methods import METHOD_NAMES, NOTHING, ORACLE, OURS
from robustnmf_studies.images.settings import (
    DAMAGE_NAMES,
    IMPULSES,
    LINES,
    OCCLUSION,
    RANDOM,
    SALT_PEPPER,
    SHOWN,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LOOKS: dict[str, dict[str, Any]] = {
    OURS: {"color": "#c1272d", "lw": 2.6, "marker": "o", "ms": 5},
    ORACLE: {"color": "#777777", "ls": (0, (1, 1.5)), "lw": 2},
    "adaptive": {"color": "#0072b2", "lw": 1.5},
    "switching": {"color": "#009e73", "lw": 1.5},
    "median3": {"color": "#e69f00", "lw": 1.5},
    "tv": {"color": "#56b4e9", "lw": 1.5},
    "nlm": {"color": "#cc79a7", "lw": 1.5},
    "pca": {"color": "#8c564b", "lw": 1.5},
    "paper": {"color": "#333333", "lw": 1.5, "ls": (0, (4, 2))},
}
# What stands side by side for the eye.
_VERSIONS = ("clean", "dirty", "median3", "adaptive", "paper", OURS)
_WORDS = {"clean": "original", "dirty": "damaged"}
# Damages to show, each at the first level that there is; a quick run has no others.
_DAMAGES = ((SALT_PEPPER, (20, 10)), (RANDOM, (20, 10)), (LINES, (0,)), (OCCLUSION, (0,)))


def draw_all(numbers: Numbers, storage: Storage) -> dict[str, Any]:
    """Draw all figures that the numbers allow, as files and for the report.

    Returns
    -------
    dict
        ``curves``: the panels; ``legend``: what their lines mean; ``galleries``: names of files.
    """
    natural = pick(table_of(numbers, "images"), group="natural")
    methods = [name for name in _LOOKS if len(pick(natural, method=name))]
    legend = [(METHOD_NAMES[name], _LOOKS[name]) for name in methods]
    painters = []
    for measure, words in (("psnr", "PSNR (dB)"), ("f1", "F1")):
        for kind in IMPULSES:
            own = pick(natural, damage=kind)
            title = f"{words}, {DAMAGE_NAMES[kind]}"

            def paint(
                ax: Axes, rows: pd.DataFrame = own, y: str = measure, title: str = title
            ) -> None:
                _curves(ax, rows, y, title, methods)

            painters.append((title, paint))
    curves = draw_panels("images-curves", painters, 2, storage, legend)
    galleries = []
    found = storage.read_pictures()
    for name in SHOWN:
        rows = []
        for kind, levels in _DAMAGES:
            there = [level for level in levels if f"{name}-{kind}-{level}" in found]
            if there:
                words = DAMAGE_NAMES[kind] + (f", {there[0]} %" if there[0] else "")
                # Single pixels can be seen only from near by.
                near = kind in IMPULSES
                rows.append((words, found[f"{name}-{kind}-{there[0]}"], near))
        if rows:
            write_figure(f"images-{name}", _gallery(rows), storage)
            galleries.append(f"images-{name}")
    return {"curves": curves, "legend": legend, "galleries": galleries}


def _curves(ax: Axes, rows: pd.DataFrame, measure: str, title: str, methods: list[str]) -> None:
    for name in methods:
        if measure == "f1" and name in (ORACLE, NOTHING):
            continue
        series = curve_of(pick(rows, method=name), "amount", measure)
        ax.plot([100 * x for x in series.x], series.mean, **_LOOKS[name])
    ax.set_title(title)
    ax.set_xlabel("corrupt pixels (%)")
    ax.grid(alpha=0.3)


def _middle(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the middle half."""
    height, width = (length // 4 for length in picture.shape)
    return picture[height:-height, width:-width]


def _gallery(rows: list[tuple[str, dict[str, NDArray[np.uint8]], bool]]) -> Figure:
    cell = 1.75
    figure = make_figure(cell * len(_VERSIONS), (cell + 0.22) * len(rows))
    grid = figure.subplots(len(rows), len(_VERSIONS), squeeze=False)
    for line, (words, versions, near) in zip(grid, rows, strict=True):
        clean = versions["clean"]
        for ax, version in zip(line, _VERSIONS, strict=True):
            picture = versions[version]
            shown = _middle(picture) if near else picture
            ax.imshow(shown, cmap="gray", vmin=0, vmax=255, interpolation="nearest")
            ax.set_xticks([])
            ax.set_yticks([])
            label = _WORDS.get(version) or METHOD_NAMES[version].replace("denoise_image, ", "")
            if version != "clean":
                label += f"\n{psnr(clean, picture, data_range=255):.1f} dB"
            ax.set_xlabel(label, size=7.5, labelpad=2)
        line[0].set_ylabel(words, size=8)
    return figure
