"""The data, the one start that all methods are given, and solvers under way from there."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._core.noise import SquaredL1
from robustnmf._engines import engine_for, single_threaded_blas
from robustnmf._solvers import SOLVERS
from robustnmf.datasets import corrupt, load_faces
from robustnmf_studies.bench.plan import Plan, Size
from robustnmf_studies.common.problem import LAM

Array = NDArray[Any]

# In 255 grey levels: the mean, and the share of wrong entries.
_MEAN = 100.0
_WHITE = 255.0
_WRONG = 0.05
_BLOCK = 250


@dataclass(frozen=True)
class Problem:
    """Data, a start, and the truth about the data where it is known."""

    size: Size
    X: Array
    W: Array
    H: Array
    clean: Array | None = None
    mask: Array | None = None

    def start(self) -> tuple[Array, Array]:
        """Return a copy of the start: some methods write into theirs."""
        return self.W.copy(), self.H.copy()

    def restarted(self, seed: int) -> Problem:
        """Return the same data with another start; seed 0 is the one that it has."""
        W, H = _start(self.X, self.size.k, seed)
        return replace(self, W=W, H=H)

    def astype(self, dtype: Any) -> Problem:
        """Return the data and the start in another precision."""
        return Problem(self.size, *(A.astype(dtype, copy=False) for A in (self.X, self.W, self.H)))

    def without_noise(self) -> Problem:
        """Return the clean data with the same start."""
        assert self.clean is not None, "the large problem does not keep its clean data"
        return Problem(self.size, self.clean, self.W, self.H)


class Steps:
    """A solver under way from the start of a problem."""

    def __init__(self, solver: str, problem: Problem, lam: float = LAM) -> None:
        mean = float(problem.X.mean(dtype=np.float64))
        self.solver: Any = SOLVERS[solver](
            engine_for(problem.X), SquaredL1(lam), *problem.start(), mean=mean
        )

    def seconds(self, count: int) -> float:
        """Go on for some iterations and return how long they took."""
        began = time.perf_counter()
        # As the estimators do.
        with single_threaded_blas:
            for _ in range(count):
                self.solver.step()
        return time.perf_counter() - began

    def objective(self) -> float:
        """Return the objective where it is now; takes one more step to find out."""
        return float(self.solver.step().objective)


def small_problem(plan: Plan, size: Size | None = None, seed: int = 0) -> Problem:
    """Return faces with 5 % of their pixels white; made up unless the plan names real ones."""
    size = size or plan.small
    if plan.data is None:
        # Pictures are never of the rank asked for; the parts left over make fits converge slowly.
        clean = np.concatenate(list(_rows(size, seed, 4 * size.k, decay=1.0, texture=0.05)))
    else:
        images = load_faces(plan.data).images
        clean = images.reshape(len(images), -1).astype(np.float64)[: size.n]
        size = Size(len(clean), clean.shape[1], size.k)
    X, mask = corrupt(clean, "salt", _WRONG, high=_WHITE, random_state=seed)
    return Problem(size, X, *_start(X, size.k, seed), clean, mask)


@functools.lru_cache(maxsize=1)
def large_problem(size: Size, *, wrong: bool = True) -> Problem:
    """Return data of the rank looked for, made block by block; the last one is kept.

    The truth is not, for it would take as much memory again.
    """
    X = np.empty((size.n, size.m))
    fill(X, size, wrong=wrong)
    return Problem(size, X, *_start(X, size.k, 0))


def fill(X: Array, size: Size, *, wrong: bool = True) -> None:
    """Write the data into an array of any dtype, a block at a time."""
    rng = np.random.default_rng(1)
    first = 0
    for block in _even_rows(size):
        if wrong:
            block[rng.random(block.shape) < _WRONG] = _WHITE
        if np.issubdtype(X.dtype, np.integer):
            np.clip(np.rint(block, out=block), 0, np.iinfo(X.dtype).max, out=block)
        X[first : first + len(block)] = block
        first += len(block)


def clean_rows(size: Size, count: int) -> Array:
    """Return the first rows of what `fill` writes, without errors."""
    blocks = itertools.islice(_even_rows(size), -(-count // _BLOCK))
    return np.concatenate(list(blocks))[:count]


def _even_rows(size: Size) -> Iterator[Array]:
    """Yield data of the rank that is asked for, all parts alike: kind to every method."""
    return _rows(size, 0, size.k, decay=0.0, texture=0.1)


def _rows(size: Size, seed: int, n_parts: int, decay: float, texture: float) -> Iterator[Array]:
    """Yield blocks of mixtures of parts, the j-th of weight j**-decay.

    The texture is what no part explains, as a share of each entry.
    """
    rng = np.random.default_rng(seed)
    weight = np.arange(1.0, n_parts + 1) ** -decay
    H = rng.gamma(0.5, size=(n_parts, size.m)) * weight[:, None]
    # The mean of a gamma variable is its shape.
    scale = _MEAN / (0.5 * 0.5 * weight.sum())
    for first in range(0, size.n, _BLOCK):
        W = rng.gamma(0.5, scale, size=(min(_BLOCK, size.n - first), n_parts))
        block = W @ H
        block *= 1 + texture * rng.standard_normal(block.shape)
        yield np.clip(block, 0, _WHITE, out=block)


def _start(X: Array, k: int, seed: int) -> tuple[Array, Array]:
    """Draw positive factors whose product has about the mean of the data."""
    rng = np.random.default_rng(seed + 2)
    level = np.sqrt(X.mean() / k)
    W = level * np.abs(rng.standard_normal((X.shape[0], k)))
    H = level * np.abs(rng.standard_normal((k, X.shape[1])))
    return W, H
