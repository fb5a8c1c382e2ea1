import warnings
from itertools import islice

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from robustnmf import robust_nmf
from robustnmf.datasets import load_faces
from robustnmf_studies.paper.compute import make_problem
from robustnmf_studies.paper.settings import Point, Settings
from robustnmf_studies.paper.traces import literal_rules, trace


@pytest.fixture(scope="module")
def start():
    rng = np.random.default_rng(0)
    X = rng.random((30, 4)) @ rng.random((4, 20))
    X[rng.random(X.shape) < 0.05] = 0.0
    X[rng.random(X.shape) < 0.05] = 5.0
    return X, rng.random((30, 4)) + 0.1, rng.random((4, 20)) + 0.1


@pytest.mark.parametrize("n_iter", [1, 7, 60])
def test_rules_are_those_of_the_library(start, n_iter):
    X, W, H = start
    # Far enough from 0 that X − E ≥ 0, which only the library sees to, holds by itself.
    X = X + 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = robust_nmf(X, 4, lam=0.3, solver="mu", init=(W, H), max_iter=n_iter, tol=0)
    rules = literal_rules(X, W, H, 0.1 * X.mean(), 0.3)
    ours = next(islice(rules, n_iter, None))
    assert (ours.noise <= X).all()
    np.testing.assert_allclose(ours.W @ ours.H, theirs[0] @ theirs[1], rtol=1e-6)
    E = np.where(np.abs(ours.noise) > 0.01 * X.mean(), ours.noise, 0)
    np.testing.assert_allclose(E, theirs[2].toarray(), atol=1e-6 * X.mean())


def test_objective_never_rises(start):
    X, W, H = start
    objectives = [s.objective for s in islice(literal_rules(X, W, H, 0.1, 0.3), 200)]
    assert (np.diff(objectives) <= 1e-12 * np.array(objectives[:-1])).all()


def test_objective_is_the_paper_s(start):
    X, W, H = start
    state = next(islice(literal_rules(X, W, H, 0.1, 0.3), 5, None))
    mass = (state.positive + state.negative).sum(axis=1)
    expected = ((X - state.W @ state.H - state.noise) ** 2).sum() + 0.3 * (mass**2).sum()
    assert state.objective == pytest.approx(expected)


def test_trace_follows_both_solvers():
    images = load_faces("builtin").images
    settings = Settings(trace_iterations=20, iterations=10, max_iter=30)
    point = Point("trace", 0, 12, 20)
    tables = trace(make_problem(images, point, settings), point, settings)
    rules = [row for row in tables["traces"] if row["solver"] == "mu"]
    assert [row["iteration"] for row in rules] == [1, 2, 5, 10, 20]
    assert all(0 <= row["recall_0.01"] <= 1 for row in rules)
    assert {row["solver"] for row in tables["falls"]} == {"mu", "hals"}
    for row in tables["falls"]:
        assert row["largest_rise"] <= 0
        assert row["last"] <= row["at_stated"] <= row["first"]
