from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from robustnmf.plot import plot_convergence


def test_convergence_draws_the_history(ax):
    history = {"iteration": [0, 10, 20], "objective": [9.0, 4.0, 3.0]}
    model = SimpleNamespace(history_=history)
    assert plot_convergence(model, ax=ax, label="k = 3") is ax
    (line,) = ax.get_lines()
    assert_array_equal(line.get_xydata(), np.column_stack(list(history.values())))
    assert line.get_label() == "k = 3"
    assert ax.get_yscale() == "log"
    assert ax.get_xlabel() == "iteration"


def test_convergence_to_an_exact_fit_stays_visible(ax):
    plot_convergence(SimpleNamespace(history_={"iteration": [0, 1], "objective": [1.0, 0.0]}), ax)
    assert ax.get_yscale() == "linear"


def test_convergence_goes_to_the_current_axes(current_axes):
    model = SimpleNamespace(history_={"iteration": [0, 1], "objective": [2.0, 1.0]})
    assert plot_convergence(model) is current_axes


def test_convergence_of_a_model_that_was_not_fitted(ax):
    with pytest.raises(ValueError, match="fit it first"):
        plot_convergence(SimpleNamespace(), ax=ax)
