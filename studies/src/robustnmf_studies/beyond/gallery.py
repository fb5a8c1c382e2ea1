"""Faces before and after: what was written into them, what was found, what was restored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf_studies.beyond.methods import AUTO, FIXED, NAMES
from robustnmf_studies.beyond.settings import CORRUPTION_NAMES, CORRUPTIONS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Faces = Mapping[str, Mapping[str, NDArray[np.uint8]]]

# Found and right; accused wrongly; missed. All else is white.
_COLOURS = {"hit": (20, 20, 20), "alarm": (213, 94, 0), "miss": (86, 180, 233)}
_INCHES = 0.95
_SHOWN = 2
_ROWS = {
    "clean": "clean",
    "corrupted": "corrupted",
    f"found_{FIXED}": f"found,\n{NAMES[FIXED]}",
    f"found_{AUTO}": f"found,\n{NAMES[AUTO]}",
    f"restored_{FIXED}": f"restored,\n{NAMES[FIXED]}",
    f"restored_{AUTO}": f"restored,\n{NAMES[AUTO]}",
}


def compare_masks(true: NDArray[Any], found: NDArray[Any]) -> NDArray[np.uint8]:
    """Colour what was found by whether it is right; what is not zero is marked.

    Examples
    --------
    >>> compare_masks(np.array([[1, 0]]), np.array([[1, 0]]))[0].tolist()
    [[20, 20, 20], [255, 255, 255]]
    """
    picture = np.full((*true.shape, 3), 255, dtype=np.uint8)
    true, found = true != 0, found != 0
    picture[true & found] = _COLOURS["hit"]
    picture[found & ~true] = _COLOURS["alarm"]
    picture[true & ~found] = _COLOURS["miss"]
    return picture


def draw_gallery(faces: Faces) -> Figure:
    """Draw a column for each face and a row for each version of it.

    `faces` holds the pictures by corruption, then by version.
    """
    module: Any = import_extra("matplotlib.figure", "plot", "figures need")
    shown = [name for name in CORRUPTIONS if name in faces]
    columns = [(name, i) for name in shown for i in range(_SHOWN)]
    left, top, bottom = 0.95, 0.28, 0.32
    width = left + (_INCHES + 0.04) * len(columns)
    height = top + bottom + (_INCHES + 0.04) * len(_ROWS)
    figure: Figure = module.Figure(figsize=(width, height), dpi=120)
    grid = figure.subplots(len(_ROWS), len(columns), squeeze=False)
    figure.subplots_adjust(
        left=left / width,
        right=0.998,
        top=1 - top / height,
        bottom=bottom / height,
        wspace=0.04,
        hspace=0.04,
    )
    for row, (version, words) in zip(grid, _ROWS.items(), strict=True):
        row[0].annotate(
            words, (-0.06, 0.5), xycoords="axes fraction", ha="right", va="center", size=8
        )
        for ax, (name, i) in zip(row, columns, strict=True):
            picture = faces[name][version][i]
            if version.startswith("found"):
                ax.imshow(compare_masks(faces[name]["mask"][i], picture))
                ax.set(xticks=[], yticks=[])
                ax.grid(False)
                for spine in ax.spines.values():
                    spine.set(visible=True, color="0.8", lw=0.6)
            else:
                ax.imshow(picture, cmap="gray", vmin=0, vmax=255)
                ax.set_axis_off()
    for j in range(0, len(columns), _SHOWN):
        grid[0][j].set_title(CORRUPTION_NAMES[columns[j][0]], size=9, loc="left")
    _explain(figure, bottom / height)
    return figure


def _explain(figure: Figure, room: float) -> None:
    words = {"hit": "found and corrupt", "alarm": "false alarm", "miss": "missed"}
    patches = import_extra("matplotlib.patches", "plot", "figures need")
    handles = [
        patches.Patch(color=tuple(part / 255 for part in _COLOURS[kind]), label=label)
        for kind, label in words.items()
    ]
    figure.legend(
        handles=handles, loc="center", bbox_to_anchor=(0.5, room / 2), ncols=3, fontsize=8
    )
