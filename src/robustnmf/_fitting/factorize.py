"""Learning factors: start, run the solver, restart, keep the best. Shared by all estimators."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from robustnmf._common.arrays import Array
from robustnmf._common.checks import (
    check_choice,
    check_count,
    check_not_negative,
    check_seed,
)
from robustnmf._core.engine import Engine, RowArray
from robustnmf._core.growth import Stage
from robustnmf._core.held import Held
from robustnmf._core.init import STARTS
from robustnmf._core.loop import NO_KEEPER, Keeper, Solver, Trace, run
from robustnmf._core.noise import CONVEX_START, NoiseModel, NoNoise
from robustnmf._engines import single_threaded_blas, stacked
from robustnmf._fitting.checkpoint import Checkpoint
from robustnmf._fitting.data import Summary
from robustnmf._fitting.given_start import check_init
from robustnmf._fitting.problem import SINGLE, Problem, Report, Tell
from robustnmf._fitting.units import Units
from robustnmf._solvers import Guess, grow_guess, head_start

# Iterations of an easier problem before a hard one (`NoiseModel.is_hard`). No study chose it;
# without it, tests/estimators/test_missing.py fails for the L0 model.
EASIER_ITERATIONS = 50

Watch = Callable[..., Report]
"""Asked, with the name of a step, a way to its H, and the number of its rows where these are all,
for what that step reports to."""


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
    checkpoint: Checkpoint | None = None
    """Where runs of a solver are kept, to go on with them another time."""

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

    def keeper(self, data: Engine, run: str) -> Keeper:
        """Return what keeps a run of a solver, by its name."""
        return NO_KEEPER if self.checkpoint is None else self.checkpoint.keeper(data, run)

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

    data: Engine
    """The rows, and all that belongs to them."""
    W: RowArray
    H: Array
    trace: Trace
    own_noise: Any
    """The solver's own E, where it keeps one and somebody asked; a csr_array, or of data on a
    device an array in full, there."""
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
    own_noise: bool = False,
) -> Factors:
    """Run the solver from each start and return the factors with the lowest objective.

    `watch(stage, components, n_rows)` is asked for what each run reports to. With `hold`, missing
    entries are held by a guess: one that grows, or where there is no noise, that of a start that is
    ours. `hint` is what they count at first, if that is known. `own_noise` asks for the solver's
    own E, where it keeps one.
    """
    given = settings.init
    if not settings.start_is_ours:
        given = check_init(settings.init, STARTS, settings.n_components, X.shape)
    rng = check_random_state(settings.random_state)
    problem = Problem.of(X, weights, summary, noise)
    units = problem.units
    best: Factors | None = None
    stages: tuple[Stage, ...] = ()
    guess: Guess | None = None
    single: Problem | None = None
    with single_threaded_blas:
        first_hint = settings.solver.first_hint if hold else None
        if first_hint is not None and summary.n_known < X.shape[0] * X.shape[1]:
            held, guess, stages = _holding(problem, given, settings, stage)
            problem = problem._replace(
                noise=replace(held, hint=first_hint if hint is None else hint)
            )
        elif (given is None or settings.start_is_ours) and settings.solver.takes_head_start:
            # Who gives a start sees the iterations from there, to the last digit.
            single = Problem.in_single(X, weights, summary, noise)
        for attempt in range(settings.n_runs):
            name = f"{stage} {attempt + 1}/{settings.n_runs}" if settings.n_runs > 1 else stage
            tell, trace = partial(watch, name), None
            if given is None:
                first = None if attempt else guess
                W, H = _own_start(single or problem, settings, rng, first, name)
            else:
                start = units if single is None else single.units
                W = problem.data.combine(start.weights, problem.data.keep(given[0]))
                H = problem.data.beside(start.components(given[1]))
            if single is not None:
                W, H, trace = _settle(single, W, H, settings, tell, name)
                W, H = single.moved(W, H, problem)
            solver, trace = problem.run(
                _solver(settings, problem.noise),
                W,
                H,
                tell,
                max_iter=settings.max_iter,
                tol=settings.tol,
                earlier=trace,
                keeper=settings.keeper(problem.data, name),
            )
            if best is None or trace.last < best.trace.last:
                best = Factors(
                    problem.data,
                    problem.data.combine(units.weights_back, solver.W),
                    units.components_back(solver.H),
                    trace,
                    _own_noise(solver, X.shape[1], units) if own_noise else None,
                    solver.hint,
                    stages,
                )
            if trace.stopped:
                break
    assert best is not None
    return best


def _holding(
    problem: Problem, given: Any, settings: Settings, stage: str
) -> tuple[Held, Guess | None, tuple[Stage, ...]]:
    """Return the noise model that holds missing entries, and where its guess comes from."""
    data, noise, units = problem.data, problem.noise, problem.units
    if settings.start_is_ours and isinstance(noise, NoNoise):
        W = data.combine(units.weights, data.keep(given[0]))
        return Held(noise, W, data.beside(units.components(given[1]))), None, ()
    easy = CONVEX_START if noise.is_hard(data.shape[1]) else noise
    keeper = settings.keeper(data, f"{stage} guess")
    guess = grow_guess(data, easy, settings.n_components, problem.mean, keeper)
    stages = tuple(Stage(units.components_back(H), h) for H, h in guess.stages)
    return Held(noise, guess.levels, guess.profiles, optimism=guess.optimism), guess, stages


def _own_start(
    problem: Problem,
    settings: Settings,
    rng: np.random.RandomState,
    guess: Guess | None,
    name: str,
) -> tuple[RowArray, Array]:
    """Draw a start and go some way: on a sample of rows, and where needed with an easier model."""
    data, noise, mean = problem.data, problem.noise, problem.mean
    W, H = STARTS[settings.init](data, settings.n_components, mean, rng)
    # Other starts are for those who want to see what else there is.
    if guess is not None and settings.init == "random":
        W, H = guess.extended(data, W, H)
    hard = noise.is_hard(data.shape[1])
    easy = _with_known(noise, CONVEX_START) if hard else noise
    if settings.solver.takes_head_start:
        W, H = head_start(data, easy, W, H)
    if hard:
        solver = settings.solver(data, easy, W, H, mean=mean)
        keeper = settings.keeper(data, f"{name} easier")
        run(solver, max_iter=EASIER_ITERATIONS, tol=settings.tol, keeper=keeper)
        W, H = solver.W, solver.H
    return W, H


def _settle(
    single: Problem,
    W: RowArray,
    H: Array,
    settings: Settings,
    tell: Tell,
    name: str,
) -> tuple[RowArray, Array, Trace]:
    """Go as far as single precision can tell; the last iteration is left to double precision."""
    solver, trace = single.run(
        settings.solver,
        W,
        H,
        tell,
        max_iter=settings.max_iter - 1,
        tol=max(settings.tol, SINGLE.least_tol),
        keeper=settings.keeper(single.data, f"{name} single"),
    )
    return solver.W, solver.H, trace


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


def _own_noise(solver: Solver, n_features: int, units: Units) -> Any:
    if not solver.keeps_noise:
        return None
    return units.noise_back(stacked(solver.noise(), n_features))
