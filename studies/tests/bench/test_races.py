"""Races to an objective."""

import math

import numpy as np
import pytest

from robustnmf import RobustNMF
from robustnmf_studies.bench import races
from robustnmf_studies.bench.problems import LAM, Steps, small_problem
from robustnmf_studies.bench.races import exact_objective, race, squared_error
from robustnmf_studies.bench.timing import unconverged_is_fine


def test_race_lost_to_a_local_minimum_is_told(tiny, tell, monkeypatch):
    monkeypatch.setattr(races, "race", lambda *_: [math.inf])
    (small,) = races.noise_off(tiny, "small", tell)
    assert small.median == 0
    assert "from 5 of 5 starts" in small.note


def test_race_ends_where_it_should(tiny):
    problem = small_problem(tiny)
    at_start = exact_objective(problem, LAM, problem.W, problem.H)
    first, later, never = race(problem, LAM, [at_start, 0.5 * at_start, -1.0])
    assert 0 < first <= later < math.inf
    assert never == math.inf


def test_best_noise_is_at_most_the_rules_own(tiny):
    problem = small_problem(tiny)
    rule = Steps("mu", problem)
    rule.seconds(5)
    W, H = rule.solver.W.copy(), rule.solver.H.copy()
    exact = exact_objective(problem, LAM, W, H)
    assert exact <= rule.objective()
    # Noise that is free of charge explains everything; noise that is dear, nothing.
    plain = squared_error(problem.X, W, H)
    assert exact < plain
    assert exact_objective(problem, 1e12, W, H) == pytest.approx(plain)
    assert plain == pytest.approx(np.linalg.norm(problem.X - W @ H) ** 2)


def test_paper_rule(tiny, run_all):
    rows = run_all("paper-rule", tiny)
    assert set(rows) == {f"{s}{t}" for s in ("small", "large") for t in ("", "-strict")}
    for row in rows.values():
        assert len(row.values) == tiny.repeat
        assert not row.exact  # not the size that the target is set for
    details = rows["small"].details
    assert details["objective_best_noise"] <= details["objective"]
    assert min(rows["small"].values) > 0  # it was reached


def test_noise_off(tiny, run_all):
    rows = run_all("noise-off", tiny)
    assert set(rows) == {"small", "large"}
    for row in rows.values():
        assert min(row.details["their_iterations"]) > 1
        assert row.details["lost"] == row.values.count(0.0)


def test_rule_fits(tiny, run_all):
    row = run_all("rule-fits", tiny)["small"]
    assert len(row.values) == tiny.repeat
    assert not row.exact
    problem = small_problem(tiny)
    with unconverged_is_fine():
        ours = RobustNMF(
            problem.size.k, init=problem.start(), tol=0.0, max_iter=row.details["iterations"]
        ).fit(problem.X)
    assert ours.objective_ <= row.details["objective"]
