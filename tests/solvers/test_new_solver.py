"""One more solver is one file and one line: here is the file, and the line is patched in."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from robustnmf import RobustNMF, robust_nmf
from robustnmf._core.loop import Step
from robustnmf._solvers import SOLVERS
from robustnmf._solvers.base import BaseSolver


class Gradient(BaseSolver):
    """A projected gradient step on W, then on H, each as long as the curvature allows.

    The loss of cleaned rows is quadratic and touches the objective from above, so neither rises.
    """

    def __init__(self, data, noise, W, H, *, mean):
        self._data, self._noise, self.H = data, noise, H
        self._W = data.keep(W)
        self._threshold = data.keep(np.zeros(data.shape[0], data.dtype))

    @property
    def W(self):
        return self._W

    def step(self):
        H, noise = self.H, self._noise
        curvature = np.linalg.norm(H @ H.T, 2)

        def improve(rows, X, weights, W, threshold, *own):
            cleaned = noise.with_rows(*own).clean(X, W @ H, weights, threshold)
            W = np.maximum(W + (cleaned.rows - W @ H) @ H.T / curvature, 0)
            sums = np.array([W.T @ cleaned.rows, W.T @ W, cleaned.loss.sum()], dtype=object)
            return sums, W, cleaned.threshold

        # New arrays: the start belongs to somebody else.
        new = self._data.room_for(self._W), self._data.room_for(self._threshold)
        kept = self._W, self._threshold
        read = (*kept, *noise.row_arrays)
        top, gram, objective = self._data.fold(improve, np.add, read=read, write=new)
        self._W, self._threshold = new
        self.H = np.maximum(H + (top - gram @ H) / np.linalg.norm(gram, 2), 0)
        return Step(float(objective))


class Picky(Gradient):
    """One that serves a single penalty."""

    penalties = ("squared_l0",)


@pytest.fixture(autouse=True)
def one_line(monkeypatch):
    monkeypatch.setitem(SOLVERS, "gradient", Gradient)
    monkeypatch.setitem(SOLVERS, "picky", Picky)


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    clean = rng.exponential(size=(120, 3)) @ rng.exponential(size=(3, 40))
    return np.where(rng.random(clean.shape) < 0.05, clean + 20, clean)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"penalty": "squared_l0", "lam": 0.5},
        {"refit": "wnmf"},
        {"lam": "auto"},
        {"lam": "auto", "n_components": "auto"},
    ],
    ids=str,
)
@pytest.mark.parametrize("missing", [False, True])
def test_an_estimator_fits_with_it(X, options, missing):
    if missing:
        X[3, 4] = X[50, 7] = np.nan
    options = {"n_components": 3, "random_state": 0, "max_iter": 5000} | options
    model, usual = (RobustNMF(**options, solver=solver).fit(X) for solver in ("gradient", "hals"))
    assert (np.diff(model.history_["objective"]) <= 0).all()
    # It ends a little higher: it is slow, and does not hold missing entries.
    assert_allclose(model.objective_, usual.objective_, rtol=0.05)
    assert (model.detect(X) == usual.detect(X)).mean() > 0.99


def test_the_function_gives_what_it_left(X):
    W, H, E, n_iter = robust_nmf(X, 3, random_state=0, solver="gradient", tol=1e-3)
    assert n_iter > 10
    assert min(W.min(), H.min(), (X - E).min()) >= 0


def test_it_is_offered_and_refused_where_it_belongs(X):
    with pytest.raises(ValueError, match="'mu', 'gradient', 'picky'; got 'newton'"):
        RobustNMF(3, solver="newton").fit(X)
    with pytest.raises(ValueError, match="solver='picky' exists for penalty='squared_l0' only"):
        RobustNMF(3, solver="picky").fit(X)
    with pytest.raises(ValueError, match="solver='picky' needs a number for lam"):
        RobustNMF(3, solver="picky", penalty="squared_l0", lam="auto").fit(X)
    RobustNMF(3, solver="picky", penalty="squared_l0", lam=0.5, tol=1e-2).fit(X)


def test_noise_of_its_own_is_not_asked_of_one_that_keeps_none():
    with pytest.raises(TypeError, match="Gradient keeps no noise of its own"):
        BaseSolver.noise(object.__new__(Gradient))
