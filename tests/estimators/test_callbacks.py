"""scikit-learn's callback API: progress bar, monitors, early stopping."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

from robustnmf import MiniBatchRobustNMF, RobustNMF, WeightedNMF

callback = pytest.importorskip("sklearn.callback", reason="needs scikit-learn 1.9")


class Recorder:
    """Hears everything, and stops after some iterations if asked to."""

    def __init__(self, stop_after=None):
        self.stop_after = stop_after
        self.events = []
        self.scores = []

    def setup(self, estimator, context):
        self.events.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.events.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context, *, X, fitted_estimator):
        self.events.append(f"end {context.task_name}")
        self.scores.append(fitted_estimator.score(X))
        return self.stop_after is not None and context.task_id + 1 >= self.stop_after

    def teardown(self, estimator, context):
        self.events.append("teardown")


ESTIMATORS = [
    RobustNMF(3, lam=0.3, random_state=0),
    RobustNMF(3, lam=0.3, random_state=0, solver="mu", tol=1e-2),
    RobustNMF(3, lam=0.3, random_state=0, refit="wnmf", n_init=2),
    WeightedNMF(3, random_state=0),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_callbacks_hear_of_every_iteration(estimator, dirty_data):
    recorder = Recorder()
    estimator.set_callbacks(recorder).fit(dirty_data[0])
    events = recorder.events
    assert events[:2] == ["setup", "begin fit"]
    assert events[-2:] == ["end fit", "teardown"]
    assert events.count("begin iteration") == events.count("end iteration") > 5
    if estimator.get_params().get("n_init") == 1:
        assert events.count("end iteration") == estimator.n_iter_
    # The estimator handed to callbacks is a working one, and it gets better.
    assert np.isfinite(recorder.scores).all()
    if not getattr(estimator, "refit", None):  # whose noise is larger, hence its penalty
        assert recorder.scores[-1] > recorder.scores[0]


def test_a_callback_can_stop_the_fit_without_a_warning(dirty_data):
    fitted = RobustNMF(3, lam=0.3, random_state=0).set_callbacks(Recorder(stop_after=4))
    fitted.fit(dirty_data[0])
    assert (fitted.n_iter_, fitted.converged_) == (4, False)
    assert fitted.transform(dirty_data[0]).shape == (60, 3)


def test_stopping_ends_all_starts_and_the_refit(dirty_data):
    fitted = RobustNMF(3, lam=0.3, random_state=0, n_init=5, refit="wnmf")
    recorder = Recorder(stop_after=4)
    fitted.set_callbacks(recorder).fit(dirty_data[0])
    assert recorder.events.count("end iteration") == 4
    assert fitted.transform(dirty_data[0]).shape == (60, 3)


def test_the_progress_bar_works(dirty_data, capsys):
    fitted = RobustNMF(3, lam=0.3, random_state=0).set_callbacks(callback.ProgressBar())
    fitted.fit(dirty_data[0])
    assert "RobustNMF" in capsys.readouterr().out


class Breaker(Recorder):
    """Fails in the middle of a fit, as Ctrl-C would."""

    def on_fit_task_end(self, estimator, context, *, X, fitted_estimator):
        if context.task_id == 3:
            raise KeyboardInterrupt


@pytest.mark.parametrize("refit", [None, "wnmf"])
def test_an_interrupted_fit_leaves_the_model_as_it_was(dirty_data, refit):
    X = dirty_data[0]
    fitted = RobustNMF(3, lam=0.3, random_state=0, refit=refit).fit(X)
    before = fitted.transform(X)
    fitted.set_params(lam=5.0, n_components=2).set_callbacks(Breaker())
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(X)
    assert_array_equal(fitted.transform(X), before)
    fresh = RobustNMF(3, random_state=0).set_callbacks(Breaker())
    with pytest.raises(KeyboardInterrupt):
        fresh.fit(X)
    with pytest.raises(NotFittedError):
        fresh.transform(X)


def test_callbacks_do_not_change_the_answer(dirty_data):
    X = dirty_data[0]
    watched = RobustNMF(3, lam=0.3, random_state=0).set_callbacks(Recorder()).fit(X)
    assert_array_equal(
        watched.components_, RobustNMF(3, lam=0.3, random_state=0).fit(X).components_
    )
    assert np.isfinite(watched.objective_)


def test_epochs_are_iterations_of_fits_by_batches(dirty_data):
    recorder = Recorder(stop_after=2)
    fitted = MiniBatchRobustNMF(3, tol=0, batch_size=20, random_state=0).set_callbacks(recorder)
    assert fitted.fit(dirty_data[0]).n_iter_ == 2
    assert not fitted.converged_
    assert recorder.events.count("end iteration") == 2
    assert np.isfinite(recorder.scores).all()
