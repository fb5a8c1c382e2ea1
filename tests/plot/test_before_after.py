import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal

from robustnmf.plot import plot_before_after

BEFORE = np.array([[0.0, 9.0], [1.0, 2.0], [3.0, 1.0]])
AFTER = np.array([[0.0, 1.0], [1.0, 2.0], [3.0, 1.0]])


@pytest.fixture
def axes():
    return Figure().subplots(1, 3)


def images(axes):
    return [ax.get_images()[0] for ax in axes]


def test_before_and_after_share_their_greys(axes):
    drawn = plot_before_after(BEFORE, AFTER, axes=axes)
    assert list(drawn) == list(axes)
    before, after, away = images(axes)
    assert_array_equal(before.get_array(), BEFORE)
    assert_array_equal(after.get_array(), AFTER)
    assert before.get_clim() == after.get_clim() == (0, 9)
    assert_array_equal(away.get_array(), BEFORE - AFTER)
    assert [ax.get_title() for ax in axes] == ["before", "after", "taken away"]


def test_two_axes_do_without_the_difference(axes):
    plot_before_after(BEFORE, AFTER, axes=axes[:2])
    assert not axes[2].get_images()


def test_the_change_is_seen(axes, colour_at):
    plot_before_after(BEFORE, AFTER, axes=axes)
    assert colour_at(axes[0], 1, 0).min() > 0.95
    assert colour_at(axes[1], 1, 0).max() < 0.2
    red, _, blue = colour_at(axes[2], 1, 0)
    assert red > blue + 0.2


def test_values_that_are_new_are_within_the_greys(axes):
    plot_before_after(AFTER, BEFORE, axes=axes)
    assert axes[0].get_images()[0].get_clim() == (0, 9)


@pytest.mark.parametrize("top", [1.0, 255.0])
def test_colour_pictures(axes, top):
    before = np.zeros((4, 5, 3))
    before[1, 2] = top * np.array([1, 0, 0.5])
    after = np.zeros_like(before)
    plot_before_after(before, after, axes=axes)
    pictures = images(axes)
    assert_allclose(pictures[0].get_array()[1, 2], [1, 0, 0.5], atol=0.01)
    # Of the colours, the one that changed most.
    assert_allclose(pictures[2].get_array()[1, 2], top)


def test_rows_as_pictures(axes):
    before = np.arange(12.0).reshape(3, 4)
    plot_before_after(before, before / 2, image_shape=(2, 2), n_columns=3, axes=axes)
    assert_array_equal(images(axes)[0].get_array()[:, :2], before[0].reshape(2, 2))


def test_makes_its_own_figure():
    plt.switch_backend("agg")
    drawn = plot_before_after(BEFORE, AFTER)
    assert len(drawn) == 3
    assert plt.fignum_exists(drawn[0].get_figure().number)
    plt.close("all")


def test_what_does_not_fit_is_named(axes):
    with pytest.raises(ValueError, match="must be equal"):
        plot_before_after(BEFORE, AFTER.T, axes=axes)
    with pytest.raises(ValueError, match="two or three"):
        plot_before_after(BEFORE, AFTER, axes=axes[:1])
    with pytest.raises(ValueError, match="give a picture"):
        plot_before_after(np.ones(3), np.ones(3), axes=axes)
