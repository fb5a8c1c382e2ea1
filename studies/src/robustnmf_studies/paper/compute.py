"""How a point is computed; on faces: draw a subset, pollute it, let every method try."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from robustnmf.datasets import corrupt
from robustnmf.metrics import msre
from robustnmf_studies.common.detection import at_best_threshold, curve, score
from robustnmf_studies.common.problem import LAM, Array, K, Problem, timed
from robustnmf_studies.common.storage import Rows, save_pictures
from robustnmf_studies.paper import pictures
from robustnmf_studies.paper.methods import METHODS, Answer, oracle, plain_nmf
from robustnmf_studies.paper.settings import MODES, OPTIMUM, PAPER, REFERENCE, Point, Settings
from robustnmf_studies.paper.traces import trace

# True sizes of the noise, in grey levels, between which its estimates are averaged.
_SIZES = np.arange(20, 261, 20)


def compute(point: Point, folder: Path, images: NDArray[np.uint8], settings: Settings) -> Rows:
    """Compute a point from all faces; the first run of a picture is also left as a file."""
    if point.kind != "picture":
        problem = make_problem(images, point, settings)
        return _ON_FACES[point.kind](problem, point, settings)
    tables, shown = pictures.denoise(point, settings)
    if point.run == 0:
        save_pictures(folder / f"{point.image}.npz", shown)
    return tables


def make_problem(images: NDArray[np.uint8], point: Point, settings: Settings) -> Problem:
    """Draw the faces and the noise of a point from all faces, of shape (n, height, width).

    They are the same for every λ; and within a run, more faces include the fewer, so that curves
    differ by what they are about.
    """
    chosen = np.random.default_rng([settings.seed, point.run]).permutation(len(images))[: point.n]
    clean = images[chosen].reshape(len(chosen), -1)
    noise = np.random.default_rng([settings.seed, point.run, point.n, point.pixels])
    X, mask = corrupt(clean, "salt", point.pixels, high=255, random_state=noise)
    return Problem(
        X.astype(np.float64),
        clean.astype(np.float64),
        mask,
        seed=settings.seed + point.run,
        lam=point.lam,
        image_shape=(images.shape[1], images.shape[2]),
        k=point.k,
    )


def compare(problem: Problem, point: Point, settings: Settings) -> Rows:
    """Let every method find the noise and restore the faces.

    ``faces`` has a row for each method, ``shrinkage`` how large RobustNMF says the noise is. Where
    λ is not the paper's, only RobustNMF runs, since nothing else depends on λ.
    """
    tables: Rows = {"faces": [], "shrinkage": []}
    for (name, mode), method in METHODS.items():
        if point.lam != LAM and name != "robust":
            continue
        answer, seconds = timed(functools.partial(method, problem, settings))
        tables["faces"].append(_row(name, mode, problem, point, answer, seconds))
        if (name, mode) == ("robust", OPTIMUM):
            kept = answer.keep_clean(problem.X)
            tables["faces"].append(_row("keep", OPTIMUM, problem, point, kept, seconds))
        if mode in MODES and answer.noise is not None and point.lam == LAM:
            columns = point.columns() | {"method": name, "mode": mode}
            tables["shrinkage"] += [columns | row for row in _shrinkage(problem, answer.noise)]
    return tables


def best_lam(problem: Problem, point: Point, settings: Settings) -> Rows:
    """Score RobustNMF at the optimum for one λ and one share of corrupt pixels."""
    return {"portion": [_at_optimum("robust", problem, point, settings)]}


def other_rank(problem: Problem, point: Point, settings: Settings) -> Rows:
    """Let the paper's three methods run to the optimum with another number of components."""
    rows = (_at_optimum(n, problem, point, settings) for n in ("nmf", "robust", "refit"))
    return {"ranks": [row | {"k": point.k} for row in rows]}


def _at_optimum(name: str, problem: Problem, point: Point, settings: Settings) -> dict[str, Any]:
    found = timed(lambda: METHODS[name, OPTIMUM](problem, settings))
    return _row(name, OPTIMUM, problem, point, *found)


def thresholds(problem: Problem, point: Point, settings: Settings) -> Rows:
    """Score every threshold on the residuals of methods that know of no noise.

    ``curves`` has a row for each method and threshold, ``sensitivity`` the error of NMF and PCA
    learned from clean and from polluted faces.
    """

    def restored(clean: bool) -> dict[tuple[str, str], Array]:
        nmf = (functools.partial(plain_nmf, problem, settings, mode=m, clean=clean) for m in MODES)
        by_paper, optimum = (timed(fit)[0].restored for fit in nmf)
        pca = PCA(min(K, point.n), svd_solver="full")
        product = pca.inverse_transform(pca.fit_transform(problem.clean if clean else problem.X))
        return {("nmf", PAPER): by_paper, ("nmf", OPTIMUM): optimum, ("pca", OPTIMUM): product}

    polluted, unpolluted = restored(clean=False), restored(clean=True)
    told = {("oracle", OPTIMUM): timed(lambda: oracle(problem, settings))[0].restored}
    columns = point.columns()
    return {
        "curves": [
            {**columns, "method": name, "mode": mode, **row}
            for (name, mode), product in (polluted | told).items()
            for row in curve(problem.mask, problem.X - product)
        ],
        "sensitivity": [
            {
                **columns,
                "method": name,
                "mode": mode,
                "msre_clean": msre(problem.clean, product),
                "msre_polluted": msre(problem.clean, polluted[name, mode]),
            }
            for (name, mode), product in unpolluted.items()
        ],
    }


def _row(
    name: str, mode: str, problem: Problem, point: Point, answer: Answer, seconds: float
) -> dict[str, Any]:
    if answer.noise is not None and mode != REFERENCE:
        found = score(problem.mask, answer.noise != 0)
    else:
        # Methods that were not made to detect get the threshold that suits them best.
        residual = problem.X - answer.restored if answer.noise is None else answer.noise
        found = at_best_threshold(problem.mask, residual)
    return {
        **point.columns("lam"),
        "method": name,
        "mode": mode,
        **found._asdict(),
        "msre": msre(problem.clean, answer.restored),
        "n_iter": answer.n_iter,
        "seconds": round(seconds, 4),
    }


def _shrinkage(problem: Problem, noise: Array) -> list[dict[str, Any]]:
    """Average E over the noise found, in bands of its true size."""
    found = problem.mask & (noise != 0)
    pixels = pd.DataFrame({"true": (problem.X - problem.clean)[found], "estimate": noise[found]})
    middles = (_SIZES[1:] + _SIZES[:-1]) / 2
    bands = pd.cut(pixels["true"], _SIZES, right=False, labels=middles)
    means = pixels.groupby(bands.rename("size"), observed=True).agg(
        count=("true", "size"), true=("true", "mean"), estimate=("estimate", "mean")
    )
    rows: list[dict[str, Any]] = means.reset_index().to_dict("records")
    return rows


_ON_FACES = {
    "faces": compare,
    "portion": best_lam,
    "rank": other_rank,
    "curves": thresholds,
    "trace": trace,
}
