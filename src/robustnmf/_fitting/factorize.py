"""Learning factors: start, run the solver, restart, keep the best. Shared by all estimators."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from robustnmf._common.arrays import Array
from robustnmf._common.checks import (
    check_choice,
    check_count,
    check_not_negative,
    check_seed,
)
from robustnmf._core.engine import Engine
from robustnmf._core.growth import Stage
from robustnmf._core.held import Held
from robustnmf._core.init import STARTS
from robustnmf._core.loop import Solver, Trace, run
from robustnmf._core.noise import CONVEX_START, NoiseModel, NoNoise
from robustnmf._engines import single_threaded_blas, stack_rows
from robustnmf._fitting.data import Summary
from robustnmf._fitting.given_start import check_init
from robustnmf._fitting.inference import Units
from robustnmf._solvers import Guess, grow_guess, head_start

# Iterations of an easier problem before a hard one (`NoiseModel.is_hard`). No study chose it;
# without it, tests/estimators/test_missing.py fails for the L0 model.
EASIER_ITERATIONS = 50

Report = Callable[[int, float], bool]
"""What hears of each iteration and its objective, and may end the run."""
Watch = Callable[[str, Callable[[], Array]], Report]
"""Asked, with the name of a step and a way to its H, for what that step reports to."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The checked arguments that every factorization takes, but for the number of components."""

    solver: type[Solver]
    init: Any
    n_init: int
    max_iter: int
    tol: float
    random_state: Any
    start_is_ours: bool = False
    """`init` is a pair from an earlier run, which may hold components that died."""

    @staticmethod
    def of(source: Any, solvers: Mapping[str, type[Solver]]) -> Options:
        """Take them from an estimator (or any object with these attributes), or raise."""
        check_count("verbose", source.verbose, least=0)
        check_seed(source.random_state)
        return Options(
            solver=solvers[check_choice("solver", source.solver, solvers)],
            init=source.init,
            n_init=check_count("n_init", source.n_init),
            max_iter=check_count("max_iter", source.max_iter),
            tol=check_not_negative("tol", source.tol, "Try 1e-4."),
            random_state=source.random_state,
        )

    @property
    def n_runs(self) -> int:
        """How many starts are tried; a given start has only one."""
        return self.n_init if isinstance(self.init, str) else 1

    def with_components(self, n_components: int) -> Settings:
        """Return the settings for this number of components."""
        own = {field.name: getattr(self, field.name) for field in fields(Options)}
        return Settings(n_components=n_components, **own)


@dataclass(frozen=True, kw_only=True)
class Settings(Options):
    """The checked arguments that every factorization takes."""

    n_components: int


@dataclass
class Factors:
    """What a run of a solver left, in the user's units."""

    W: Array
    H: Array
    trace: Trace
    own_noise: sparse.csr_array | None
    """The solver's own E, where it keeps one."""
    hint: float | None = None
    """What missing entries counted in the end, where there were any and they were held."""
    stages: tuple[Stage, ...] = ()
    """How the guess that held them was found."""


def factorize(
    X: Any,
    weights: Any,
    summary: Summary,
    noise: NoiseModel,
    settings: Settings,
    watch: Watch,
    stage: str = "fit",
    *,
    hold: bool,
    hint: float | None = None,
) -> Factors:
    """Run the solver from each start and return the factors with the lowest objective.

    `watch(stage, components)` is asked for what each run reports to. With `hold`, missing entries
    are held by a guess: one that grows, or where there is no noise, that of a start that is ours.
    `hint` is what they count at first, if that is known.
    """
    units = Units(summary)
    data = units.blocks(X, weights)
    noise = units.noise(noise)
    given = settings.init
    if not settings.start_is_ours:
        given = check_init(settings.init, STARTS, settings.n_components, X.shape)
    rng = check_random_state(settings.random_state)
    mean = units.mean(summary)
    best: Factors | None = None
    stages: tuple[Stage, ...] = ()
    guess: Guess | None = None
    with single_threaded_blas:
        first_hint = settings.solver.first_hint if hold else None
        if first_hint is not None and summary.n_known < X.shape[0] * X.shape[1]:
            ours = settings.start_is_ours and isinstance(noise, NoNoise)
            if ours:
                held = Held(noise, units.weights(given[0]), units.components(given[1]))
            else:
                easy = CONVEX_START if noise.is_hard(X.shape[1]) else noise
                guess = grow_guess(data, easy, settings.n_components, mean)
                held = Held(noise, guess.levels, guess.profiles, optimism=guess.optimism)
                stages = tuple(Stage(units.components_back(H), h) for H, h in guess.stages)
            noise = replace(held, hint=first_hint if hint is None else hint)
        for attempt in range(settings.n_runs):
            if given is None:
                W, H = STARTS[settings.init](data, settings.n_components, mean, rng)
                # Other starts are for those who want to see what else there is.
                if guess is not None and attempt == 0 and settings.init == "random":
                    W, H = guess.extended(W, H)
                W, H = _better_start(data, noise, W, H, settings, mean)
            else:
                W, H = units.weights(given[0]), units.components(given[1])
            solver = _solver(settings, noise)(data, noise, W, H, mean=mean)
            name = f"{stage} {attempt + 1}/{settings.n_runs}" if settings.n_runs > 1 else stage
            trace = _run(solver, settings, summary, units, watch, name)
            if best is None or trace.last < best.trace.last:
                best = Factors(
                    units.weights_back(solver.W),
                    units.components_back(solver.H),
                    trace,
                    _own_noise(solver, X.shape[1], units),
                    solver.hint,
                    stages,
                )
            if trace.stopped:
                break
    assert best is not None
    return best


def _run(
    solver: Solver, settings: Settings, summary: Summary, units: Units, watch: Watch, name: str
) -> Trace:
    """Run one solver, with its history and reports in the user's units."""
    report = watch(name, lambda: units.components_back(solver.H))
    try:
        trace = run(
            solver,
            max_iter=settings.max_iter,
            tol=settings.tol,
            floor=units.objective(summary.square_sum) * float(np.finfo(units.dtype).eps) ** 2,
            report=lambda i, objective: report(i, units.objective_back(objective)),
        )
    except FloatingPointError as error:
        raise ValueError(
            "init=(W, H) is so large or so small that the objective is not a finite number; "
            "scale it such that W @ H is about as large as X"
        ) from error
    trace.history["objective"] = [units.objective_back(f) for f in trace.history["objective"]]
    return trace


def _better_start(
    data: Engine, noise: NoiseModel, W: Array, H: Array, settings: Settings, mean: float
) -> tuple[Array, Array]:
    """Go some way on a sample of rows, and where needed with an easier noise model."""
    hard = noise.is_hard(data.shape[1])
    easy = _with_known(noise, CONVEX_START) if hard else noise
    if settings.solver.takes_head_start:
        W, H = head_start(data, easy, W, H)
    if hard:
        solver = settings.solver(data, easy, W, H, mean=mean)
        run(solver, max_iter=EASIER_ITERATIONS, tol=settings.tol)
        W, H = solver.W, solver.H
    return W, H


def _solver(settings: Settings, noise: NoiseModel) -> type[Solver]:
    solver = settings.solver
    return solver.holding or solver if isinstance(noise, Held) else solver


def _with_known(noise: NoiseModel, model: NoiseModel) -> NoiseModel:
    return noise.with_known(model) if isinstance(noise, Held) else model


def warn_unconverged(settings: Settings, owner: str) -> None:
    """Say that the iterations ran out, and what to change."""
    warnings.warn(
        f"{owner} stopped at max_iter={settings.max_iter} before the objective settled to "
        f"tol={settings.tol:g}. Raise max_iter for a better fit, or raise tol if this one will do.",
        ConvergenceWarning,
        stacklevel=user_level(),
    )


def user_level() -> int:
    """How far up the call stack the user's own code is: past this package and scikit-learn."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(
        ("robustnmf.", "sklearn.")
    ):
        level, frame = level + 1, frame.f_back
    return level


def _own_noise(solver: Solver, n_features: int, units: Units) -> sparse.csr_array | None:
    if not solver.keeps_noise:
        return None
    blocks = map(sparse.csr_array, solver.noise())
    return units.noise_back(stack_rows(blocks, n_features))
