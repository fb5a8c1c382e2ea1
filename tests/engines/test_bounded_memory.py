"""What a fit to rows read in order holds in memory does not grow with their number.

A few numbers for each row may (the order in which samples are drawn, how loud a row is); W, E,
weights and whatever else has a number for each entry or component may not.
"""

import tracemalloc
import warnings

import numpy as np
import pytest

from robustnmf import RobustNMF, WeightedNMF
from robustnmf._engines import kept, memory, stream
from robustnmf._solvers import growing, sample

M, K = 256, 20
# How many blocks are in work when the most is held is chance: what those take must not show.
FEW, MANY, BLOCK = 2048, 12288, 32
# W alone takes 160, E about 300, weights 2,048.
BYTES_A_ROW = 40


class Rows:
    """The same rows each time, and nowhere kept."""

    def __init__(self, n, gaps=False):
        self.n, self.gaps = n, gaps

    def __iter__(self):
        H = np.random.default_rng(99).random((4, M), dtype=np.float32)
        for i in range(self.n // BLOCK):
            rng = np.random.default_rng(i)
            X = rng.random((BLOCK, 4), dtype=np.float32) @ H
            X[rng.random(X.shape, dtype=np.float32) < 0.1] += 5
            if self.gaps:
                X[:, i % M] = np.nan
            yield X.astype(np.float64)


class Weights(Rows):
    def __iter__(self):
        for i in range(self.n // BLOCK):
            yield np.random.default_rng(i).random((BLOCK, M), dtype=np.float32)


OPTIONS = {"n_components": K, "max_iter": 2, "random_state": 0}


def fit(n, **options):
    return RobustNMF(**OPTIONS | options).fit(Rows(n))


CASES = {
    "plain": fit,
    "refit": lambda n: fit(n, refit="wnmf"),
    "mu": lambda n: fit(n, solver="mu"),
    "nndsvda": lambda n: fit(n, init="nndsvda"),
    # With fewer components, whose W and guess still show: many take a while.
    "gaps": lambda n: RobustNMF(**OPTIONS | {"n_components": 8}).fit(Rows(n, gaps=True)),
    "weights": lambda n: WeightedNMF(**OPTIONS).fit(Rows(n), weights=Weights(n)),
    "score": lambda n: fit(FEW).score(Rows(n)),
}


@pytest.mark.parametrize("name", CASES)
def test_memory_does_not_grow_with_the_rows(name, monkeypatch):
    monkeypatch.setattr(kept, "IN_MEMORY", 1000)
    # What is worked on at a time is little, so that what is held shows.
    monkeypatch.setattr(stream, "default_block_rows", lambda n, m, entries: BLOCK)
    monkeypatch.setattr(memory, "ROWS_AT_ONCE", BLOCK)
    # So do samples of the rows, which are in memory.
    few = sample.HEAD_START._replace(least_rows=4, most_rows=4)
    monkeypatch.setattr(sample, "HEAD_START", few)
    monkeypatch.setattr(growing, "GROWING", growing.GROWING._replace(most_rows=100))
    peaks = []
    for n in (512, FEW, MANY):
        tracemalloc.start()
        with warnings.catch_warnings(action="ignore"):
            CASES[name](n)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # The first compiles, and is not counted.
    assert (peaks[2] - peaks[1]) / (MANY - FEW) < BYTES_A_ROW
