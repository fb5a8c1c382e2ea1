"""Measuring side by side on a machine that others use too."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
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


def in_new_process(code: str, **environment: str) -> Any:
    """Run code in an interpreter of its own and return what it printed, read as JSON.

    Examples
    --------
    >>> in_new_process("print([1, 2])")
    [1, 2]
    """
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"a measurement in a process of its own failed: {last}")
    return json.loads(done.stdout)


# Keeps quiet about fits that end at their number of iterations: it is in the table.
unconverged_is_fine = functools.partial(
    warnings.catch_warnings, action="ignore", category=ConvergenceWarning
)
