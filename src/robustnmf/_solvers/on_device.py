"""What `Hals` decides after each pass, decided where the rows are.

To read a number of a device is to wait for all that it has still to do. So the objective stays
there, both ways on are at hand, and the device chooses: the pass counts, or the point is given up.
How it went, somebody reads now and then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from robustnmf._common.arrays import Array
from robustnmf._common.places import Place, widest
from robustnmf._core.engine import Engine, RowArray
from robustnmf._solvers.settings import HALS


class Point(NamedTuple):
    """Factors."""

    W: RowArray
    """n×k; where the engine keeps it."""
    H: Array


class Points(NamedTuple):
    """The factors that `Hals` knows."""

    trial: Point
    """Where it measures next, ..."""
    plain: Point
    """... the best ones, ..."""
    accepted: Point
    """... and those before."""


class Course(NamedTuple):
    """How far `Hals` has come; each is an array of one number."""

    objective: Array
    reach: Array
    cap: Array
    extrapolated: Array
    """Whether the trial point is; it is after each pass that counted."""
    exhausted: Array
    """Whether even the plain step rose: what is left is rounding, and nothing changes any more."""

    @classmethod
    def at(
        cls, like: Array, objective: float, reach: float, cap: float, extrapolated: bool
    ) -> Course:
        """Return the course from these numbers on, in the place of an array."""
        xp, device = Place.of(like)

        def number(value: Any, dtype: Any) -> Array:
            found: Array = xp.asarray(value, dtype=dtype, device=device)
            return found

        wide = widest(like)
        return cls(
            number(objective, wide),
            number(reach, wide),
            number(cap, wide),
            number(extrapolated, xp.bool),
            number(False, xp.bool),
        )

    def after(self, objective: Array) -> Course:
        """Return the course after a pass that measured an objective."""
        xp = Place.of(objective).xp
        objective = xp.astype(objective, self.objective.dtype)
        better = (objective <= self.objective) & xp.isfinite(objective) & ~self.exhausted
        grown = xp.minimum(self.cap, HALS.growth * self.reach)
        raised = xp.minimum(HALS.cap_growth * self.cap, xp.ones_like(self.cap))
        reach = xp.where(better, grown, self.reach / HALS.shrink)
        cap = xp.where(better, raised, self.reach)
        return Course(
            xp.where(better, objective, self.objective),
            xp.where(self.extrapolated, reach, self.reach),
            xp.where(self.extrapolated, cap, self.cap),
            better,
            self.exhausted | (~better & ~self.extrapolated),
        )


def moved(data: Engine, points: Points, improved: Point, course: Course) -> Points:
    """Return the points after a pass; `course` is that after it, too."""
    xp, better, dead = Place.of(course.reach).xp, course.extrapolated, course.exhausted

    def best(improved: Array, plain: Array, accepted: Array) -> Array:
        return xp.where(better, improved, xp.where(dead, accepted, plain))

    def before(trial: Array, accepted: Array) -> Array:
        return xp.where(better, trial, accepted)

    def further(new: Array, old: Array) -> Array:
        beyond = new + xp.astype(course.reach, new.dtype) * (new - old)
        return xp.where(better, xp.maximum(beyond, xp.zeros_like(beyond)), new)

    def each(function: Callable[..., Array], *of: Point) -> Point:
        return Point(
            data.combine(function, *(point.W for point in of)),
            function(*(point.H for point in of)),
        )

    plain = each(best, improved, points.plain, points.accepted)
    return Points(
        each(further, plain, points.plain),
        plain,
        each(before, points.trial, points.accepted),
    )
