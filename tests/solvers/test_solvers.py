"""Every solver: the objective never rises, factors stay nonnegative, the rules are the rules."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import reference
from conftest import low_rank, spoil
from robustnmf._core.loop import run
from robustnmf._core.noise import NoNoise, SquaredL0, SquaredL1
from robustnmf._engines.memory import MemoryEngine
from robustnmf._solvers import SOLVERS, WEIGHTED_SOLVERS
from robustnmf._solvers.multiplicative import MultiplicativeRobust, MultiplicativeWeighted
from robustnmf._solvers.settings import HALS

SEEDS = st.integers(0, 2**32 - 1)
CASES = [
    pytest.param(solver, noise, id=f"{name}-{type(noise).__name__}")
    for table, models in [
        (SOLVERS, [SquaredL1(0.04), SquaredL1(5.0), SquaredL0(0.5)]),
        (WEIGHTED_SOLVERS, [NoNoise()]),
    ]
    for name, solver in table.items()
    for noise in models
    if not (name == "mu" and isinstance(noise, SquaredL0))
]


def problem(seed, dtype=np.float64, missing=False, n=None):
    rng = np.random.default_rng(seed)
    n, m, k = n or rng.integers(2, 30), rng.integers(2, 25), rng.integers(1, 5)
    X = rng.gamma(1.0, size=(n, k)) @ rng.gamma(1.0, size=(k, m))
    X[rng.random((n, m)) < 0.1] += 20
    X[rng.random((n, m)) < 0.1] = 0
    if missing:
        X[rng.random((n, m)) < 0.2] = np.nan
        X[np.isnan(X).all(axis=1), 0] = 1
    mean = np.nanmean(X)
    W, H = (np.sqrt(mean / k) * rng.random(s) + 1e-3 for s in ((n, k), (k, m)))
    return X.astype(dtype), W.astype(dtype), H.astype(dtype), float(mean)


@pytest.mark.parametrize(("solver", "noise"), CASES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("missing", [False, True])
@given(seed=SEEDS)
@settings(max_examples=20)
def test_objective_never_rises_and_factors_stay_nonnegative(solver, noise, dtype, missing, seed):
    X, W, H, mean = problem(seed, dtype, missing)
    machine = solver(MemoryEngine(X, dtype=dtype), noise, W, H, mean=mean)
    rounding = 1e-6 if dtype == np.float32 else 1e-13
    tiny = rounding**2 * np.nansum(X.astype(float) ** 2)
    first = true_objective(machine, noise, X)
    reported = []
    for _ in range(60):
        step = machine.step()
        reported.append(step.objective)
        # The factors are never worse than the solver says.
        assert true_objective(machine, noise, X) <= step.objective * (1 + 10 * rounding) + tiny
        assert (machine.W >= 0).all()
        assert (machine.H >= 0).all()
        E = (
            np.concatenate(list(machine.noise()))
            if machine.keeps_noise
            else exact_noise(machine, noise, X)
        )
        assert np.nanmin(X - E) >= -rounding * np.nanmax(X)
        if step.exhausted:
            break
    assert np.isfinite(reported).all()
    assert (np.diff(reported) <= 0).all()
    assert_allclose(reported[0], first, rtol=10 * rounding)
    assert machine.W.dtype == machine.H.dtype == dtype


def own_noise(machine):
    return np.concatenate(list(machine.noise()))


def exact_noise(machine, noise, X):
    return noise.noise(X, machine.W @ machine.H)


def true_objective(machine, noise, X):
    """The objective at the solver's factors, computed in float64 and without its help."""
    X, W, H = (A.astype(np.float64) for A in (X, machine.W, machine.H))
    if machine.keeps_noise:  # the paper's objective counts Ep and En, not their difference
        Ep, En = (A.astype(np.float64) for A in machine._parts)
        known = np.where(np.isnan(X), W @ H, X)
        return reference.paper_objective(known, W, H, Ep, En, noise.lam)
    if isinstance(noise, NoNoise):
        return np.nansum((X - W @ H) ** 2)
    name = "squared_l1" if isinstance(noise, SquaredL1) else "squared_l0"
    rows = zip(X, W @ H, strict=True)
    return sum(reference.clean(x, p, noise.lam, name)[1] for x, p in rows)


@pytest.mark.parametrize("missing", [False, True])
@given(seed=SEEDS)
@settings(max_examples=20)
def test_hals_reports_the_true_objective(missing, seed):
    X, W, H, _ = problem(seed, missing=missing)
    for name, noise in [("squared_l1", SquaredL1(0.1)), ("squared_l0", SquaredL0(0.1))]:
        machine = SOLVERS["hals"](MemoryEngine(X, block_rows=4), noise, W, H)
        first = machine.step().objective
        expected = sum(reference.clean(x, p, 0.1, name)[1] for x, p in zip(X, W @ H, strict=True))
        assert_allclose(first, expected, rtol=1e-10)


@given(SEEDS, st.sampled_from([0.01, 0.04, 0.5, 1.0, 1.7, 30.0]))
def test_the_papers_rule_is_that_of_its_matrices(seed, lam):
    X, W, H, mean = problem(seed)
    rng = np.random.default_rng(seed)
    Ep = rng.random(X.shape) * mean
    En = rng.random(X.shape) * mean
    Ep = np.minimum(Ep, X + En)
    machine = MultiplicativeRobust(MemoryEngine(X, block_rows=5), SquaredL1(lam), W, H, mean=mean)
    for kept, start in zip(machine._parts, (Ep, En), strict=True):
        kept[:] = start
    objective = machine.step().objective
    assert_allclose(objective, reference.paper_objective(X, W, H, Ep, En, lam), rtol=1e-12)
    expected = reference.paper_step(X, W, H, Ep, En, lam)
    found = (machine.W, machine.H, *machine._parts)
    for ours, literal in zip(found, expected, strict=True):
        assert_allclose(ours, literal, rtol=1e-12, atol=1e-12 * np.abs(literal).max())


@given(SEEDS)
def test_wnmf_is_the_published_rule(seed):
    X, W, H, mean = problem(seed)
    X = X + 0.1  # no empty rows or columns, where the published rule divides by zero
    Q = np.random.default_rng(seed).random(X.shape) + 0.01
    Q = Q / Q.max()
    machine = MultiplicativeWeighted(MemoryEngine(X, Q, block_rows=5), NoNoise(), W, H, mean=mean)
    machine.step()
    for ours, literal in zip(
        (machine.W, machine.H), reference.weighted_step(X, Q, W, H), strict=True
    ):
        assert_allclose(ours, literal, rtol=1e-12)


def test_the_papers_rule_keeps_its_noise_within_the_tolerance_for_nonzero():
    X, mask = spoil(low_rank())
    mean = X.mean()
    rng = np.random.default_rng(0)
    W, H = rng.random((60, 3)), rng.random((3, 40))
    machine = MultiplicativeRobust(MemoryEngine(X), SquaredL1(0.2), W, H, mean=mean)
    run(machine, max_iter=500, tol=0)
    E = own_noise(machine)
    found = E != 0
    # Taken literally, "nonzero" says next to nothing.
    assert (np.subtract(*machine._parts) != 0).mean() > 5 * found.mean()
    assert (found & mask).sum() / found.sum() > 0.6
    assert (found & mask).sum() / mask.sum() > 0.9
    assert np.abs(E[found]).min() > 0.01 * mean


def test_hals_beats_the_papers_rule_by_far():
    X, W, H, mean = problem(2, n=60)
    slow = MultiplicativeRobust(MemoryEngine(X), SquaredL1(0.1), W, H, mean=mean)
    fast = SOLVERS["hals"](MemoryEngine(X), SquaredL1(0.1), W, H)
    target = run(slow, max_iter=1000, tol=0).history["objective"][-1]
    reached = run(fast, max_iter=1000, tol=0).history["objective"]
    assert np.flatnonzero(np.array(reached) <= target)[0] < 200


def test_extrapolation_saves_iterations(monkeypatch):
    def iterations():
        X, W, H, _ = problem(2, n=60)
        machine = SOLVERS["hals"](MemoryEngine(X), SquaredL1(0.1), W, H)
        history = np.array(run(machine, max_iter=3000, tol=1e-9).history["objective"])
        return history

    with_extrapolation = iterations()
    monkeypatch.setattr("robustnmf._solvers.hals.HALS", HALS._replace(first_reach=0.0))
    without = iterations()
    target = 1.001 * min(with_extrapolation[-1], without[-1])
    needed = [np.flatnonzero(h <= target)[0] for h in (with_extrapolation, without)]
    assert needed[0] < 0.7 * needed[1]


def test_the_papers_rule_refuses_other_noise():
    X, W, H, mean = problem(0)
    with pytest.raises(TypeError, match="SquaredL1"):
        MultiplicativeRobust(MemoryEngine(X), SquaredL0(0.1), W, H, mean=mean)
