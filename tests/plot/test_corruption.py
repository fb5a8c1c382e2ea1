from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from robustnmf._plot.corruption import MOST_FIELDS
from robustnmf.plot import plot_corruption


def test_small_data_are_drawn_entry_by_entry(ax):
    mask = np.eye(4, 6, dtype=bool)
    assert plot_corruption(mask, ax=ax) is ax
    assert_array_equal(ax.get_images()[0].get_array(), mask)


def test_large_data_share_fields_and_no_entry_is_lost(ax):
    n, m = 3 * MOST_FIELDS + 7, 2 * MOST_FIELDS + 1
    rng = np.random.default_rng(0)
    mask = rng.random((n, m)) < 0.1
    plot_corruption(csr_array(mask.astype(float)), ax=ax)
    shares = ax.get_images()[0].get_array()
    assert max(shares.shape) <= MOST_FIELDS
    high, wide = 4, 3
    assert_allclose(shares[2, 5], mask[8:12, 15:18].mean())
    # The last fields are cut off by the edge, and have fewer entries.
    assert_allclose(shares[-1, -1], mask[-(n % high) :, -(m % wide) :].mean())


def test_edges_tell_the_share_of_each_row_and_column(ax):
    mask = np.array([[1, 0, 0], [1, 1, 0]])
    plot_corruption(mask, ax=ax)
    top, side = ax.child_axes
    assert_allclose([bar.get_height() for bar in top.patches], [1, 0.5, 0])
    assert_allclose([bar.get_width() for bar in side.patches], [1 / 3, 2 / 3])
    assert top.get_title(loc="left") == "3 of 6 entries are corrupt (50 %)"


def test_corrupt_entries_are_seen_where_they_are(ax, colour_at):
    mask = np.zeros((5, 5))
    mask[1, 3] = -7
    plot_corruption(mask, ax=ax)
    red, green, _ = colour_at(ax, 3, 1)
    assert red > green + 0.2
    assert colour_at(ax, 1, 3).min() > 0.9


def test_a_stored_zero_is_not_corrupt(ax):
    noise = csr_array((np.array([0.0, 1.0]), ([0, 1], [0, 1])), shape=(2, 2))
    plot_corruption(noise, ax=ax)
    assert ax.child_axes[0].get_title(loc="left").startswith("1 of 4")


def test_of_a_model(ax):
    model = SimpleNamespace(noise_=csr_array(np.eye(3)), feature_names_in_=np.array(list("abc")))
    plot_corruption(model, ax=ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "c"]


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_edges_stay_inside_the_figure(layout):
    figure = Figure(layout=layout)
    ax = plot_corruption(np.eye(5), ax=figure.subplots())
    figure.draw_without_rendering()
    for edge in ax.child_axes:
        box = edge.get_tightbbox().transformed(figure.transFigure.inverted())
        assert min(box.x0, box.y0) >= -0.01
        assert max(box.x1, box.y1) <= 1.01


def test_nothing_corrupt(ax):
    plot_corruption(np.zeros((3, 3)), ax=ax)
    assert ax.child_axes[0].get_title(loc="left") == "0 of 9 entries are corrupt (0 %)"


def test_corruption_goes_to_the_current_axes(current_axes):
    assert plot_corruption(np.eye(2)) is current_axes


def test_what_is_no_mask_is_named(ax):
    with pytest.raises(ValueError, match="one sample a row"):
        plot_corruption(np.ones((0, 3)), ax=ax)
