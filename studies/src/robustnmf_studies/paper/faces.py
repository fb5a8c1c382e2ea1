"""One point of the experiments on faces: draw a subset, pollute it, let every method try."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from robustnmf.datasets import corrupt
from robustnmf.metrics import msre
from robustnmf_studies.common.detection import Detection, at_best_threshold, curve, score
from robustnmf_studies.common.problem import LAM, K
from robustnmf_studies.common.storage import Rows
from robustnmf_studies.paper.methods import (
    ALL,
    NMFS,
    ORACLE,
    REFITS,
    ROBUST,
    Answer,
    Method,
    Problem,
    keep_clean,
    plain_nmf,
    timed,
)
from robustnmf_studies.paper.points import Point
from robustnmf_studies.paper.settings import MODES, OPTIMUM, PAPER, REFERENCE, Settings

# True sizes of the noise, in grey levels, between which its estimates are averaged.
SIZES = tuple(range(20, 261, 20))


def make_problem(images: NDArray[np.uint8], point: Point, settings: Settings) -> Problem:
    """Draw the faces and the noise of a point.

    Parameters
    ----------
    images : ndarray of uint8, shape (n, height, width)
        All faces.
    point : Point
        Which run, how many faces and pixels, which λ.
    settings : Settings
        Holds the seed.

    Returns
    -------
    Problem
        The same for every λ; and within a run, more faces include the fewer, so that curves
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


def compare(images: NDArray[np.uint8], point: Point, settings: Settings) -> Rows:
    """Let every method find the noise and restore the faces.

    Parameters
    ----------
    images : ndarray of uint8, shape (n, height, width)
        All faces.
    point : Point
        What to draw from them. Where its λ is not the paper's, only RobustNMF runs, since nothing
        else depends on λ.
    settings : Settings
        Iterations, tolerance, seed.

    Returns
    -------
    dict of lists of rows
        ``faces``: a row for each method; ``shrinkage``: how large RobustNMF says the noise is.
    """
    problem = make_problem(images, point, settings)
    tables: Rows = {"faces": [], "shrinkage": []}
    for method in ALL if point.lam == LAM else ROBUST:
        answer, seconds = timed(method, problem, settings)
        tables["faces"].append(_row(method.name, method.mode, problem, point, answer, seconds))
        if (method.name, method.mode) == ("robust", OPTIMUM):
            kept = keep_clean(answer, problem.X)
            tables["faces"].append(_row("keep", OPTIMUM, problem, point, kept, seconds))
        if method.mode in MODES and answer.noise is not None and point.lam == LAM:
            tables["shrinkage"] += _shrinkage(method, problem, point, answer.noise)
    return tables


def best_lam(images: NDArray[np.uint8], point: Point, settings: Settings) -> Rows:
    """Score RobustNMF at the optimum for one λ and one share of corrupt pixels."""
    problem = make_problem(images, point, settings)
    method = ROBUST[MODES.index(OPTIMUM)]
    answer, seconds = timed(method, problem, settings)
    return {"portion": [_row(method.name, method.mode, problem, point, answer, seconds)]}


def other_rank(images: NDArray[np.uint8], point: Point, settings: Settings) -> Rows:
    """Let the paper's three methods run to the optimum with another number of components."""
    problem = make_problem(images, point, settings)
    rows = []
    for method in (NMFS, ROBUST, REFITS):
        chosen = method[MODES.index(OPTIMUM)]
        answer, seconds = timed(chosen, problem, settings)
        row = _row(chosen.name, chosen.mode, problem, point, answer, seconds)
        rows.append(row | {"k": point.k})
    return {"ranks": rows}


def thresholds(images: NDArray[np.uint8], point: Point, settings: Settings) -> Rows:
    """Score every threshold on the residuals of methods that know of no noise.

    Returns
    -------
    dict of lists of rows
        ``curves``: a row for each method and threshold; ``sensitivity``: the error of NMF and PCA
        learned from clean and from polluted faces.
    """
    problem = make_problem(images, point, settings)
    oracle, _ = timed(ORACLE, problem, settings)
    restored = {
        ("nmf", PAPER): _nmf(problem.X, PAPER, problem, settings),
        ("nmf", OPTIMUM): _nmf(problem.X, OPTIMUM, problem, settings),
        ("pca", OPTIMUM): _pca(problem.X),
        ("oracle", OPTIMUM): oracle.restored,
    }
    place = {"n": point.n, "pixels": point.pixels, "run": point.run}
    curves = [
        {**place, "method": name, "mode": mode, **row}
        for (name, mode), product in restored.items()
        for row in curve(problem.mask, problem.X - product)
    ]
    unpolluted = {
        ("nmf", PAPER): _nmf(problem.clean, PAPER, problem, settings),
        ("nmf", OPTIMUM): _nmf(problem.clean, OPTIMUM, problem, settings),
        ("pca", OPTIMUM): _pca(problem.clean),
    }
    sensitivity = [
        {
            **place,
            "method": name,
            "mode": mode,
            "msre_clean": msre(problem.clean, product),
            "msre_polluted": msre(problem.clean, restored[name, mode]),
        }
        for (name, mode), product in unpolluted.items()
    ]
    return {"curves": curves, "sensitivity": sensitivity}


def _nmf(X: NDArray[Any], mode: str, problem: Problem, settings: Settings) -> NDArray[Any]:
    method = Method("nmf", mode, lambda p, s: plain_nmf(X, mode, p, s))
    return timed(method, problem, settings)[0].restored


def _pca(X: NDArray[Any]) -> NDArray[Any]:
    model = PCA(min(K, len(X)), svd_solver="full")
    return np.asarray(model.inverse_transform(model.fit_transform(X)))


def _row(
    name: str, mode: str, problem: Problem, point: Point, answer: Answer, seconds: float
) -> dict[str, Any]:
    found: Detection
    if answer.noise is not None and mode != REFERENCE:
        found = score(problem.mask, answer.noise != 0)
    else:
        # Methods that were not made to detect get the threshold that suits them best.
        residual = problem.X - answer.restored if answer.noise is None else answer.noise
        found = at_best_threshold(problem.mask, residual)
    return {
        "n": point.n,
        "pixels": point.pixels,
        "lam": point.lam,
        "run": point.run,
        "method": name,
        "mode": mode,
        **found._asdict(),
        "msre": msre(problem.clean, answer.restored),
        "n_iter": answer.n_iter,
        "seconds": round(seconds, 4),
    }


def _shrinkage(
    method: Method, problem: Problem, point: Point, noise: NDArray[Any]
) -> list[dict[str, Any]]:
    """Average E over the noise found, in bands of its true size."""
    found = problem.mask & (noise != 0)
    true, estimate = (problem.X - problem.clean)[found], noise[found]
    rows = []
    for low, high in pairwise(SIZES):
        band = (true >= low) & (true < high)
        if band.any():
            rows.append(
                {
                    "n": point.n,
                    "pixels": point.pixels,
                    "run": point.run,
                    "method": method.name,
                    "mode": method.mode,
                    "size": (low + high) / 2,
                    "count": int(band.sum()),
                    "true": float(true[band].mean()),
                    "estimate": float(estimate[band].mean()),
                }
            )
    return rows
