"""How a point is computed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robustnmf_studies.common.storage import Rows, save_pictures
from robustnmf_studies.paper import faces, pictures, traces
from robustnmf_studies.paper.settings import Point, Settings

_ON_FACES = {
    "faces": faces.compare,
    "portion": faces.best_lam,
    "rank": faces.other_rank,
    "curves": faces.thresholds,
    "trace": traces.trace,
}


def compute(point: Point, folder: Path, images: NDArray[np.uint8], settings: Settings) -> Rows:
    """Compute a point from all faces; the first run of a picture is also left as a file."""
    if point.kind != "picture":
        problem = faces.make_problem(images, point, settings)
        return _ON_FACES[point.kind](problem, point, settings)
    tables, shown = pictures.denoise(point, settings)
    if point.run == 0:
        save_pictures(folder / f"{point.image}.npz", shown)
    return tables
