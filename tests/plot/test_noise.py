from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from robustnmf.plot import plot_noise

E = csr_array(np.array([[0.0, -2.0, 0.0], [1.0, 0.0, 2.0]]))


def test_too_large_is_red_too_small_is_blue(ax, colour_at):
    assert plot_noise(E, ax=ax) is ax
    red, _, blue = colour_at(ax, 2, 1)
    assert red > blue + 0.2
    red, _, blue = colour_at(ax, 1, 0)
    assert blue > red + 0.2
    # Where nothing is wrong, nothing is seen.
    assert colour_at(ax, 0, 0).min() > 0.9


def test_of_a_model(ax):
    model = SimpleNamespace(noise_=E, feature_names_in_=np.array(["a", "b", "c"]))
    plot_noise(model, ax=ax)
    assert_array_equal(ax.get_images()[0].get_array(), E.toarray())
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "c"]


def test_a_giant_does_not_make_the_rest_pale(ax):
    noise = np.ones((10, 10))
    noise[0, 0] = 1e6
    plot_noise(noise, ax=ax)
    assert ax.get_images()[0].get_clim() == (-1, 1)


def test_limit_is_kept(ax):
    plot_noise(E, limit=7, ax=ax)
    assert ax.get_images()[0].get_clim() == (-7, 7)


def test_pictures(ax):
    plot_noise(E, image_shape=(1, 3), n_columns=1, ax=ax)
    assert_array_equal(ax.get_images()[0].get_array()[[0, 2]], E.toarray())


def test_no_noise_at_all(ax, colour_at):
    plot_noise(csr_array((3, 4)), ax=ax)
    assert colour_at(ax, 1, 1).min() > 0.9


def test_noise_goes_to_the_current_axes(current_axes):
    assert plot_noise(E) is current_axes


def test_what_is_no_noise_is_named(ax):
    with pytest.raises(ValueError, match="one sample a row"):
        plot_noise(np.ones(3), ax=ax)
