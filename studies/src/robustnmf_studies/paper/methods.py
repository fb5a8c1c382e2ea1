"""The methods that are compared: each takes data with noise in it and returns what it makes of it.

Those of the paper come in two modes: "paper", its own multiplicative rules for a stated number of
iterations, and "optimum", run until nothing more is gained.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.ndimage import median_filter
from sklearn.decomposition import NMF

from robustnmf import WeightedNMF, robust_nmf
from robustnmf_studies.common.pcp import principal_component_pursuit
from robustnmf_studies.common.problem import Array, Problem
from robustnmf_studies.paper.settings import MODES, OPTIMUM, PAPER, REFERENCE, Settings


class Answer(NamedTuple):
    """What a method makes of the data: its guess of the clean data, and E where it has one."""

    restored: Array
    noise: Array | None = None
    n_iter: int = 0

    def keep_clean(self, X: Array) -> Answer:
        """Leave pixels that are not suspected as measured, which is what `denoise` does."""
        assert self.noise is not None
        return self._replace(restored=np.where(self.noise != 0, self.restored, X))


Method = Callable[[Problem, Settings], Answer]


def _effort(mode: str, settings: Settings) -> dict[str, Any]:
    if mode == PAPER:
        return {"solver": "mu", "max_iter": settings.iterations, "tol": 0.0}
    return {"solver": "hals", "max_iter": settings.max_iter, "tol": settings.tol}


def _robust(problem: Problem, settings: Settings, *, mode: str, refit: str | None = None) -> Answer:
    effort = _effort(mode, settings)
    W, H, E, n_iter = robust_nmf(
        problem.X, problem.k, lam=problem.lam, refit=refit, random_state=problem.seed, **effort
    )
    return Answer(W @ H, E.toarray(), n_iter)


def plain_nmf(problem: Problem, settings: Settings, *, mode: str, clean: bool = False) -> Answer:
    """scikit-learn's NMF, of the polluted or the clean data.

    Lee and Seung's rules in the paper's mode, else coordinate descent to the optimum.
    """
    effort = _effort(mode, settings)
    if mode == OPTIMUM:
        # Its tolerance is of another kind than ours; below this its error no longer changes.
        effort |= {"solver": "cd", "tol": 1e-4}
    model = NMF(problem.k, init="random", random_state=problem.seed, **effort)
    W = model.fit_transform(problem.clean if clean else problem.X)
    return Answer(W @ model.components_, None, model.n_iter_)


def oracle(problem: Problem, settings: Settings) -> Answer:
    """WNMF that is told where the noise is: what the detection could gain at best."""
    effort = _effort(OPTIMUM, settings)
    model = WeightedNMF(problem.k, random_state=problem.seed, **effort)
    W = model.fit_transform(problem.X, weights=~problem.mask)
    return Answer(W @ model.components_, None, model.n_iter_)


def _pursuit(problem: Problem, settings: Settings) -> Answer:
    return Answer(*principal_component_pursuit(problem.X))


def _median(problem: Problem, settings: Settings) -> Answer:
    """The middle of each pixel and its eight neighbours."""
    assert problem.image_shape is not None
    pictures = problem.X.reshape(-1, *problem.image_shape)
    return Answer(median_filter(pictures, size=(1, 3, 3)).reshape(problem.X.shape))


_MODAL: dict[str, Callable[..., Answer]] = {
    "nmf": plain_nmf,
    "robust": _robust,
    "refit": functools.partial(_robust, refit="wnmf"),
}
# By (method, mode), as the tables name them.
METHODS: dict[tuple[str, str], Method] = {
    (name, mode): functools.partial(method, mode=mode)
    for name, method in _MODAL.items()
    for mode in MODES
} | {
    ("oracle", REFERENCE): oracle,
    ("pcp", REFERENCE): _pursuit,
    ("median", REFERENCE): _median,
}

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
