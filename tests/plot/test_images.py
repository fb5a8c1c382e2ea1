import sys

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from robustnmf.plot import plot_images


def drawn(ax):
    return ax.get_images()[0].get_array()


def test_images_lie_where_they_belong(ax):
    images = np.arange(5 * 6.0).reshape(5, 6)
    assert plot_images(images, (2, 3), n_columns=2, gap=1, ax=ax) is ax
    grid = drawn(ax)
    assert grid.shape == (3 * 2 + 2, 2 * 3 + 1)
    for i, (top, left) in enumerate([(0, 0), (0, 4), (3, 0), (3, 4), (6, 0)]):
        assert_array_equal(grid[top : top + 2, left : left + 3], images[i].reshape(2, 3))
    # What no picture covers is blank.
    assert grid.mask.sum() == grid.size - images.size


def test_images_share_one_scale(ax):
    plot_images(np.array([[0.0, 0.2], [0.5, 4.0]]), (1, 2), ax=ax)
    assert ax.get_images()[0].get_clim() == (0.0, 4.0)


def test_limits_are_kept(ax):
    plot_images(np.ones((1, 4)), (2, 2), limits=(0, 255), ax=ax)
    assert ax.get_images()[0].get_clim() == (0, 255)


def test_noise_has_zero_in_the_middle(ax):
    plot_images(csr_array(np.array([[0.0, -3.0], [1.0, 0.0]])), (1, 2), signed=True, ax=ax)
    assert ax.get_images()[0].get_clim() == (-3.0, 3.0)


def test_no_noise_at_all_can_be_drawn(ax):
    plot_images(np.zeros((2, 4)), (2, 2), signed=True, ax=ax)
    low, high = ax.get_images()[0].get_clim()
    assert low < 0 < high


def test_stretch_gives_each_picture_its_own_range(ax):
    images = np.array([[1.0, 2.0, 3.0], [10.0, 30.0, 50.0], [7.0, 7.0, 7.0]])
    plot_images(images, (1, 3), n_columns=1, gap=0, stretch=True, ax=ax)
    assert_allclose(drawn(ax), [[0, 0.5, 1], [0, 0.5, 1], [0, 0, 0]])


def test_images_are_drawn_pixel_by_pixel():
    figure = Figure(figsize=(2, 1), dpi=10)
    ax = figure.add_axes((0, 0, 1, 1))
    plot_images(np.array([[0.0, 1.0], [1.0, 0.0]]), (1, 2), n_columns=1, gap=0, ax=ax)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    grey = np.asarray(canvas.buffer_rgba())[..., 0]
    assert set(np.unique(grey)) == {0, 255}


def test_images_go_to_the_current_axes(current_axes):
    assert plot_images(np.ones((1, 4)), (2, 2)) is current_axes


@pytest.mark.parametrize(("images", "shape"), [((3, 5), (2, 2)), ((4,), (2, 2)), ((0, 4), (2, 2))])
def test_images_that_do_not_fit_are_named(ax, images, shape):
    with pytest.raises(ValueError, match=r"image_shape=\(2, 2\)"):
        plot_images(np.ones(images), shape, ax=ax)


def test_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"robustnmf\[plot\]"):
        plot_images(np.ones((1, 4)), (2, 2))
