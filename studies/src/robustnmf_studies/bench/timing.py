"""Measuring side by side on a machine that others use too."""

from __future__ import annotations

import functools
import time
import warnings
from collections.abc import Callable
from typing import Any

from sklearn.exceptions import ConvergenceWarning

# Told the share of the work that lies behind, from 0 to 1.
Tell = Callable[[float], None]


def seconds(function: Callable[[], Any]) -> float:
    """Return how long a call takes by the clock on the wall."""
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


def alternate(
    repeat: int, *sides: Callable[[], float], tell: Tell = lambda _: None
) -> list[tuple[float, ...]]:
    """Run all sides in turn, and that `repeat` times: ABAB and not AABB.

    Each side returns its own figure. Gives the figures, one tuple for each round.

    Examples
    --------
    >>> log = []
    >>> alternate(2, lambda: log.append("a") or 1.0, lambda: log.append("b") or 2.0)
    [(1.0, 2.0), (1.0, 2.0)]
    >>> log
    ['a', 'b', 'a', 'b']
    """
    rounds = []
    for i in range(repeat):
        figures = []
        for j, side in enumerate(sides):
            tell((i + j / len(sides)) / repeat)
            figures.append(side())
        rounds.append(tuple(figures))
    return rounds


# Keeps quiet about fits that end at their number of iterations: it is in the table.
unconverged_is_fine = functools.partial(
    warnings.catch_warnings, action="ignore", category=ConvergenceWarning
)
