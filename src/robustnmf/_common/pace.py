"""How fast a loop goes, and how long it is likely to take."""

from __future__ import annotations

import math
import time
from collections import deque

# Steps that the speed is taken from: the last ones, since the first may have compiled something.
STEPS = 20
# Steps over which a fall of the objective is measured, as solvers do that extrapolate.
WINDOW = 10


class Pace:
    """The speed of iterations over rows, and an estimate of the time that is left.

    A fit ends when the objective falls by less than `tol` within some iterations. How fast that
    fall becomes smaller tells about when.

    Parameters
    ----------
    most : int
        Iterations at most.
    tol : float
        By which share the objective must fall in `WINDOW` iterations.
    n_rows : int or None
        Rows in each iteration, if that is worth telling.
    """

    def __init__(self, most: int, tol: float, n_rows: int | None = None) -> None:
        self._most, self._tol, self._n_rows = most, tol, n_rows
        self._times: deque[tuple[int, float]] = deque(maxlen=STEPS + 1)
        # Two windows, one after the other.
        self._objectives: deque[float] = deque(maxlen=2 * WINDOW + 1)

    def tell(self, iteration: int, objective: float) -> None:
        """Hear of an iteration."""
        self._times.append((iteration, time.perf_counter()))
        self._objectives.append(objective)

    def __str__(self) -> str:
        """Say what is known: nothing, at first."""
        (first, began), (last, now) = self._times[0], self._times[-1]
        if last == first or now <= began:
            return ""
        each = (now - began) / (last - first)
        most, likely = self._most - last, self._iterations_left()
        about = likely is not None and likely < most
        left = duration(each * (likely if about and likely is not None else most))
        words = f", {'about' if about else 'at most'} {left} left"
        return words if self._n_rows is None else f"{words}, {self._n_rows / each:,.0f} rows/s"

    def _iterations_left(self) -> float | None:
        if len(self._objectives) <= 2 * WINDOW or self._tol <= 0:
            return None
        start, middle, now = (self._objectives[i] for i in (0, WINDOW, 2 * WINDOW))
        if not start >= middle >= now > 0:
            return None
        before, fall = (start - middle) / start, (middle - now) / middle
        if fall <= self._tol:
            return 0.0
        if fall >= before:
            return None
        return WINDOW * math.log(self._tol / fall) / math.log(fall / before)


def duration(seconds: float) -> str:
    """Return a time as somebody says it who does not know it exactly.

    Examples
    --------
    >>> duration(0.2), duration(48.4), duration(150), duration(9000), duration(400_000)
    ('1 s', '48 s', '2.5 min', '2.5 h', '4.6 days')
    """
    if seconds < 59.5:
        return f"{max(1, round(seconds))} s"
    for unit, size, most in (("min", 60, 60), ("h", 3600, 48)):
        if seconds < size * most:
            amount = seconds / size
            return f"{amount:.1f} {unit}" if amount < 10 else f"{amount:.0f} {unit}"
    return f"{seconds / 86400:.1f} days"
