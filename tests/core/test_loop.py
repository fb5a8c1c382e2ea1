import numpy as np
import pytest

from robustnmf._core.loop import Step, run


class Scripted:
    """A solver that says what it is told to."""

    W = H = np.zeros((1, 1))
    keeps_noise = False
    windows = ((10, 1.0), (5, 1 / 8))
    unread = 1

    def __init__(self, *steps):
        self._steps = iter(steps)

    def step(self):
        return next(self._steps)

    def go_back(self, steps):
        assert steps == 0


def falling(n, factor=0.5):
    return [Step(factor**i) for i in range(n)]


def test_stops_at_max_iter_unconverged():
    trace = run(Scripted(*falling(20)), max_iter=5, tol=1e-4)
    assert (trace.n_iter, trace.converged) == (5, False)
    assert trace.history["iteration"] == [0, 1, 2, 3, 4]
    assert trace.history["objective"] == [1, 0.5, 0.25, 0.125, 0.0625]
    assert len(trace.history["seconds"]) == 5


def test_stops_when_ten_iterations_together_gain_too_little():
    tol = 1e-4
    steadily = falling(50, (1 - 0.9 * tol) ** (1 / 10))
    trace = run(Scripted(Step(8.0), Step(4.0), *steadily), max_iter=500, tol=tol)
    assert trace.converged
    assert trace.n_iter == 2 + 11


def test_stops_when_five_iterations_gain_next_to_nothing():
    steps = falling(8) + [Step(0.5**7)] * 50
    trace = run(Scripted(*steps), max_iter=500, tol=1e-4)
    assert trace.converged
    assert trace.n_iter == 8 + 5


def test_a_slow_but_steady_fall_is_not_taken_for_an_end():
    tol = 1e-4
    factor = (1 - 1.5 * tol) ** (1 / 10)
    trace = run(Scripted(*falling(200, factor)), max_iter=150, tol=tol)
    assert not trace.converged


def test_a_run_that_goes_on_counts_and_settles_as_one():
    tol = 1e-4
    steps = falling(4) + [Step(0.125)] * 50
    whole = run(Scripted(*steps), max_iter=500, tol=tol)
    first = run(Scripted(*steps[:6]), max_iter=6, tol=tol)
    second = run(Scripted(*steps[6:]), max_iter=500, tol=tol, earlier=first)
    for key in ("iteration", "objective"):
        assert second.history[key] == whole.history[key]
    assert np.all(np.diff(second.history["seconds"]) >= 0)
    assert (second.n_iter, second.converged) == (whole.n_iter, True)


def test_what_was_measured_too_low_by_rounding_is_not_taken_for_a_rise():
    first = run(Scripted(Step(2.0), Step(0.99)), max_iter=2, tol=0.0)
    trace = run(Scripted(Step(1.0), Step(0.5)), max_iter=4, tol=0.0, earlier=first)
    assert trace.history["objective"] == [2.0, 1.0, 1.0, 0.5]


def test_who_stopped_a_run_stopped_what_would_go_on():
    first = run(Scripted(*falling(9)), max_iter=9, tol=0.0, report=lambda i, f: True)
    trace = run(Scripted(*falling(9)), max_iter=9, tol=0.0, earlier=first)
    assert (trace.n_iter, trace.converged, trace.stopped) == (1, False, True)


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
