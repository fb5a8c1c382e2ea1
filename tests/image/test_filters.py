import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

from robustnmf._image.filters import blur, median_filter, network

RING = np.ones((3, 3), dtype=bool)
RING[1, 1] = False


def pictures(height, width, seed):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 50, (2, height, width)).astype(np.float32)


@pytest.mark.parametrize(
    ("n", "rank"), [(1, 0), (2, 1), (5, 2), (8, 2), (8, 4), (9, 4), (9, 8), (25, 12)]
)
def test_networks_find_a_rank_of_any_order(n, rank):
    rng = np.random.default_rng(n)
    for values in rng.permuted(np.tile(np.arange(n), (200, 1)), axis=1):
        for low, high in network(n, rank):
            values[[low, high]] = sorted(values[[low, high]])
        assert values[rank] == rank


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12), st.integers(1, 300), st.integers(0, 100))
def test_medians_are_those_of_scipy(height, width, seed):
    planes = pictures(height, width, seed)
    for found, options in [
        (median_filter(planes, 3), {"size": 3}),
        (median_filter(planes, 5), {"size": 5}),
        (median_filter(planes, 3, ring=True), {"footprint": RING}),
    ]:
        for plane, one in zip(planes, found, strict=True):
            np.testing.assert_array_equal(one, ndimage.median_filter(plane, **options))


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 12), st.integers(1, 40), st.integers(1, 3), st.integers(0, 100))
def test_blurs_are_those_of_scipy(height, width, reach, seed):
    planes = pictures(height, width, seed)
    taps = np.random.default_rng(seed).random(reach + 1).astype(np.float32)
    taps = np.concatenate([taps[:0:-1], taps])
    found = blur(planes, taps)
    for plane, one in zip(planes, found, strict=True):
        rows = ndimage.correlate1d(plane.astype(float), taps, axis=0, mode="reflect")
        both = ndimage.correlate1d(rows, taps, axis=1, mode="reflect")
        np.testing.assert_allclose(one, both, rtol=1e-5)
