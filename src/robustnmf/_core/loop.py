"""The one loop around every solver: iterate, stop, record, report.

A solver only knows how to take a step. It neither prints, times nor tests a tolerance.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Protocol, TypeAlias

from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._common.places import on_host
from robustnmf._core.engine import Engine, RowArray
from robustnmf._core.noise import NoiseModel

Window: TypeAlias = tuple[int, float]
"""So many passes, and by what share of the tolerance they must lower the objective together."""


class Step(NamedTuple):
    """What a solver says after one pass over the data."""

    objective: Any
    """The objective at the last accepted factors before this pass's update; it never rises. A
    number, or an array of one where the rows are, which is not read at once."""
    exhausted: Any = False
    """No further decrease is possible in this precision."""


class State(NamedTuple):
    """All that a solver has to know to go on as if nothing had been."""

    rows: dict[str, RowArray]
    arrays: dict[str, Array]
    numbers: dict[str, float]


class Solver(Protocol):
    """Factors that improve by one pass over the data at a time, and what the class can do.

    `robustnmf._solvers.base.BaseSolver` answers all but the constructor, `W`, `H` and `step`.
    """

    penalties: ClassVar[tuple[str, ...] | None]
    """The penalties it exists for, by name, at a price that is given; None: any noise model."""
    takes_head_start: ClassVar[bool]
    """Whether H is first learned on a sample of the rows."""
    first_hint: ClassVar[float | None]
    """What a missing entry that is held by a guess counts at first; None: it cannot hold any."""
    holding: ClassVar[type[Solver] | None]
    """The solver that goes on in its place where entries are held; None: itself."""
    keeps_noise: ClassVar[bool]
    """Whether it has an E of its own, or means the exact one of its factors."""
    resumes: ClassVar[bool]
    """Whether it can tell its state, and go on from one."""
    overwrites: ClassVar[bool]
    """Whether a step writes over the arrays of the state before it; else it makes new ones."""
    windows: ClassVar[tuple[Window, ...]]
    """It has settled when the objective falls by less in any of these."""

    @property
    def unread(self) -> int:
        """How many steps it can take before somebody reads their objectives; it can go back as far.

        To read a number of a device is to wait for all that the device has still to do.
        """

    def __init__(
        self, data: Engine, noise: NoiseModel, W: RowArray, H: Array, *, mean: float
    ) -> None:
        """Begin at these factors, which stay as they are; `mean` is that of the data."""

    @property
    def W(self) -> RowArray:
        """The W so far, n×k, as its engine keeps it."""

    @property
    def H(self) -> Array:
        """The H so far; k×m."""

    @property
    def hint(self) -> float | None:
        """What missing entries count by now, where it finds that out."""

    def noise(self) -> Iterator[Array]:
        """Give its own E by blocks, in the order of the rows, if it keeps one."""

    def step(self) -> Step:
        """Evaluate the factors and improve them."""

    def go_back(self, steps: int) -> None:
        """Be as it was before the last so many steps, for whoever asks for its factors."""

    def state(self) -> State:
        """Return what it knows after a step, if it resumes."""

    def resume(self, state: State) -> None:
        """Go on from a state, of a solver that was made in the same way."""


@dataclass
class Trace:
    """How a run went."""

    converged: bool = False
    stopped: bool = False
    """Ended because a report asked for it."""
    n_iter: int = 0
    history: dict[str, list[float]] = field(
        default_factory=lambda: {"iteration": [], "objective": [], "seconds": []}
    )

    @property
    def settled(self) -> bool:
        """Whether it did not just run out of iterations."""
        return self.converged or self.stopped

    @property
    def last(self) -> float:
        """The last objective."""
        return self.history["objective"][-1]

    def record(self, objective: float, seconds: float) -> None:
        """Append one line to the history."""
        for name, value in zip(self.history, (self.n_iter, objective, seconds), strict=True):
            self.history[name].append(value)
        self.n_iter += 1

    def mapped(self, unit: Callable[[float], float]) -> Trace:
        """Return the same with objectives in another unit."""
        objectives = [unit(f) for f in self.history["objective"]]
        return replace(self, history={**self.history, "objective": objectives})

    def copy(self) -> Trace:
        """Return the same, which does not change with this one."""
        return replace(self, history={name: [*values] for name, values in self.history.items()})

    def resumed(self) -> Trace:
        """Return the beginning of a run that goes on from here, if nobody stopped it."""
        return replace(self.copy(), converged=False)


class Keeper(Protocol):
    """Keeps the state of a run somewhere safe, and knows that of an earlier, broken one."""

    def resumed(self, solver: Solver) -> Trace | None:
        """Bring the solver to where that broke off, and return its trace; None: begin anew."""

    def stepped(self, solver: Solver, trace: Trace) -> None:
        """Hear of each step after which the run goes on."""

    def ended(self, solver: Solver, trace: Trace) -> None:
        """Hear of the end."""

    def broken(self) -> None:
        """Hear that something was raised."""


class _NoKeeper:
    """Keeps nothing."""

    def resumed(self, solver: Solver) -> None:
        """Know of no earlier run."""

    def stepped(self, solver: Solver, trace: Trace) -> None:
        """Let it go."""

    def ended(self, solver: Solver, trace: Trace) -> None:
        """Let it go."""

    def broken(self) -> None:
        """Let it go."""


NO_KEEPER: Keeper = _NoKeeper()


def run(
    solver: Solver,
    *,
    max_iter: int,
    tol: float,
    floor: float = 0.0,
    report: Callable[[int, float], bool] | None = None,
    earlier: Trace | None = None,
    keeper: Keeper = NO_KEEPER,
) -> Trace:
    """Step until the objective falls by less than `tol` (relative) in the solver's windows.

    `floor` is the objective below which the data are fitted to the last digit. `report` hears of
    each iteration and its objective; it may return True to end the run. A run that goes on from
    an earlier one, whose objectives may be off by rounding, counts its iterations as its own; one
    that was stopped stays so. With a `keeper`, one that broke off goes on where it was.
    """
    resumed = keeper.resumed(solver)
    trace = resumed or (Trace() if earlier is None else earlier.resumed())
    objectives, seconds = trace.history["objective"], trace.history["seconds"]
    began = time.perf_counter() - (seconds[-1] if seconds else 0.0)
    first = resumed is None
    try:
        while trace.n_iter < max_iter and not trace.settled:
            steps = [solver.step() for _ in range(min(solver.unread, max_iter - trace.n_iter))]
            for left, step in zip(reversed(range(len(steps))), _read(steps), strict=True):
                if not math.isfinite(step.objective):
                    raise FloatingPointError("the objective is not a finite number")
                if first and objectives and step.objective > objectives[-1]:
                    # The better measurement of the same run: it has not risen, it was measured too
                    # low.
                    objectives[:] = [max(before, step.objective) for before in objectives]
                first = False
                trace.record(step.objective, time.perf_counter() - began)
                asked_to_stop = report is not None and report(trace.n_iter, step.objective)
                done = step.exhausted or step.objective <= floor
                if done or _settled(objectives, solver.windows, tol):
                    trace.converged = True
                elif asked_to_stop:
                    trace.stopped = True
                elif not left:
                    keeper.stepped(solver, trace)
                if trace.converged or trace.stopped:
                    # Steps that were taken before this one was read are as if they had not been.
                    solver.go_back(left)
                    break
    except BaseException:
        keeper.broken()
        raise
    keeper.ended(solver, trace)
    return trace


def _read(steps: list[Step]) -> list[Step]:
    """Return steps with numbers, which are fetched all at once."""
    if isinstance(steps[0].objective, float):
        return steps
    xp = array_namespace(steps[0].objective)
    told = [xp.astype(number, steps[0].objective.dtype) for step in steps for number in step]
    numbers = on_host(xp.stack(told)).tolist()
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return [Step(objective, bool(exhausted)) for objective, exhausted in pairs]


def _settled(objectives: list[float], windows: tuple[Window, ...], tol: float) -> bool:
    now = objectives[-1]
    for passes, share in windows:
        if len(objectives) > passes:
            before = objectives[-1 - passes]
            if before - now <= share * tol * before:
                return True
    return False
