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
from robustnmf._core.engine import Engine, RowArray
from robustnmf._core.init import zeros
from robustnmf._core.loop import run
from robustnmf._core.noise import NoiseModel
from robustnmf._solvers.hals import Hals
from robustnmf._solvers.settings import HALS, HEAD_START


def head_start(data: Engine, noise: NoiseModel, W: RowArray, H: Array) -> tuple[RowArray, Array]:
    """Return a better start than W and H; the same one where the data are too few for a sample."""
    n, k = data.shape[0], H.shape[0]
    samples = list(_samples(n, k))
    if not samples:
        return W, H
    W = data.keep(W)
    # The largest holds all others, and is looked up once: data may have to be read for it.
    largest = samples[-1]
    looked_up = data.sample(largest)
    known = learned = np.empty(0, dtype=np.intp)
    for rows in samples:
        sample = looked_up.sample(np.searchsorted(largest, rows))
        price = noise.with_rows(*(sample.keep(data.take(A, rows)) for A in noise.row_arrays))
        if not len(known):
            begin = data.take(W, rows)
        else:
            begin = _joined(learned, known, rows)
            begin = sample.collect(_fit_weights(sample, price, begin, H))
        solver = Hals(sample, price, begin, H)
        run(solver, max_iter=HEAD_START.iterations, tol=HEAD_START.tol)
        H, known, learned = solver.H, rows, sample.collect(solver.W)
    everywhere = data.make(lambda rows: _joined(learned, known, np.arange(rows.start, rows.stop)))
    return _fit_weights(data, noise, everywhere, H), H


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
    """Return W of some rows, in order: what is known of it, the mean of that elsewhere."""
    new = np.repeat(W.mean(axis=0, keepdims=True), len(rows), axis=0)
    here = slice(*np.searchsorted(known, (rows[0], rows[-1] + 1)))
    new[np.searchsorted(rows, known[here])] = W[here]
    return new


def _fit_weights(data: Engine, noise: NoiseModel, W: RowArray, H: Array) -> RowArray:
    """Improve W alone.

    Components that were learned must not be pulled about by rows whose W is but a mean.
    """
    _, W, _ = update_rows(data, noise, data.keep(W), H, zeros(data), HALS.sweeps_w)
    return W


def some_rows(n: int, size: int) -> Array:
    """Return the positions of `size` of n rows, in order; always the same ones."""
    return np.sort(np.random.default_rng(0).choice(n, size, replace=False))
