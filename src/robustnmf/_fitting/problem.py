"""Data and a noise model in working units, in one precision or the other, and one run on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.places import cast, times_power_of_two
from robustnmf._core.engine import Engine, RowArray
from robustnmf._core.loop import NO_KEEPER, Keeper, Solver, Trace, run
from robustnmf._core.noise import NoiseModel
from robustnmf._engines import Placed, in_numbers
from robustnmf._fitting.data import Summary, comfortable_exponent
from robustnmf._fitting.units import Units

Report = Callable[[int, float], bool]
"""What hears of each iteration and its objective, and may end the run."""
Tell = Callable[[Callable[[], Array], int], Report]
"""Asked, with a way to H and the number of rows, for what a run reports to."""

_SINGLE = np.dtype(np.float32)


class SingleSettings(NamedTuple):
    """When a fit begins in single precision, and how far that goes.

    `robustnmf bench fits` shows what it is worth, tests/fitting/test_problem.py that fits end as
    low.
    """

    least_entries: int = 100_000
    """With fewer, the time of a pass goes elsewhere."""
    most_copied: int = 4_000_000
    """With more, a copy would take memory that somebody minds, and every pass converts anew."""
    least_tol: float = 1e-5
    """Changes of the objective by less than this share are left to double precision."""
    most_exponent: int = 100
    """Data whose largest value is further than so many powers of two from 1 are, too: some might
    not survive the step to single precision, which comes before they are scaled."""


SINGLE = SingleSettings()


def single_precision(summary: Summary, shape: tuple[int, int]) -> Summary | None:
    """Return the summary for work in single precision, where that saves time; else None."""
    if summary.working_dtype == _SINGLE or shape[0] * shape[1] < SINGLE.least_entries:
        return None
    exponent = comfortable_exponent(summary.largest, _SINGLE)
    if abs(exponent) > SINGLE.most_exponent:
        return None
    return summary._replace(working_dtype=_SINGLE, exponent=exponent)


class Problem(NamedTuple):
    """What a solver works on, and the way back to the user's units."""

    data: Engine
    noise: NoiseModel
    units: Units
    summary: Summary

    @staticmethod
    def of(X: Any, weights: Any, summary: Summary, noise: NoiseModel) -> Problem:
        """Take them from the user's data and noise model."""
        units = Units(summary)
        data, model = units.blocks(X, weights), units.noise(noise)
        model = model.with_rows(*map(data.keep, model.row_arrays))
        return Problem(data, model, units, summary)

    @staticmethod
    def in_single(X: Any, weights: Any, summary: Summary, noise: NoiseModel) -> Problem | None:
        """Take the same in single precision, where that saves time; else None.

        A pass then takes about half as long. Until the objective settles, it moves by far more
        than single precision errs.
        """
        rough = single_precision(summary, X.shape)
        if rough is None:
            return None
        if X.shape[0] * X.shape[1] <= SINGLE.most_copied:
            if isinstance(X, np.ndarray):
                X = X.astype(_SINGLE)
            elif isinstance(X, Placed):
                X = Placed(in_numbers(X.array, _SINGLE))
        return Problem.of(X, weights, rough, noise)

    @property
    def mean(self) -> float:
        """The mean of the data."""
        return self.units.mean(self.summary)

    def moved(self, W: RowArray, H: Array, to: Problem) -> tuple[RowArray, Array]:
        """Return factors of these data as those of the same in another unit or precision."""
        by, per = self.units.steps(to.units)
        dtype = to.units.dtype

        def step(W: Array) -> Array:
            return times_power_of_two(cast(W, dtype), by)

        return to.data.combine(step, W), times_power_of_two(cast(H, dtype), per)

    def run(
        self,
        solver: type[Solver],
        W: RowArray,
        H: Array,
        tell: Tell,
        *,
        max_iter: int,
        tol: float,
        earlier: Trace | None = None,
        keeper: Keeper = NO_KEEPER,
    ) -> tuple[Solver, Trace]:
        """Run a solver from a start; its history and its reports are in the user's units.

        `tell` is asked for what it reports to.
        """
        units = self.units
        solving = solver(self.data, self.noise, W, H, mean=self.mean)
        report = tell(lambda: units.components_back(solving.H), self.data.shape[0])
        eps = float(np.finfo(units.dtype).eps)
        try:
            trace = run(
                solving,
                max_iter=max_iter,
                tol=tol,
                floor=units.objective(self.summary.square_sum) * eps**2,
                report=lambda i, objective: report(i, units.objective_back(objective)),
                earlier=None if earlier is None else earlier.mapped(units.objective),
                keeper=keeper,
            )
        except FloatingPointError as error:
            raise ValueError(
                "init=(W, H) is so large or so small that the objective is not a finite number; "
                "scale it such that W @ H is about as large as X"
            ) from error
        return solving, trace.mapped(units.objective_back)
