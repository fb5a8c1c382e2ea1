"""A head start: learn the components from samples of the rows before all rows are looked at.

Far from the optimum a few hundred rows tell as well as a million where the components should go,
and a pass over them costs next to nothing. Each sample holds the one before, and is several times
as large. Rows that join begin at the mean W of the others.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._core.block import update_rows
from robustnmf._core.engine import Engine
from robustnmf._core.loop import run
from robustnmf._core.noise import NoiseModel
from robustnmf._solvers.hals import Hals
from robustnmf._solvers.settings import HALS, HEAD_START


def head_start(data: Engine, noise: NoiseModel, W: Array, H: Array) -> tuple[Array, Array]:
    """Return a better start than W and H; the same one where the data are too few for a sample."""
    n, k = W.shape
    known: Array = np.empty(0, dtype=np.intp)
    for rows in _samples(n, k):
        joined = _joined(W, known, rows)
        if len(known):
            joined = _fit_weights(data.sample(rows), noise.at(rows), joined, H)
        solver = Hals(data.sample(rows), noise.at(rows), joined, H)
        run(solver, max_iter=HEAD_START.iterations, tol=HEAD_START.tol)
        # A copy: the start that was given stays as it is.
        W, H, known = W.copy(), solver.H, rows
        W[rows] = solver.W
    if not len(known):
        return W, H
    return _fit_weights(data, noise, _joined(W, known, np.arange(n)), H), H


def _samples(n: int, k: int) -> Iterator[Array]:
    """Yield the positions of the rows of each sample, in order."""
    # Always the same ones, so that a fit depends on its own seed alone; random ones, because rows
    # often come in order.
    shuffled = np.random.default_rng(0).permutation(n)
    size, most = HEAD_START.least_rows * k, min(HEAD_START.most_rows * k, HEAD_START.most * n)
    while size <= most:
        yield np.sort(shuffled[:size])
        size *= HEAD_START.growth


def _joined(W: Array, known: Array, rows: Array) -> Array:
    """Return W of some rows: what is known of it, the mean of that elsewhere."""
    if not len(known):
        return W[rows]
    new = np.repeat(W[known].mean(axis=0, keepdims=True), len(rows), axis=0)
    new[np.isin(rows, known)] = W[known]
    return new


def _fit_weights(data: Engine, noise: NoiseModel, W: Array, H: Array) -> Array:
    """Improve W alone.

    Components that were learned must not be pulled about by rows whose W is but a mean.
    """
    threshold = data.keep(np.zeros(len(W), dtype=data.dtype))
    _, W = update_rows(data, noise, data.keep(W), H, threshold, HALS.sweeps_w)
    return data.collect(W)


def some_rows(n: int, size: int) -> Array:
    """Return the positions of `size` of n rows, in order; always the same ones."""
    return np.sort(np.random.default_rng(0).choice(n, size, replace=False))
