"""Which points each figure needs, and how a point is computed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robustnmf_studies.common.storage import Rows, save_pictures
from robustnmf_studies.paper import faces, pictures, traces
from robustnmf_studies.paper.points import Point
from robustnmf_studies.paper.settings import PIXELS, PORTION_FACES, RANK_FACES, Plan, Settings

_OnFaces = Callable[[NDArray[np.uint8], Point, Settings], Rows]

COMPUTE: dict[str, _OnFaces] = {
    "faces": faces.compare,
    "portion": faces.best_lam,
    "rank": faces.other_rank,
    "curves": faces.thresholds,
    "trace": traces.trace,
}

# The paper's two numbers of faces for the curves over λ and pixels, and of pixels over faces.
FIXED = (50, 100)


def fig2_points(plan: Plan) -> list[Point]:
    """Return what the detection on faces needs."""
    points = []
    for run in range(plan.runs):
        points += [Point("faces", run, n, PIXELS) for n in plan.sweep]
        points += [Point("faces", run, n, PIXELS, lam) for n in FIXED for lam in plan.lams]
        points += [Point("faces", run, n, PIXELS) for n in FIXED]
        points += [Point("curves", run, n, PIXELS) for n in FIXED]
        points += [Point("trace", run, n, PIXELS) for n in plan.trace_faces]
        points += [
            Point("portion", run, PORTION_FACES, pixels, lam)
            for pixels in plan.portion_pixels
            for lam in plan.portion_lams
        ]
    return points


def fig3_points(plan: Plan) -> list[Point]:
    """Return what the reconstruction of faces needs."""
    points = []
    for run in range(plan.runs):
        points += [Point("faces", run, n, pixels) for n in FIXED for pixels in plan.sweep]
        points += [Point("faces", run, n, pixels) for pixels in FIXED for n in plan.sweep]
        points += [Point("curves", run, n, PIXELS) for n in FIXED]
        points += [Point("rank", run, RANK_FACES, PIXELS, k=k) for k in plan.ranks]
    return points


def fig4_points(plan: Plan) -> list[Point]:
    """Return what the denoising of pictures needs."""
    return [Point("picture", run, image=name) for run in range(plan.runs) for name in plan.images]


_POINTS = {"fig2": fig2_points, "fig3": fig3_points, "fig4": fig4_points}


def points_of(target: str, plan: Plan, n_faces: int) -> list[Point]:
    """Return the points of a figure, or of all, each once.

    Parameters
    ----------
    target : {"fig2", "fig3", "fig4", "all"}
        What to reproduce.
    plan : Plan
        How much of it.
    n_faces : int
        How many faces there are; more cannot be asked for.

    Returns
    -------
    list of Point
        In such an order that the first run is complete first, if the rest is not waited for.

    Examples
    --------
    >>> len(points_of("fig4", Plan(runs=2, images=("camera",)), 0))
    2
    """
    if target not in (*_POINTS, "all"):
        raise ValueError(f"target={target!r} is not known; choose one of {', '.join(_POINTS)}, all")
    figures = _POINTS if target == "all" else {target: _POINTS[target]}
    points = dict.fromkeys(point for make in figures.values() for point in make(plan))
    possible = [point for point in points if point.n <= n_faces]
    return sorted(possible, key=lambda point: point.run)


def compute(point: Point, folder: Path, images: NDArray[np.uint8], settings: Settings) -> Rows:
    """Compute a point; the first run of a picture is also left as a file.

    Parameters
    ----------
    point : Point
        What to compute.
    folder : Path
        Where denoised pictures go.
    images : ndarray of uint8
        All faces.
    settings : Settings
        What all points share.

    Returns
    -------
    dict of lists of rows
        By table.
    """
    if point.kind != "picture":
        return COMPUTE[point.kind](images, point, settings)
    tables, shown = pictures.denoise(point, settings)
    if point.run == 0:
        save_pictures(folder / f"{point.image}.npz", shown)
    return tables
