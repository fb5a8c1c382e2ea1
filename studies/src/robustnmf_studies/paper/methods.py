"""The methods that are compared: each takes data with noise in it and returns what it makes of it.

Those of the paper come in two modes: "paper", its own multiplicative rules for a stated number of
iterations, and "optimum", run until nothing more is gained.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

from robustnmf import WeightedNMF, robust_nmf
from robustnmf_studies.common.pcp import principal_component_pursuit
from robustnmf_studies.common.problem import Problem
from robustnmf_studies.paper.settings import OPTIMUM, PAPER, REFERENCE, Settings

Array = NDArray[Any]


class Answer(NamedTuple):
    """What a method makes of the data.

    Attributes
    ----------
    restored : ndarray
        Its guess of the clean data.
    noise : ndarray or None
        E, where the method has one. Nonzero means: corrupt.
    n_iter : int
        Iterations taken.
    """

    restored: Array
    noise: Array | None = None
    n_iter: int = 0


class Method(NamedTuple):
    """A method in one of its modes; its line in the table is (name, mode)."""

    name: str
    mode: str
    run: Callable[[Problem, Settings], Answer]


def timed(method: Method, problem: Problem, settings: Settings) -> tuple[Answer, float]:
    """Run a method; return its answer and the seconds it took."""
    began = time.perf_counter()
    with warnings.catch_warnings():
        # The paper's rules are stopped early on purpose.
        warnings.simplefilter("ignore", ConvergenceWarning)
        answer = method.run(problem, settings)
    return answer, time.perf_counter() - began


def _effort(mode: str, settings: Settings) -> dict[str, Any]:
    if mode == PAPER:
        return {"solver": "mu", "max_iter": settings.iterations, "tol": 0.0}
    return {"solver": "hals", "max_iter": settings.max_iter, "tol": settings.tol}


def _robust(mode: str, refit: str | None = None) -> Callable[[Problem, Settings], Answer]:
    def run(problem: Problem, settings: Settings) -> Answer:
        W, H, E, n_iter = robust_nmf(
            problem.X,
            problem.k,
            lam=problem.lam,
            refit=refit,
            random_state=problem.seed,
            **_effort(mode, settings),
        )
        return Answer(W @ H, E.toarray(), n_iter)

    return run


def keep_clean(answer: Answer, X: Array) -> Answer:
    """Leave pixels that are not suspected as measured, which is what `denoise` does."""
    assert answer.noise is not None
    return answer._replace(restored=np.where(answer.noise != 0, answer.restored, X))


def _nmf(mode: str) -> Callable[[Problem, Settings], Answer]:
    def run(problem: Problem, settings: Settings) -> Answer:
        return plain_nmf(problem.X, mode, problem, settings)

    return run


def plain_nmf(X: Array, mode: str, problem: Problem, settings: Settings) -> Answer:
    """scikit-learn's NMF: Lee and Seung's rules, or coordinate descent to the optimum."""
    if mode == PAPER:
        effort: dict[str, Any] = {"solver": "mu", "max_iter": settings.iterations, "tol": 0.0}
    else:
        # Its tolerance is of another kind than ours; below this its error no longer changes.
        effort = {"solver": "cd", "max_iter": settings.max_iter, "tol": 1e-4}
    model = NMF(problem.k, init="random", random_state=problem.seed, **effort)
    W = model.fit_transform(X)
    return Answer(W @ model.components_, None, model.n_iter_)


def _oracle(problem: Problem, settings: Settings) -> Answer:
    """WNMF that is told where the noise is: what the detection could gain at best."""
    effort = _effort(OPTIMUM, settings)
    model = WeightedNMF(problem.k, random_state=problem.seed, **effort)
    W = model.fit_transform(problem.X, weights=~problem.mask)
    return Answer(W @ model.components_, None, model.n_iter_)


def _pursuit(problem: Problem, settings: Settings) -> Answer:
    found = principal_component_pursuit(problem.X)
    return Answer(found.low_rank, found.sparse, found.n_iter)


def _median(problem: Problem, settings: Settings) -> Answer:
    """The middle of each pixel and its eight neighbours."""
    assert problem.image_shape is not None
    pictures = problem.X.reshape(-1, *problem.image_shape)
    return Answer(median_filter(pictures, size=(1, 3, 3)).reshape(problem.X.shape))


NMFS = tuple(Method("nmf", mode, _nmf(mode)) for mode in (PAPER, OPTIMUM))
ROBUST = tuple(Method("robust", mode, _robust(mode)) for mode in (PAPER, OPTIMUM))
REFITS = tuple(Method("refit", mode, _robust(mode, "wnmf")) for mode in (PAPER, OPTIMUM))
ORACLE = Method("oracle", REFERENCE, _oracle)
PURSUIT = Method("pcp", REFERENCE, _pursuit)
MEDIAN = Method("median", REFERENCE, _median)
ALL = (*NMFS, *ROBUST, *REFITS, ORACLE, PURSUIT, MEDIAN)

NAMES = {
    "polluted": "polluted data",
    "nmf": "NMF",
    "robust": "RobustNMF",
    "refit": "RobustNMF+WNMF",
    "keep": "RobustNMF, clean pixels kept",
    "oracle": "WNMF told the mask (oracle)",
    "pcp": "robust PCA (PCP)",
    "median": "3×3 median filter",
}
