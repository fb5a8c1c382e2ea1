"""Figure 4: every picture in every version, with its quality written below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf_studies.common.frames import mean_of, pick

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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

# Those that a page of the documentation has room for.
ON_A_PAGE = (
    "truth",
    "polluted",
    "nmf/paper",
    "robust/paper",
    "robust/optimum",
    "refit/optimum",
    "median/reference",
)

# In inches: the room for the names of the versions, and for the words below a picture.
_LEFT, _BELOW = 1.6, 0.2


def quality(table: pd.DataFrame, image: str, version: str) -> tuple[float, float] | None:
    """Return the mean PSNR and SSIM of a version of a picture; None for the truth itself."""
    method, _, mode = version.partition("/")
    rows = pick(table, image=image, method=method, mode=mode or None)
    return (mean_of(rows, "psnr"), mean_of(rows, "ssim")) if len(rows) else None


def draw_mosaic(
    pictures: Mapping[str, Mapping[str, NDArray[np.uint8]]],
    table: pd.DataFrame,
    versions: Sequence[str] = tuple(VERSIONS),
    *,
    inches: float = 1.5,
) -> Figure:
    """Draw a row for each version and a column for each picture, all of one size.

    Parameters
    ----------
    pictures : mapping of mappings of ndarray
        By name of the picture, then by version.
    table : pd.DataFrame
        Their PSNR and SSIM.
    versions : sequence of str, optional
        Which to show, by the keys of `VERSIONS`.
    inches : float, default=1.5
        Side of each picture.
    """
    module = import_extra("matplotlib.figure", "plot", "figures need")
    montage = import_extra("skimage.util", "image", "figures need").montage
    places = [(version, name) for version in versions for name in pictures]
    shown = np.stack([pictures[name][version] for version, name in places])
    side = shown.shape[2]
    gap, below = side // 32, round(side * _BELOW / inches)
    # White below each for its words, and to the right to part it from the next.
    cells = np.pad(shown, ((0, 0), (0, below), (0, gap)), constant_values=255)
    mosaic = montage(cells, grid_shape=(len(versions), len(pictures)))
    height, width = (pixels * inches / side for pixels in mosaic.shape)
    figure: Figure = module.Figure(figsize=(_LEFT + width, height), dpi=72)
    ax = figure.add_axes((_LEFT / (_LEFT + width), 0, width / (_LEFT + width), 1))
    ax.imshow(mosaic, cmap="gray", vmin=0, vmax=255)
    ax.set_axis_off()
    for i, (version, name) in enumerate(places):
        row, column = divmod(i, len(pictures))
        top, left = row * cells.shape[1], column * cells.shape[2]
        found = quality(table, name, version)
        words = f"{found[0]:.1f} dB · {found[1]:.2f}" if found else name
        middle = (left + side / 2, top + side + below / 2)
        ax.text(*middle, words, ha="center", va="center", size=7.5)
        if column == 0:
            words = VERSIONS[version].replace(", ", ",\n")
            ax.text(-gap, top + side / 2, words, ha="right", va="center", size=9)
    return figure
