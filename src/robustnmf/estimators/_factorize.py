"""Learning factors: start, run the solver, restart, keep the best. Shared by all estimators."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from robustnmf.core.init import STARTS
from robustnmf.core.loop import Trace, run
from robustnmf.core.noise import CONVEX_START, NoiseModel
from robustnmf.estimators._data import Summary
from robustnmf.estimators._inference import Units
from robustnmf.estimators._parameters import (
    check_choice,
    check_count,
    check_init,
    check_tolerance,
)

# Iterations of the convex problem before a nonconvex one.
CONVEX_ITERATIONS = 50

Array = np.ndarray
Report = Callable[[int, float], bool]


@dataclass(frozen=True)
class Settings:
    """The checked arguments that every factorization takes."""

    n_components: int
    solver: Callable
    init: Any
    n_init: int
    max_iter: int
    tol: float
    random_state: Any

    @classmethod
    def check(cls, source: Any, solvers: Mapping[str, Callable]) -> Settings:
        """Take them from an estimator (or any object with these attributes), or raise."""
        check_count("verbose", source.verbose, least=0)
        check_random_state(source.random_state)
        return cls(
            n_components=check_count("n_components", source.n_components),
            solver=solvers[check_choice("solver", source.solver, solvers)],
            init=source.init,
            n_init=check_count("n_init", source.n_init),
            max_iter=check_count("max_iter", source.max_iter),
            tol=check_tolerance("tol", source.tol),
            random_state=source.random_state,
        )

    @property
    def n_runs(self) -> int:
        """How many starts are tried; a given start has only one."""
        return self.n_init if isinstance(self.init, str) else 1


@dataclass
class Factors:
    """What a run of a solver left, in the user's units."""

    W: Array
    H: Array
    trace: Trace
    own_noise: sparse.csr_array | None
    """The solver's own E, where it keeps one."""


def factorize(
    X: Any,
    weights: Any,
    summary: Summary,
    noise: NoiseModel,
    settings: Settings,
    watch: Callable[[str, Callable[[], Array]], Report],
    stage: str = "fit",
    block_rows: int | None = None,
) -> Factors:
    """Run the solver from each start and return the factors with the lowest objective.

    `watch(stage, components)` is asked for what each run reports to.
    """
    units = Units(summary)
    data = units.blocks(X, weights, block_rows)
    given = check_init(settings.init, STARTS, settings.n_components, X.shape, summary.dtype)
    rng = check_random_state(settings.random_state)
    mean = units.mean(summary)
    best: Factors | None = None
    for attempt in range(settings.n_runs):
        if given is None:
            W, H = STARTS[settings.init](data, settings.n_components, mean, rng)
            if not noise.convex:
                W, H = _convex_start(data, W, H, settings)
        else:
            W, H = units.weights(given[0]), units.components(given[1])
        solver = settings.solver(data, units.noise(noise), W, H, mean=mean)
        name = f"{stage} {attempt + 1}/{settings.n_runs}" if settings.n_runs > 1 else stage
        trace = run(
            solver,
            max_iter=settings.max_iter,
            tol=settings.tol,
            floor=units.objective(summary.square_sum) * _exact_fit(summary.dtype),
            report=_in_user_units(watch, name, solver, units),
        )
        objectives = trace.history["objective"]
        trace.history["objective"] = [units.objective_back(f) for f in objectives]
        if best is None or trace.history["objective"][-1] < best.trace.history["objective"][-1]:
            best = Factors(
                units.weights_back(solver.W),
                units.components_back(solver.H),
                trace,
                _own_noise(solver, data, units),
            )
        if trace.stopped:
            break
    assert best is not None
    return best


def _convex_start(data: Any, W: Array, H: Array, settings: Settings) -> tuple[Array, Array]:
    """Go some way with a convex noise model first.

    Far from any fit, a nonconvex model can take all entries for noise, and then nothing pulls at
    the factors any more.
    """
    solver = settings.solver(data, CONVEX_START, W, H)
    run(solver, max_iter=CONVEX_ITERATIONS, tol=settings.tol)
    return solver.W, solver.H


def _in_user_units(watch: Callable, name: str, solver: Any, units: Units) -> Report:
    report = watch(name, lambda: units.components_back(solver.H))
    return lambda iteration, objective: report(iteration, units.objective_back(objective))


def warn_unconverged(trace: Trace, settings: Settings, owner: str) -> None:
    """Say that the iterations ran out, and what to change."""
    if trace.converged or trace.stopped:
        return
    warnings.warn(
        f"{owner} stopped at max_iter={settings.max_iter} before the objective settled to "
        f"tol={settings.tol:g}. Raise max_iter for a better fit, or raise tol if this one will do.",
        ConvergenceWarning,
        stacklevel=4,
    )


def _exact_fit(dtype: Any) -> float:
    """The share of Σ X² below which what is left is rounding."""
    return float(np.finfo(dtype).eps) ** 2


def _own_noise(solver: Any, data: Any, units: Units) -> sparse.csr_array | None:
    blocks = data.map(lambda rows, X, weights: solver.noise(rows))
    if blocks[0] is None:
        return None
    stacked = sparse.vstack([sparse.csr_array(block) for block in blocks], format="csr")
    return units.noise_back(stacked)
