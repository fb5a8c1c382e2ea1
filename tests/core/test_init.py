import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robustnmf._core.init import STARTS, nndsvda_start
from robustnmf._engines import engine_for, kept
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


def nndsvda_of_the_whole(X, k):
    """Return what the start is defined as, from a decomposition of the whole matrix."""
    U, S, V = np.linalg.svd(X, full_matrices=False)
    W, H = np.abs(U[:, :k]) * np.sqrt(S[:k]), np.abs(V[:k]) * np.sqrt(S[:k, None])
    for j in range(1, k):
        sides = [(np.maximum(s * U[:, j], 0), np.maximum(s * V[j], 0)) for s in (1, -1)]
        u, v = max(sides, key=lambda side: np.linalg.norm(side[0]) * np.linalg.norm(side[1]))
        lengths = np.linalg.norm(u), np.linalg.norm(v)
        size = np.sqrt(S[j] * lengths[0] * lengths[1])
        W[:, j], H[j] = size * u / lengths[0], size * v / lengths[1]
    level = np.sqrt(X.mean() / k)
    return np.where(W > 1e-9, W, level), np.where(H > 1e-9, H, level)


@pytest.mark.parametrize("where", ["memory", "blocks"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_nndsvda_by_blocks_is_nndsvda_of_the_whole(where, dtype, monkeypatch):
    monkeypatch.setattr(kept, "IN_MEMORY", 100)
    rng = np.random.default_rng(0)
    # Singular values that differ, a feature that is always zero, and blocks of few rows.
    X = rng.exponential(size=(50, 4)) * [40, 20, 10, 5] @ rng.exponential(size=(4, 30))
    X += 0.01 * rng.random(X.shape)
    X[:, 7] = 0
    data = MemoryEngine(X, dtype=dtype, block_rows=7)
    if where == "blocks":
        data = engine_for([X[:20], X[20:]], dtype=dtype, block_entries=30 * 16)
    W, H = nndsvda_start(data, 4, X.mean(), np.random.RandomState(0))
    expected = nndsvda_of_the_whole(X, 4)
    assert W.dtype == H.dtype == dtype
    tolerance = 1e-5 if dtype == np.float32 else 1e-9
    for found, right in zip((data.collect(W), H), expected, strict=True):
        assert_allclose(found, right, rtol=tolerance, atol=tolerance)


def test_nndsvda_needs_three_passes(clean_data):
    passes = []

    class Blocks:
        def __iter__(self):
            passes.append(1)
            return iter([clean_data])

    data = engine_for(Blocks(), dtype=float)
    passes.clear()
    nndsvda_start(data, 3, clean_data.mean(), np.random.RandomState(0))
    assert len(passes) == 3


@pytest.mark.parametrize("rank", [0, 2])
def test_nndsvda_of_fewer_parts_than_are_asked_for(rank):
    rng = np.random.default_rng(0)
    X = rng.random((20, rank)) @ rng.random((rank, 12))
    mean = max(X.mean(), 1.0)
    W, H = nndsvda_start(MemoryEngine(X), 5, mean, np.random.RandomState(0))
    assert (W.shape, H.shape) == ((20, 5), (5, 12))
    # What there is no direction for starts at the mean.
    assert_allclose(W[:, rank:], np.sqrt(mean / 5))
    assert_allclose(H[rank:], np.sqrt(mean / 5))
    assert (W > 0).all()
    assert (H > 0).all()


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
