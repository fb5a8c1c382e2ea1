"""What the quick run must not fall below, so that no change makes results worse unseen.

The bounds lie a little inside what is measured: the draws are fixed, but libraries differ in the
last digits between machines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

from robustnmf_studies.common.frames import mean_of, pick, table_of, values_of
from robustnmf_studies.trust import damage
from robustnmf_studies.trust.errors import FORESEEN, UNFORESEEN
from robustnmf_studies.trust.groups import left, share
from robustnmf_studies.trust.methods import OURS
from robustnmf_studies.trust.targets import Numbers

LEAST, MOST = "at least", "at most"


class Floor(NamedTuple):
    """A figure of the quick run of ``trust-tuning``, and the bound that it has to keep."""

    measure: Callable[[Numbers], float]
    side: str
    bound: float


def _ours(numbers: Numbers, name: str) -> pd.DataFrame:
    return pick(table_of(numbers, name), method=OURS)


def _worst(rows: pd.DataFrame, measure: str) -> float:
    return max(values_of(rows, measure), default=float("nan"))


def _matrix_f1(kind: str) -> Callable[[Numbers], float]:
    return lambda numbers: mean_of(pick(_ours(numbers, "matrices"), kind=kind), "f1")


FLOORS: dict[str, Floor] = {
    "tables, F1, foreseen kinds": Floor(
        lambda numbers: mean_of(pick(_ours(numbers, "tables"), kind=FORESEEN), "f1"), LEAST, 0.70
    ),
    "tables, F1, unforeseen kinds": Floor(
        lambda numbers: mean_of(pick(_ours(numbers, "tables"), kind=UNFORESEEN), "f1"), LEAST, 0.68
    ),
    "tables, precision": Floor(
        lambda numbers: mean_of(_ours(numbers, "tables"), "precision"), LEAST, 0.86
    ),
    "tables, repair error": Floor(
        lambda numbers: mean_of(_ours(numbers, "tables"), "repair"), MOST, 0.21
    ),
    "tables, error left": Floor(lambda numbers: left(_ours(numbers, "tables")), MOST, 0.24),
    "tables, harm": Floor(
        lambda numbers: share(values_of(_ours(numbers, "tables"), "harm")), MOST, 0.02
    ),
    "tables without errors, changed at worst": Floor(
        lambda numbers: _worst(_ours(numbers, "clean_tables"), "changed"), MOST, 0.01
    ),
    "nothing to learn, changed at worst": Floor(
        lambda numbers: _worst(_ours(numbers, "barren"), "changed"), MOST, 0.001
    ),
    "matrices, salt, F1": Floor(_matrix_f1(damage.SALT), LEAST, 0.87),
    "matrices, spikes, F1": Floor(_matrix_f1(damage.SPIKES), LEAST, 0.88),
    "matrices, stripes, F1": Floor(_matrix_f1(damage.STRIPES), LEAST, 0.60),
    "matrices, bad samples, F1": Floor(_matrix_f1(damage.SAMPLES), LEAST, 0.92),
    "matrices without errors, variance changed at worst": Floor(
        lambda numbers: _worst(table_of(numbers, "clean_matrices"), "variance_auto_rank"),
        MOST,
        0.01,
    ),
}


def measured(numbers: Numbers) -> dict[str, float]:
    """Return the figures that have a floor."""
    return {name: floor.measure(numbers) for name, floor in FLOORS.items()}


def broken(numbers: Numbers) -> list[str]:
    """Return the floors that a run falls through, in words.

    Parameters
    ----------
    numbers : mapping of DataFrame
        Of the quick run of ``trust-tuning``, with seed 0.

    Returns
    -------
    list of str
        Empty if all is well. A figure that was not measured is broken, too.

    Examples
    --------
    >>> len(broken({})) == len(FLOORS)
    True
    """
    found = []
    for name, value in measured(numbers).items():
        _, side, bound = FLOORS[name]
        # Written so that NaN is broken.
        if not (value >= bound if side == LEAST else value <= bound):
            found.append(f"{name}: {value:.4g}, must be {side} {bound:g}")
    return found
