"""The one loop around every solver: iterate, stop, record, report.

A solver only knows how to take a step. It neither prints, times nor tests a tolerance.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, Protocol, TypeAlias

from robustnmf._common.arrays import Array
from robustnmf._core.engine import Engine, RowArray
from robustnmf._core.noise import NoiseModel

Window: TypeAlias = tuple[int, float]
"""So many passes, and by what share of the tolerance they must lower the objective together."""


class Step(NamedTuple):
    """What a solver says after one pass over the data."""

    objective: float
    """The objective at the last accepted factors before this pass's update; it never rises."""
    exhausted: bool = False
    """No further decrease is possible in this precision."""


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
    windows: ClassVar[tuple[Window, ...]]
    """It has settled when the objective falls by less in any of these."""

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

    def resumed(self) -> Trace:
        """Return the beginning of a run that goes on from here, if nobody stopped it."""
        return Trace(False, self.stopped, self.n_iter, {k: [*v] for k, v in self.history.items()})


def run(
    solver: Solver,
    *,
    max_iter: int,
    tol: float,
    floor: float = 0.0,
    report: Callable[[int, float], bool] | None = None,
    earlier: Trace | None = None,
) -> Trace:
    """Step until the objective falls by less than `tol` (relative) in the solver's windows.

    `floor` is the objective below which the data are fitted to the last digit. `report` hears of
    each iteration and its objective; it may return True to end the run. A run that goes on from
    an earlier one, whose objectives may be off by rounding, counts its iterations as its own; one
    that was stopped stays so.
    """
    trace = Trace() if earlier is None else earlier.resumed()
    objectives, seconds = trace.history["objective"], trace.history["seconds"]
    began = time.perf_counter() - (seconds[-1] if seconds else 0.0)
    first = True
    while trace.n_iter < max_iter and not trace.stopped:
        step = solver.step()
        if not math.isfinite(step.objective):
            raise FloatingPointError("the objective is not a finite number")
        if first and objectives and step.objective > objectives[-1]:
            # The better measurement of the same run: it has not risen, it was measured too low.
            objectives[:] = [max(before, step.objective) for before in objectives]
        first = False
        trace.record(step.objective, time.perf_counter() - began)
        asked_to_stop = report is not None and report(trace.n_iter, step.objective)
        if step.exhausted or step.objective <= floor or _settled(objectives, solver.windows, tol):
            trace.converged = True
            break
        if asked_to_stop:
            trace.stopped = True
            break
    return trace


def _settled(objectives: list[float], windows: tuple[Window, ...], tol: float) -> bool:
    now = objectives[-1]
    for passes, share in windows:
        if len(objectives) > passes:
            before = objectives[-1 - passes]
            if before - now <= share * tol * before:
                return True
    return False
