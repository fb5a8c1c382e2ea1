"""How a fit of RobustNMF runs: starts, seeds, threads, warnings, history."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import reference
from robustnmf import WeightedNMF, robust_nmf
from variants import model


def test_restarts_keep_the_best(dirty_data):
    X = dirty_data[0]
    rng = np.random.RandomState(5)
    singles = [model(random_state=rng, max_iter=30, tol=1e-2).fit(X) for _ in range(4)]
    best = model(random_state=np.random.RandomState(5), max_iter=30, tol=1e-2, n_init=4).fit(X)
    last = [m.history_["objective"][-1] for m in singles]
    assert best.history_["objective"][-1] == min(last)
    assert len(set(last)) > 1


def test_the_same_seed_gives_the_same_answer(dirty_data):
    X = dirty_data[0]
    first, second = model(random_state=7).fit(X), model(random_state=7).fit(X)
    assert_array_equal(first.components_, second.components_)
    assert not np.array_equal(first.components_, model(random_state=8).fit(X).components_)


@pytest.mark.slow
def test_the_number_of_threads_does_not_change_a_bit():
    script = """
import sys, numpy as np
from robustnmf import RobustNMF, WeightedNMF, robust_nmf
X = np.random.default_rng(0).random((1500, 300))
model = RobustNMF(5, random_state=0, max_iter=20, tol=0.5).fit(X)
sys.stdout.write(model.components_.tobytes().hex())
"""
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    ]
    assert len(outputs[0]) > 1000
    assert outputs[0] == outputs[1]


def test_unfinished_fits_say_what_to_change(dirty_data):
    with pytest.warns(ConvergenceWarning, match=r"max_iter=3.*Raise max_iter.*tol"):
        fitted = model(max_iter=3).fit(dirty_data[0])
    assert (fitted.n_iter_, fitted.converged_) == (3, False)


def test_an_unfinished_refit_says_so_too(dirty_data):
    X = dirty_data[0]
    settled = model().fit(X)
    start = settled.transform(X), settled.components_
    # From its own answer the robust fit has nothing left to do, but the refit has.
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        fitted = model(init=start, refit="wnmf", max_iter=12).fit(X)
    assert len(fitted.history_["objective"]) < 12
    assert not fitted.converged_


def test_the_warning_points_at_the_users_own_line(dirty_data):
    for fit in (model(max_iter=3).fit, lambda X: robust_nmf(X, 3, max_iter=3)):
        with pytest.warns(ConvergenceWarning) as caught:
            fit(dirty_data[0])
        assert caught[0].filename == __file__


def test_history(dirty_data):
    history = model().fit(dirty_data[0]).history_
    assert list(history) == ["iteration", "objective", "seconds"]
    assert history["iteration"] == list(range(len(history["iteration"])))
    assert (np.diff(history["seconds"]) >= 0).all()


def test_verbose_shows_how_it_goes(dirty_data, capsys, monkeypatch):
    model(verbose=1, n_init=2, refit="wnmf").fit(dirty_data[0])
    shown = capsys.readouterr().err
    for part in ("fit 1/2: iteration 1/2000, objective", "fit 2/2", "refit", "converged after"):
        assert part in shown
    monkeypatch.setattr("robustnmf._common.progress.INTERVAL", 0)
    monkeypatch.setattr("robustnmf._common.progress.LOG_INTERVAL", 0)
    model(verbose=1).fit(dirty_data[0])
    lines = capsys.readouterr().err.splitlines()
    pattern = (
        r"\[RobustNMF\] fit: iteration \d+/2000, objective [\d.]+, "
        r"(about|at most) .* left, [\d,]+ rows/s, [\d.]+ s"
    )
    assert all(re.fullmatch(pattern, line) for line in lines[1:-1])
    assert "about" in lines[-2]
    model().fit(dirty_data[0])
    assert capsys.readouterr().err == ""


def test_a_given_start_is_used_and_kept(dirty_data):
    X = dirty_data[0]
    rng = np.random.default_rng(0)
    W, H = rng.random((60, 3)), rng.random((3, 40))
    before = W.copy(), H.copy()
    fitted = model(init=(W, H)).fit(X)
    assert_array_equal(W, before[0])
    assert_array_equal(H, before[1])
    first = fitted.history_["objective"][0]
    expected = sum(
        reference.clean(x, p, 0.3, "squared_l1")[1] for x, p in zip(X, W @ H, strict=True)
    )
    assert_allclose(first, expected)


@pytest.mark.parametrize("estimator", [model(), WeightedNMF(3, random_state=0)], ids=str)
def test_a_fit_that_fails_leaves_the_model_as_it_was(estimator, dirty_data):
    X = dirty_data[0]
    fresh = clone(estimator)
    with pytest.raises(ValueError, match="Negative values"):
        fresh.fit(-X)
    assert vars(fresh) == vars(clone(estimator))
    fitted = estimator.fit(X)
    expected = fitted.transform(X)
    with pytest.raises(ValueError, match="Negative values"):
        fitted.fit(-X[:, :10])
    # Here warnings are errors.
    with pytest.raises(ConvergenceWarning):
        fitted.set_params(max_iter=3).fit(X[:, :10])
    assert_array_equal(fitted.transform(X), expected)
