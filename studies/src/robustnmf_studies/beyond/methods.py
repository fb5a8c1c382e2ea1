"""The methods that are compared, all through the public interface."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robustnmf import RobustNMF, WeightedNMF
from robustnmf_studies.common.pcp import principal_component_pursuit
from robustnmf_studies.common.problem import LAM, Array, Problem, timed

# Times are compared with one another, which other work on the machine must not disturb.
CLOCK = time.process_time

FIXED, AUTO, ORACLE, PURSUIT = "fixed", "auto", "oracle", "pcp"
NAMES = {
    FIXED: "λ = 0.04",
    "told": "λ = 1/s, told s",
    "refit": "RobustNMF+WNMF",
    "squared_l0": "squared_l0, told s",
    AUTO: 'lam="auto"',
    PURSUIT: "robust PCA*",
    ORACLE: "told the mask (oracle)*",
}
# With squared_l0, an entry that is off by this share of the largest value counts as wrong.
L0_SHARE = 0.25


class Answer(NamedTuple):
    """What a method makes of the data."""

    # W H, or what stands for it, and E.
    product: Array
    noise: Array
    # Where it says the data is wrong. None: it does not say, and gets the threshold on `noise` that
    # suits it best.
    found: NDArray[np.bool_] | None
    # Clean data: suspected entries replaced, the others kept.
    restored: Array
    # Processor time of the fit.
    seconds: float
    model: RobustNMF | None = None


def wrong_per_sample(problem: Problem) -> float:
    """Return s: how many entries of a sample are wrong, in the mean."""
    return float(problem.mask.sum(axis=1).mean())


def _parameters(name: str, problem: Problem) -> dict[str, Any]:
    """Return what a method sets; all else is left as it is."""
    if name == "told":
        return {"lam": 1 / wrong_per_sample(problem)}
    if name == "squared_l0":
        # The model keeps the s-th largest residual r where r² > λ (2 s − 1).
        size = L0_SHARE * problem.X.max()
        lam = float(size**2 / max(2 * wrong_per_sample(problem) - 1, 1))
        return {"penalty": name, "lam": lam}
    if name == AUTO:
        return {"lam": "auto"}
    return {"lam": LAM, "refit": "wnmf" if name == "refit" else None}


# These are told how many entries are wrong, and make no sense where none is.
NEED_S = ("told", "squared_l0")


def _robust(name: str, problem: Problem) -> Answer:
    model = RobustNMF(problem.k, random_state=problem.seed, **_parameters(name, problem))
    W, seconds = timed(lambda: model.fit_transform(problem.X), CLOCK)
    noise = model.noise_.toarray()
    restored = model.denoise(problem.X)
    return Answer(W @ model.components_, noise, noise != 0, restored, seconds, model)


def _oracle(problem: Problem) -> Answer:
    """Fit WNMF that is told where the noise is: the most that factors can know."""
    # Further than the others go, for a bar must not be low because it was not finished.
    model = WeightedNMF(problem.k, tol=1e-5, max_iter=5000, random_state=problem.seed)
    W, seconds = timed(lambda: model.fit_transform(problem.X, weights=~problem.mask), CLOCK)
    product = W @ model.components_
    restored = np.where(problem.mask, product, problem.X)
    return Answer(product, problem.X - product, None, restored, seconds)


def _pursuit(problem: Problem) -> Answer:
    parts, seconds = timed(lambda: principal_component_pursuit(problem.X), CLOCK)
    return Answer(parts.low_rank, parts.sparse, None, parts.low_rank, seconds)


def answer(name: str, problem: Problem) -> Answer:
    """Let one of `NAMES` try."""
    if name == ORACLE:
        return _oracle(problem)
    return _pursuit(problem) if name == PURSUIT else _robust(name, problem)
