"""Verdicts: how numbers decide a claim, in one way for all claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robustnmf_studies.common.frames import Curve, Numbers

HOLDS = "holds"
PARTLY = "holds partly"
FAILS = "does not hold"
UNKNOWN = "not measured"
# As said of several claims at once.
PLURAL = {HOLDS: "hold", PARTLY: "hold partly", FAILS: "do not hold", UNKNOWN: UNKNOWN}


class Finding(NamedTuple):
    """A verdict, the figures that decide, and under which conditions it is so."""

    verdict: str
    measured: str = ""
    where: str = ""


NOT_MEASURED = Finding(UNKNOWN, "no such numbers in this folder")
# The parts of a claim, none where nothing was measured: its verdict, or whether it holds, the
# figures that decide, and under which conditions, where that is not the same for all numbers.
Cases = Iterable[tuple[str | bool, str] | tuple[str | bool, str, str]]
# Decides a claim from the numbers, in one mode.
Decide = Callable[[Numbers, str], Cases]


def share_verdict(passed: int, total: int) -> str:
    """Judge a claim about all cases by how many bear it out: all, some, or none.

    Examples
    --------
    >>> share_verdict(3, 4)
    'holds partly'
    """
    if total == 0:
        return UNKNOWN
    return HOLDS if passed == total else PARTLY if passed else FAILS


def graded(good: bool, *, partly: bool = False) -> str:
    """Return the verdict on a claim that holds, or at least partly so, or does not.

    Examples
    --------
    >>> graded(False, partly=True)
    'holds partly'
    """
    return HOLDS if good else PARTLY if partly else FAILS


def worst(verdicts: Sequence[str]) -> str:
    """Join the verdicts on the parts of a claim: it holds if all do, and fails if all fail.

    Examples
    --------
    >>> worst(["holds", "does not hold"])
    'holds partly'
    """
    known = [verdict for verdict in verdicts if verdict != UNKNOWN]
    if not known:
        return UNKNOWN
    return known[0] if len(set(known)) == 1 else PARTLY


def joined(cases: Cases, *, head: str = "", where: str = "") -> Finding:
    """Join what was found of the parts of a claim.

    Parameters
    ----------
    cases : iterable
        The parts.
    head : str, optional
        What stands before the figures.
    where : str, optional
        The conditions where no part has its own.

    Examples
    --------
    >>> joined([(True, "a: 1"), ("holds partly", "b: 2", "at b")], head="size: ")
    Finding(verdict='holds partly', measured='size: a: 1; b: 2', where='at b')
    """
    found = list(cases)
    verdict = worst([v if isinstance(v, str) else graded(v) for v, *_ in found])
    if verdict == UNKNOWN:
        return NOT_MEASURED
    # Parts may share their conditions.
    told = dict.fromkeys(case[2] for case in found if len(case) > 2 and case[2])
    measured = head + "; ".join(case[1] for case in found)
    return Finding(verdict, measured, "; ".join(told) or where)


def trend(series: Curve) -> str:
    """Judge whether a curve rises.

    It does if the end lies above the start by more than twice the standard error and no step
    falls by more than that; partly if only the first.

    Examples
    --------
    >>> trend(Curve([1, 2, 3], [0.1, 0.5, 0.9], [0.0] * 3, [5] * 3))
    'holds'
    """
    if len(series.x) < 2:
        return UNKNOWN
    mean, error = np.array(series.mean), np.array(series.error)
    if not mean[-1] - mean[0] > _margin(error[0], error[-1]):
        return FAILS
    falls = mean[:-1] - mean[1:] > _margin(error[:-1], error[1:])
    return PARTLY if falls.any() else HOLDS


def _margin(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    # A single run says nothing of its error; then the bare difference must do.
    both = np.hypot(a, b)
    return np.where(np.isfinite(both), 2 * both, 0.0)


def falling(series: Curve) -> Curve:
    """Return the curve upside down, to ask whether it falls."""
    return series._replace(mean=[-value for value in series.mean])


def percent(value: float) -> str:
    """Write a share as a percentage.

    Examples
    --------
    >>> percent(0.914)
    '91 %'
    """
    # Between 99.5 and 100, rounding would claim what is not so.
    digits = 1 if 0.995 <= value < 1 else 0
    return f"{100 * value:.{digits}f} %"


def among(values: Iterable[float], chosen: Iterable[float]) -> str:
    """Say which values of all are meant, as briefly as can be.

    Examples
    --------
    >>> among([10, 20, 30, 40], [30, 40])
    'from 30 on'
    >>> among([10, 20, 30], [20])
    'at 20'
    """
    values, chosen = list(values), list(chosen)
    if chosen == values:
        return f"at all from {values[0]:g} to {values[-1]:g}"
    if not chosen:
        return "nowhere"
    if len(chosen) > 1 and chosen == values[-len(chosen) :]:
        return f"from {chosen[0]:g} on"
    if len(chosen) > 1 and chosen == values[: len(chosen)]:
        return f"up to {chosen[-1]:g}"
    return "at " + ", ".join(f"{value:g}" for value in chosen)


def thousands(value: float) -> str:
    """Write a large number in thousands.

    Examples
    --------
    >>> thousands(-3900)
    '−4k'
    """
    return f"{value / 1000:.0f}k".replace("-", "−")


def change(value: float) -> str:
    """Write a relative change as a percentage with its sign.

    Examples
    --------
    >>> change(-0.164), change(0.002)
    ('−16 %', '+0.2 %')
    """
    digits = 1 if abs(value) < 0.01 else 0
    return f"{100 * value:+.{digits}f} %".replace("-", "−")
