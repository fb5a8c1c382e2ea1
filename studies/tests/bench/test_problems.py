"""The data of benchmarks."""

from dataclasses import replace

import numpy as np

from robustnmf_studies.bench.problems import fill, large_problem, small_problem


def test_problem_is_the_same_each_time_and_known(tiny):
    one, two = small_problem(tiny), small_problem(tiny)
    assert np.array_equal(one.X, two.X)
    assert np.array_equal(one.W, two.W)
    assert np.array_equal(one.X[~one.mask], one.clean[~one.mask])
    assert 0.03 < one.mask.mean() < 0.07
    assert one.X.min() >= 0
    assert (one.W > 0).all()
    assert one.without_noise().X is one.clean


def test_other_seeds_are_other_problems(tiny):
    assert not np.array_equal(small_problem(tiny).X, small_problem(tiny, seed=1).X)


def test_real_faces_can_take_the_place(tiny):
    problem = small_problem(replace(tiny, data="builtin"))
    assert problem.size.n == tiny.small.n
    assert problem.X.shape == problem.size[:2]


def test_large_problem_can_be_of_integers(tiny):
    X = np.zeros(tiny.large[:2], np.uint8)
    fill(X, tiny.large)
    floats = large_problem(tiny.large).X
    assert np.abs(X - floats).max() <= 0.5
    assert large_problem(tiny.large) is large_problem(tiny.large)


def test_other_starts_of_the_same_data(tiny):
    problem = small_problem(tiny)
    assert np.array_equal(problem.restarted(0).W, problem.W)
    assert not np.array_equal(problem.restarted(1).W, problem.W)
    assert problem.restarted(1).X is problem.X


def test_start_is_copied(tiny):
    problem = small_problem(tiny)
    problem.start()[0][:] = 0
    assert (problem.W > 0).all()
