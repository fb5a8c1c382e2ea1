"""Figure 4: every picture in every version, with its quality written below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf_studies.common.frames import mean_of, pick

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Versions = Mapping[str, NDArray[np.uint8]]

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


def quality(table: pd.DataFrame, image: str, version: str) -> tuple[float, float] | None:
    """Return the mean PSNR and SSIM of a version of a picture; None for the truth itself."""
    method, _, mode = version.partition("/")
    rows = pick(table, image=image, method=method, mode=mode or None)
    return (mean_of(rows, "psnr"), mean_of(rows, "ssim")) if len(rows) else None


def draw_mosaic(
    pictures: Mapping[str, Versions],
    table: pd.DataFrame,
    versions: Sequence[str] = tuple(VERSIONS),
    *,
    inches: float = 1.5,
) -> Figure:
    """Draw a row for each version and a column for each picture.

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

    Returns
    -------
    matplotlib Figure
    """
    module: Any = import_extra("matplotlib.figure", "plot", "figures need")
    names, shown = list(pictures), list(versions)
    size = (inches * len(names) + 1.6, (inches + 0.2) * len(shown))
    figure: Figure = module.Figure(figsize=size, dpi=72)
    grid = figure.subplots(len(shown), len(names), squeeze=False)
    left = 1.6 / size[0]
    figure.subplots_adjust(
        left=left, right=0.995, top=0.995, bottom=0.015, wspace=0.03, hspace=0.14
    )
    for row, version in zip(grid, shown, strict=True):
        row[0].annotate(
            VERSIONS[version].replace(", ", ",\n"),
            (-0.05, 0.5),
            xycoords="axes fraction",
            ha="right",
            va="center",
            size=9,
        )
        for ax, name in zip(row, names, strict=True):
            ax.imshow(pictures[name][version], cmap="gray", vmin=0, vmax=255)
            ax.set_axis_off()
            found = quality(table, name, version)
            words = f"{found[0]:.1f} dB · {found[1]:.2f}" if found else name
            ax.set_title(words, size=7.5, weight="normal", y=-0.13, pad=0)
    return figure
