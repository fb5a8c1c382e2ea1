import numpy as np
import pytest
from numpy.testing import assert_array_equal

from robustnmf._core.loop import run
from robustnmf._core.noise import SquaredL1
from robustnmf._engines import engine_for
from robustnmf._solvers import Hals, head_start

NOISE = SquaredL1(0.04)


def problem(n, m=40, k=3):
    rng = np.random.default_rng(0)
    X = rng.gamma(1.0, size=(n, k)) @ rng.gamma(0.5, size=(k, m))
    X[rng.random(X.shape) < 0.05] = 20
    return X, rng.random((n, k)), rng.random((k, m))


def test_it_saves_half_of_the_passes():
    X, W, H = problem(4_000)
    data = engine_for(X)
    starts = (W, H), head_start(data, NOISE, W, H)
    alone, ahead = (
        np.array(run(Hals(data, NOISE, *start), max_iter=60, tol=0.0).history["objective"])
        for start in starts
    )
    near = 1.01 * min(alone.min(), ahead.min())
    assert 2 * np.argmax(ahead < near) <= np.argmax(alone < near)


def test_few_rows_get_none():
    X, W, H = problem(300)
    started = head_start(engine_for(X), NOISE, W, H)
    assert started[0] is W
    assert started[1] is H


@pytest.mark.parametrize("missing", [0.0, 0.5])
def test_factors_are_nonnegative_and_always_the_same(missing):
    X, W, H = problem(1_000)
    X[np.random.default_rng(1).random(X.shape) < missing] = np.nan
    before = W.copy(), H.copy()
    first, second = (head_start(engine_for(X), NOISE, W, H) for _ in range(2))
    for a, b, old in zip(first, second, before, strict=True):
        assert (a >= 0).all()
        assert_array_equal(a, b)
        assert a.shape == old.shape
    assert_array_equal(W, before[0])
    assert_array_equal(H, before[1])
