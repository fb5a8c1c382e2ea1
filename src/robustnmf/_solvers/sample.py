"""A head start: learn the components from a sample of the rows before all rows are looked at.

Far from the optimum a few hundred rows tell as well as a million where the components should go,
and a pass over them costs next to nothing. The other rows begin at the mean W of the sample.
"""

from __future__ import annotations

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._core.engine import Engine
from robustnmf._core.loop import run
from robustnmf._core.noise import NoiseModel
from robustnmf._solvers.hals import Hals
from robustnmf._solvers.settings import HEAD_START


def head_start(data: Engine, noise: NoiseModel, W: Array, H: Array) -> tuple[Array, Array]:
    """Return a better start than W and H; the same one where the data are too few for a sample."""
    n, k = W.shape
    size = min(n // HEAD_START.one_in, HEAD_START.most_rows * k)
    if size < HEAD_START.least_rows * k:
        return W, H
    rows = some_rows(n, size)
    solver = Hals(data.sample(rows), noise.at(rows), W[rows], H)
    run(solver, max_iter=HEAD_START.iterations, tol=0.0)
    W = np.repeat(solver.W.mean(axis=0, keepdims=True), n, axis=0)
    W[rows] = solver.W
    return W, solver.H


def some_rows(n: int, size: int) -> Array:
    """Return the positions of `size` of n rows, in order.

    Always the same ones, so that a fit depends on its own seed alone; random ones, because rows
    often come in order.
    """
    return np.sort(np.random.default_rng(0).choice(n, size, replace=False))
