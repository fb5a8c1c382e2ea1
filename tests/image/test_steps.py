"""The small steps: mixture, gaps, agreement of neighbours, dead lines, tiles, planes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustnmf._image.agreement import third_smallest_difference
from robustnmf._image.dead_lines import dead_lines
from robustnmf._image.gaps import fill_gaps
from robustnmf._image.grey_levels import GreyScale
from robustnmf._image.mixture import Mixture, Statistics
from robustnmf._image.neighbours import Equations
from robustnmf._image.planes import from_planes, to_planes
from robustnmf._image.tiles import cut_tiles


def _statistics(values, corrupt):
    shape = values.shape
    nothing = np.zeros(shape, dtype=np.float32)
    known = np.ones(shape, dtype=bool)
    equations = Equations(np.eye(7), np.zeros(7))
    return Statistics.gather(values.astype(np.float32), known, corrupt, nothing, nothing, equations)


def test_the_further_off_the_more_likely_corrupt():
    deviation = np.linspace(0, 200, 50, dtype=np.float32)
    values = np.full(50, 90, dtype=np.float32)
    posterior = Mixture.initial(0).posterior(values, deviation, np.full(50, 3, dtype=np.float32))
    assert (np.diff(posterior) >= 0).all()
    assert posterior[0] == 0
    assert posterior[-1] > 0.9


def test_values_frequent_among_corrupt_pixels_become_suspect():
    rng = np.random.default_rng(0)
    values = rng.integers(20, 230, 5000)
    values[:500] = 255
    corrupt = (values == 255).astype(np.float32)
    mixture = _statistics(values, corrupt).mixture()
    assert mixture.corruption == pytest.approx(0.1, rel=0.01)
    assert np.exp(mixture.log_density[255]) > 0.5
    assert np.exp(mixture.log_density).sum() == pytest.approx(1)
    off, calm = np.float32([25, 25]), np.float32([4, 4])
    white, grey = replace(mixture, scale=1.0).posterior(np.float32([255, 120]), off, calm)
    assert white > 0.9 > 0.5 > grey


def test_statistics_add_up():
    rng = np.random.default_rng(0)
    values, corrupt = rng.integers(0, 256, (40, 30)), rng.random((40, 30)).astype(np.float32)
    whole = _statistics(values, corrupt)
    both = _statistics(values[:15], corrupt[:15]) + _statistics(values[15:], corrupt[15:])
    assert both.n_known == whole.n_known
    for name in ("n_corrupt", "corrupt_levels", "clean_residuals"):
        np.testing.assert_allclose(getattr(both, name), getattr(whole, name), rtol=1e-6)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 100))
def test_gaps_of_any_shape_are_filled_within_the_range(height, width, seed):
    rng = np.random.default_rng(seed)
    values = rng.random((1, height, width)).astype(np.float32)
    known = rng.random(values.shape) < rng.random()
    known[0, rng.integers(height), rng.integers(width)] = True
    filled = fill_gaps(np.where(known, values, np.float32(99)), known.astype(np.float32))
    assert filled.min() >= values[known].min() - 1e-4
    assert filled.max() <= values[known].max() + 1e-4


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(0, 1000))
def test_agreement_is_that_of_its_slow_twin(height, width, seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 9, (2, height, width)).astype(np.float32)
    trusted = rng.random(values.shape) < rng.random()
    found = third_smallest_difference(values, trusted)
    for c, i, j in np.ndindex(values.shape):
        around = [
            abs(values[c, a, b] - values[c, i, j])
            for a in range(max(0, i - 1), min(height, i + 2))
            for b in range(max(0, j - 1), min(width, j + 2))
            if trusted[c, a, b] and (a, b) != (i, j)
        ]
        assert found[c, i, j] == sorted([*around, np.inf, np.inf, np.inf])[2]


def test_only_trusted_neighbours_agree():
    values = np.zeros((1, 5, 5), dtype=np.float32)
    values[0, 1:3, 1:3] = 200
    everywhere = np.ones(values.shape, dtype=bool)
    trusted = everywhere.copy()
    assert third_smallest_difference(values, trusted)[0, 1, 1] == 0
    trusted[0, 1, 2] = False
    assert third_smallest_difference(values, trusted)[0, 1, 1] == 200
    assert np.isinf(third_smallest_difference(values, ~everywhere)).all()


def test_an_edge_is_no_dead_line():
    plane = np.full((40, 40), 50, dtype=np.uint8)
    plane[20:] = 200
    assert not np.concatenate(dead_lines(plane, GreyScale.estimate(plane[None]))).any()


@pytest.mark.parametrize("dead", [[0], [49], [25], [25, 26], [7, 30]])
def test_dead_columns(dead):
    plane = np.tile(np.linspace(40, 200, 50), (40, 1)).astype(np.uint8)
    plane[:, dead] = 0
    rows, columns = dead_lines(plane, GreyScale.estimate(plane[None]))
    np.testing.assert_array_equal(np.flatnonzero(columns), dead)
    assert not rows.any()


@given(st.integers(1, 300), st.integers(1, 300), st.integers(20, 150))
def test_tiles_cover_each_pixel_once(height, width, side):
    count = np.zeros((height, width), dtype=int)
    for tile in cut_tiles(height, width, side):
        count[tile.core] += 1
        picture = np.arange(height * width).reshape(height, width)
        np.testing.assert_array_equal(picture[tile.outer][tile.inner], picture[tile.core])
        assert max(picture[tile.core].shape) <= side
    assert (count == 1).all()


@pytest.mark.parametrize(
    ("shape", "axis", "n", "n_links"),
    [
        ((6, 5), None, 1, 0),
        ((6, 5, 3), -1, 3, 2),
        ((3, 6, 5), 0, 3, 2),
        ((9, 6, 5), None, 9, 2),
        ((6, 5, 30), 2, 30, 2),
        ((4, 6, 5, 3), -1, 12, 4),
        ((4, 6, 3, 5), 2, 12, 4),
    ],
)
def test_planes_and_back(shape, axis, n, n_links):
    image = np.arange(np.prod(shape)).reshape(shape)
    planes, links = to_planes(image, axis)
    assert planes.shape == (n, 6, 5)
    assert {len(linked) for linked in links} == {n_links}
    assert all(i not in linked for i, linked in enumerate(links))
    np.testing.assert_array_equal(from_planes(planes, shape, axis), image)


def test_grey_levels_are_not_fooled_by_single_pixels():
    plane = np.linspace(1000, 3000, 400).reshape(1, 20, 20)
    hot = plane.copy()
    hot[0, 5, 5], hot[0, 9, 9] = 1e6, np.nan
    for greys in (GreyScale.estimate(plane), GreyScale.estimate(hot)):
        assert 900 < greys.low < 1200
        assert 2800 < greys.high <= 3000
        grey = greys.to_grey(plane)
        assert np.abs(greys.to_image(grey) - plane).max() < 150
    assert np.isnan(GreyScale.estimate(hot).to_grey(hot)[0, 9, 9])
