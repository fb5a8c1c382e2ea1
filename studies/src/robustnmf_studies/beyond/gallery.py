"""Faces before and after: what was written into them, what was found, what was restored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf_studies.beyond.methods import AUTO, FIXED, NAMES
from robustnmf_studies.beyond.settings import CORRUPTION_NAMES, CORRUPTIONS
from robustnmf_studies.common.drawing import draw_mosaic

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What colours mean; all that is neither found nor corrupt is nearly white.
_COLOURS = {
    "found and corrupt": (20, 20, 20),
    "false alarm": (213, 94, 0),
    "missed": (86, 180, 233),
}
_REST = 242
_FACES = 2
_ROWS = {"clean": "clean", "corrupted": "corrupted"} | {
    f"{what}_{name}": f"{what},\n{NAMES[name]}"
    for what in ("found", "restored")
    for name in (FIXED, AUTO)
}


def compare_masks(true: NDArray[Any], found: NDArray[Any]) -> NDArray[np.uint8]:
    """Colour what was found by whether it is right; what is not zero is marked.

    Examples
    --------
    >>> compare_masks(np.array([[1, 0]]), np.array([[1, 0]]))[0].tolist()
    [[20, 20, 20], [242, 242, 242]]
    """
    picture = np.full((*true.shape, 3), _REST, dtype=np.uint8)
    true, found = true != 0, found != 0
    for where, colour in zip(
        (true & found, found & ~true, true & ~found), _COLOURS.values(), strict=True
    ):
        picture[where] = colour
    return picture


def draw_gallery(faces: Mapping[str, Mapping[str, NDArray[np.uint8]]]) -> Figure:
    """Draw a row for each version of the faces, some faces for each corruption.

    `faces` holds the pictures by corruption, then by version.
    """
    shown = [name for name in CORRUPTIONS if name in faces]

    def pictures(version: str) -> list[tuple[NDArray[np.uint8], str]]:
        found = (
            compare_masks(faces[name]["mask"], faces[name][version])
            if version.startswith("found")
            else faces[name][version]
            for name in shown
        )
        return [(picture, "") for several in found for picture in several[:_FACES]]

    rows = [(words, pictures(version)) for version, words in _ROWS.items()]
    heads = [CORRUPTION_NAMES[name] if i == 0 else "" for name in shown for i in range(_FACES)]
    figure = draw_mosaic(rows, heads, inches=0.95, left=0.95, below=0.04, foot=0.3)
    patches = import_extra("matplotlib.patches", "plot", "figures need")
    handles = [
        patches.Patch(color=tuple(part / 255 for part in colour), label=words)
        for words, colour in _COLOURS.items()
    ]
    figure.legend(handles=handles, loc="lower center", ncols=3, fontsize=8)
    return figure
