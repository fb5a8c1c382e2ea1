"""The figures: curves of quality, and the pictures themselves."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robustnmf.metrics import psnr
from robustnmf_studies.common.drawing import PictureRow, draw_mosaic, draw_panels, write_figure
from robustnmf_studies.common.frames import Numbers, means, pick, table_of
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.images import settings
from robustnmf_studies.images.methods import METHOD_NAMES, ORACLE, OURS
from robustnmf_studies.images.settings import DAMAGE_NAMES, IMPULSES, noise_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
_WORDS = METHOD_NAMES | {"clean": "original", "dirty": "damaged", "paper": 'mode="paper"'}


def draw_all(numbers: Numbers, storage: Storage) -> dict[str, Any]:
    """Draw all figures that the numbers allow, as files and for the report.

    Returns
    -------
    dict
        ``curves``: the panels; ``legend``: what their lines mean; ``galleries``: names of files.
    """
    natural = pick(table_of(numbers, "images"), group="natural")
    legend = [(METHOD_NAMES[m], look) for m, look in _LOOKS.items() if len(pick(natural, method=m))]
    painters = []
    for measure, words in (("psnr", "PSNR (dB)"), ("f1", "F1")):
        for kind in IMPULSES:
            title = f"{words}, {DAMAGE_NAMES[kind]}"
            rows = pick(natural, damage=kind)
            paint = functools.partial(_curves, rows=rows, measure=measure, title=title)
            painters.append((title, paint))
    curves = draw_panels("images-curves", painters, 2, storage, legend)
    found = storage.read_pictures()
    galleries = {f"images-{name}": _gallery_rows(name, found) for name in settings.SHOWN}
    galleries = {name: rows for name, rows in galleries.items() if rows}
    for name, rows in galleries.items():
        mosaic = draw_mosaic(rows, inches=1.75, left=1.7, below=0.36)
        write_figure(name, mosaic, storage)
    return {"curves": curves, "legend": legend, "galleries": list(galleries)}


def _curves(ax: Axes, rows: pd.DataFrame, measure: str, title: str) -> None:
    for name, look in _LOOKS.items():
        series = means(pick(rows, method=name), "amount", measure)
        if len(series):
            ax.plot(100 * series.index, series, **look)
    ax.set(title=title, xlabel="corrupt pixels (%)")
    ax.grid(alpha=0.3)


def _gallery_rows(name: str, found: dict[str, dict[str, NDArray[np.uint8]]]) -> list[PictureRow]:
    """Return a row for each damage of a picture, all versions with their PSNR below."""
    rows: list[PictureRow] = []
    for kind in (*IMPULSES, settings.LINES, settings.OCCLUSION):
        # A quick run has fewer levels; the first that there is will do.
        levels = [level for level in (20, 10, 0) if f"{name}-{kind}-{level}" in found]
        if levels:
            versions = found[f"{name}-{kind}-{levels[0]}"]
            # Single pixels can be seen only from near by.
            near = _twice if kind in IMPULSES else np.asarray
            cells = [(near(versions[v]), _label(v, versions)) for v in _VERSIONS]
            rows.append((noise_words(kind, levels[0] / 100).replace(", ", ",\n"), cells))
    return rows


def _twice(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the middle half, enlarged to the size of the whole."""
    height, width = (length // 4 for length in picture.shape)
    return picture[height:-height, width:-width].repeat(2, axis=0).repeat(2, axis=1)


def _label(version: str, versions: dict[str, NDArray[np.uint8]]) -> str:
    if version == "clean":
        return _WORDS[version]
    return f"{_WORDS[version]}\n{psnr(versions['clean'], versions[version], data_range=255):.1f} dB"
