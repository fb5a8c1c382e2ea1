import io
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure
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


def tick_labels(axis):
    axis.figure.savefig(io.BytesIO(), format="png")
    low, high = sorted(axis.get_view_interval())
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    labels = [tick.label1.get_text() for tick in ticks if low <= tick.get_loc() <= high]
    return [label for label in labels if label]


@pytest.mark.parametrize("lowest", [0.0061, 11.6322, 7.3e6])
@pytest.mark.parametrize("ratio", [1.0, 1 + 1e-7, 1.00001, 1.001, 1.1, 1.9, 2.1, 10.0, 1e4])
def test_no_tick_label_is_repeated(lowest, ratio):
    objective = lowest * (1 + (ratio - 1) * np.array([1, 0.3, 0.1, 0.03, 0.0]))
    model = SimpleNamespace(history_={"iteration": list(range(5)), "objective": list(objective)})
    ax = Figure(figsize=(5, 3), layout="constrained").subplots()
    plot_convergence(model, ax=ax)
    for axis in (ax.xaxis, ax.yaxis):
        labels = tick_labels(axis)
        assert len(labels) >= 2
        assert len(set(labels)) == len(labels)
    assert tick_labels(ax.xaxis) == ["0", "1", "2", "3", "4"]


def test_two_fits_in_one_picture_share_a_scale(ax):
    for objective in ([100.0, 50.0, 49.0], [49.001, 49.0, 48.999]):
        history = {"iteration": [0, 1, 2], "objective": objective}
        plot_convergence(SimpleNamespace(history_=history), ax=ax)
    assert ax.get_yscale() == "log"
