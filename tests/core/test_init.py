import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robustnmf._core.init import STARTS, nndsvda_start
from robustnmf._engines.memory import MemoryEngine


@pytest.mark.parametrize("name", STARTS)
def test_starts_are_positive_and_repeatable(name, clean_data):
    data = MemoryEngine(clean_data, block_rows=7)
    first, second = (
        STARTS[name](data, 3, clean_data.mean(), np.random.RandomState(0)) for _ in range(2)
    )
    for a, b in zip(first, second, strict=True):
        assert (a > 0).all()
        assert_array_equal(a, b)
    W, H = first
    assert (W.shape, H.shape) == ((60, 3), (3, 40))
    # Right order of magnitude: the product has about the size of the data.
    assert 0.2 < (W @ H).mean() / clean_data.mean() < 5


def test_nndsvda_starts_nearer_than_random(clean_data):
    data = MemoryEngine(clean_data)
    mean = clean_data.mean()

    def error(start):
        W, H = start(data, 3, mean, np.random.RandomState(0))
        return np.linalg.norm(clean_data - W @ H)

    assert error(nndsvda_start) < 0.7 * error(STARTS["random"])


def test_nndsvda_finds_a_single_component_exactly():
    X = np.outer([1.0, 2.0, 3.0], [4.0, 5.0])
    W, H = nndsvda_start(MemoryEngine(X), 1, X.mean(), np.random.RandomState(0))
    assert_allclose(W @ H, X, rtol=1e-10)


def test_nndsvda_reads_missing_entries_as_the_mean(clean_data):
    X = clean_data.copy()
    X[0, 0] = np.nan
    filled = np.where(np.isnan(X), np.nanmean(X), X)
    with_nan, without = (
        nndsvda_start(MemoryEngine(A), 3, np.nanmean(X), np.random.RandomState(0))
        for A in (X, filled)
    )
    for a, b in zip(with_nan, without, strict=True):
        assert_array_equal(a, b)
