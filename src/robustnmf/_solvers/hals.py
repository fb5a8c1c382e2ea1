"""HALS on the cleaned data, with extrapolation: the default solver.

A. Cichocki and A.-H. Phan, "Fast local algorithms for large scale nonnegative matrix and tensor
factorizations", IEICE Trans. E92-A, 2009 (HALS). A. M. S. Ang and N. Gillis, "Accelerating
nonnegative matrix factorization algorithms using extrapolation", Neural Computation 31, 2019.

One pass: at the current factors the noise model cleans every row, which gives a quadratic bound on
the objective that touches it there. HALS sweeps on W and then on H lower the bound, hence the
objective. Then both factors are carried on a little further in the direction they moved. The next
pass measures the objective at that extrapolated point anyway; if it rose, the point is given up and
the pass repeated from the plain one, whose objective cannot have risen.
"""

from __future__ import annotations

from collections import deque
from typing import Any, ClassVar

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.places import is_numpy, on_host
from robustnmf._core.block import update_rows
from robustnmf._core.components import update_components
from robustnmf._core.engine import Engine, RowArray
from robustnmf._core.held import HOLD
from robustnmf._core.init import zeros
from robustnmf._core.loop import State, Step
from robustnmf._core.noise import NoiseModel
from robustnmf._solvers.base import BaseSolver
from robustnmf._solvers.on_device import Course, Point, Points, moved
from robustnmf._solvers.settings import HALS, UNREAD


class Hals(BaseSolver):
    """Alternate the exact noise step and HALS sweeps; never accept a rise of the objective."""

    takes_head_start: ClassVar[bool] = True
    resumes: ClassVar[bool] = True
    # `Loosening` goes on in its place where entries are held, and begins with the strongest hold.
    first_hint: ClassVar[float | None] = HOLD.most_hint

    def __init__(
        self, data: Engine, noise: NoiseModel, W: RowArray, H: Array, *, mean: float = 0.0
    ) -> None:
        self._data, self._noise = data, noise
        self._threshold = zeros(data)
        self._trial = self._plain = self._accepted = Point(data.keep(W), H)
        self._objective = np.inf
        self._reach, self._cap = HALS.first_reach, 1.0
        self._extrapolated = False
        # Where numbers take time to read, all this is decided there.
        self._course = None if is_numpy(H) else self._course_from_here()
        self.unread = 1 if is_numpy(H) else UNREAD.steps
        self._recent: deque[tuple[Point, float | None]] = deque(maxlen=self.unread)

    @property
    def W(self) -> RowArray:
        """The best W so far; n×k."""
        return self._plain.W

    @property
    def H(self) -> Array:
        """The best H so far; k×m."""
        return self._plain.H

    def step(self) -> Step:
        """Measure the trial point; take it and improve it, or give it up."""
        objective, improved = self._improve(self._trial)
        if self._course is not None:
            return self._go_on(self._course.after(objective), improved)
        objective = float(objective)
        if objective <= self._objective and np.isfinite(objective):
            self._accept(objective, improved)
            return Step(self._objective)
        if self._extrapolated:
            self._cap, self._reach = self._reach, self._reach / HALS.shrink
            self._trial, self._extrapolated = self._plain, False
            return Step(self._objective)
        # Even the plain step rose: what is left is rounding.
        self._plain = self._accepted
        return Step(self._objective, exhausted=True)

    def go_back(self, steps: int) -> None:
        """Have the factors, and the hint, of so many steps before."""
        if steps:
            self._plain, self.hint = self._recent[-1 - steps]

    def state(self) -> State:
        """Return the three points, and how far to extrapolate."""
        self._read_course()
        points = {"trial": self._trial, "plain": self._plain, "accepted": self._accepted}
        return State(
            {name: point.W for name, point in points.items()} | {"threshold": self._threshold},
            {name: on_host(point.H) for name, point in points.items()},
            {
                "objective": self._objective,
                "reach": self._reach,
                "cap": self._cap,
                "extrapolated": float(self._extrapolated),
            },
        )

    def resume(self, state: State) -> None:
        """Go on from there."""
        self._trial, self._plain, self._accepted = (
            Point(state.rows[name], self._data.beside(state.arrays[name]))
            for name in ("trial", "plain", "accepted")
        )
        self._threshold = state.rows["threshold"]
        numbers = state.numbers
        self._objective, self._extrapolated = numbers["objective"], bool(numbers["extrapolated"])
        self._reach, self._cap = numbers["reach"], numbers["cap"]
        if self._course is not None:
            self._course = self._course_from_here()

    def _course_from_here(self) -> Course:
        numbers = self._objective, self._reach, self._cap
        return Course.at(self._plain.H, *numbers, self._extrapolated)

    def _read_course(self) -> None:
        if self._course is not None:
            self._objective, self._reach, self._cap = map(float, self._course[:3])
            self._extrapolated = bool(self._course.extrapolated)

    def _go_on(self, course: Course, improved: Point) -> Step:
        points = Points(self._trial, self._plain, self._accepted)
        self._trial, self._plain, self._accepted = moved(self._data, points, improved, course)
        self._course = course
        self._recent.append((self._plain, self.hint))
        return Step(course.objective, course.exhausted)

    def _accept(self, objective: float, improved: Point) -> None:
        before = self._plain
        if self._extrapolated:
            self._reach = min(self._cap, HALS.growth * self._reach)
            self._cap = min(1.0, HALS.cap_growth * self._cap)
        self._objective, self._accepted, self._plain = objective, self._trial, improved
        reach = self._reach

        def further(new: Array, old: Array) -> Array:
            # In place: fresh memory takes longer than the numbers.
            point = new - old
            point *= reach
            point += new
            return np.maximum(point, 0, out=point)

        self._trial = Point(
            self._data.combine(further, improved.W, before.W), further(improved.H, before.H)
        )
        self._extrapolated = True

    def _improve(self, point: Point) -> tuple[Any, Point]:
        """One pass over the rows: the objective at a point, and a better point."""
        W, H = point
        total, new_W, self._threshold = update_rows(
            self._data, self._noise, W, H, self._threshold, HALS.sweeps_w
        )
        return total.loss, Point(new_W, update_components(H, total, HALS.sweeps_h))
