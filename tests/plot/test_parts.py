from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robustnmf.plot import plot_corruption, plot_noise, plot_parts

H = np.array([[0.0, 2.0, 4.0, 1.0], [5.0, 0.0, 0.0, 2.5]])


def test_map_gives_each_part_its_own_scale(ax):
    assert plot_parts(H, ax=ax) is ax
    assert_allclose(ax.get_images()[0].get_array(), [[0, 0.5, 1, 0.25], [1, 0, 0, 0.5]])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["1", "2"]


def test_map_names_its_columns(ax):
    plot_parts(H, names=["a", "b", "c", "d"], ax=ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "c", "d"]


def test_names_of_a_frame_are_known(ax):
    model = SimpleNamespace(components_=H, feature_names_in_=np.array(list("wxyz")))
    plot_parts(model, ax=ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == list("wxyz")


def test_more_names_than_can_be_read_are_left_out(ax):
    plot_parts(np.ones((2, 50)), names=[f"name {j}" for j in range(50)], ax=ax)
    assert not any("name" in label.get_text() for label in ax.get_xticklabels())


def test_a_large_entry_is_darker_than_a_small_one(ax, colour_at):
    plot_parts(H, ax=ax)
    assert colour_at(ax, 2, 0).sum() < colour_at(ax, 3, 0).sum() < colour_at(ax, 0, 0).sum()


def test_pictures(ax):
    plot_parts(H, image_shape=(2, 2), n_columns=2, ax=ax)
    grid = ax.get_images()[0].get_array()
    assert_array_equal(grid[:, :2], [[0, 0.5], [1, 0.25]])
    assert_array_equal(grid[:, -2:], [[1, 0], [0, 0.5]])


def test_curves_stand_one_above_the_other(ax):
    plot_parts(H, x=[400, 500, 600, 700], ax=ax)
    first, second = ax.get_lines()
    assert_array_equal(first.get_xdata(), [400, 500, 600, 700])
    assert first.get_ydata().min() >= second.get_ydata().max()
    assert_allclose(second.get_ydata(), [0.9, 0, 0, 0.45])


def test_a_part_of_zeros_can_be_drawn(ax):
    plot_parts(np.array([[0.0, 0.0], [1.0, 2.0]]), ax=ax)
    assert_array_equal(ax.get_images()[0].get_array()[0], [0, 0])


def test_parts_go_to_the_current_axes(current_axes):
    assert plot_parts(H) is current_axes


@pytest.mark.parametrize(
    ("options", "message"),
    [({"names": ["a"]}, "1 names were given for 4"), ({"x": [1, 2]}, "one value for each of 4")],
)
def test_what_does_not_fit_is_named(ax, options, message):
    with pytest.raises(ValueError, match=message):
        plot_parts(H, ax=ax, **options)
    with pytest.raises(ValueError, match="one part a row"):
        plot_parts(np.ones(3), ax=ax)


@pytest.mark.parametrize("draw", [plot_parts, plot_noise, plot_corruption])
def test_names_are_no_mathematics(ax, draw):
    names = ["$\\frac{1$", "a $ and b $", "es\x1bc\n2", "x" * 500]
    draw(np.ones((2, 4)), names=names, ax=ax)
    # A formula that is none would raise here.
    ax.figure.draw_without_rendering()
    shown = [label.get_text() for label in ax.get_xticklabels()]
    assert shown[:3] == ["$\\frac{1$", "a $ and b $", "es\\x1bc\\n2"]
    assert len(shown[3]) < 50
    assert not any(label.get_parse_math() for label in ax.get_xticklabels())
