from types import SimpleNamespace

import pytest
from numpy.testing import assert_allclose

from robustnmf.plot import plot_rank

PATH = {
    "n_components": [1, 8, 2, 4],
    "error": [9.0, 1.3, 3.0, 1.2],
    "standard_error": [0.5, 0.1, 0.2, 0.3],
}
MODEL = SimpleNamespace(rank_path_=PATH, n_components_=4)


def test_curve_is_in_order_with_its_errors(ax):
    assert plot_rank(MODEL, ax=ax, label="faces") is ax
    (bars,) = ax.containers
    line, _, (spreads,) = bars.lines
    assert_allclose(line.get_xydata(), [[1, 9], [2, 3], [4, 1.2], [8, 1.3]])
    assert_allclose(spreads.get_segments()[1], [[2, 2.8], [2, 3.2]])
    assert bars.get_label() == "faces"


def test_choice_is_marked(ax):
    plot_rank(MODEL, ax=ax)
    assert any(list(line.get_xdata()) == [4, 4] for line in ax.get_lines())
    assert "chosen: 4" in [text.get_text() for text in ax.texts]


def test_there_is_no_half_of_a_part(ax):
    plot_rank(MODEL, ax=ax)
    assert all(float(tick).is_integer() for tick in ax.get_xticks())


def test_rank_goes_to_the_current_axes(current_axes):
    assert plot_rank(MODEL) is current_axes


def test_of_a_model_that_chose_nothing(ax):
    with pytest.raises(ValueError, match="n_components='auto'"):
        plot_rank(SimpleNamespace(), ax=ax)
