import numpy as np
import pytest

from robustnmf._core.loop import WINDOW, Step, run


class Scripted:
    """A solver that says what it is told to."""

    W = H = np.zeros((1, 1))
    keeps_noise = False

    def __init__(self, *steps):
        self._steps = iter(steps)

    def step(self):
        return next(self._steps)


def falling(n, factor=0.5):
    return [Step(factor**i) for i in range(n)]


def test_stops_at_max_iter_unconverged():
    trace = run(Scripted(*falling(20)), max_iter=5, tol=1e-4)
    assert (trace.n_iter, trace.converged) == (5, False)
    assert trace.history["iteration"] == [0, 1, 2, 3, 4]
    assert trace.history["objective"] == [1, 0.5, 0.25, 0.125, 0.0625]
    assert len(trace.history["seconds"]) == 5


def test_stops_when_ten_iterations_together_gain_too_little():
    steps = falling(8) + [Step(0.5**7)] * 50
    trace = run(Scripted(*steps), max_iter=500, tol=1e-4)
    assert trace.converged
    assert trace.n_iter == 8 + WINDOW


def test_a_slow_but_steady_fall_is_not_taken_for_an_end():
    tol = 1e-4
    factor = (1 - 1.5 * tol) ** (1 / WINDOW)
    trace = run(Scripted(*falling(200, factor)), max_iter=150, tol=tol)
    assert not trace.converged


@pytest.mark.parametrize(
    ("last", "floor"), [(Step(1.0, exhausted=True), 0.0), (Step(1e-9), 1e-8), (Step(0.0), 0.0)]
)
def test_stops_where_nothing_is_left_to_gain(last, floor):
    trace = run(Scripted(Step(2.0), last, Step(-1.0)), max_iter=10, tol=0.0, floor=floor)
    assert (trace.n_iter, trace.converged) == (2, True)


def test_a_report_can_stop_the_run():
    seen = []

    def report(iteration, objective):
        seen.append((iteration, objective))
        return iteration == 2

    trace = run(Scripted(*falling(9)), max_iter=9, tol=0.0, report=report)
    assert seen == [(1, 1.0), (2, 0.5)]
    assert (trace.n_iter, trace.converged, trace.stopped) == (2, False, True)


def test_the_last_iteration_is_reported_too():
    seen = []
    run(Scripted(Step(1.0), Step(0.0)), max_iter=9, tol=0.0, report=lambda i, f: seen.append(i))
    assert seen == [1, 2]


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_an_objective_that_is_no_number_is_an_error(value):
    with pytest.raises(FloatingPointError, match="not a finite number"):
        run(Scripted(Step(value)), max_iter=9, tol=0.0)
