"""Claims about the algorithm itself (the paper's sections 4 and 5, and its abstract)."""

from __future__ import annotations

import numpy as np

from robustnmf_studies.common.frames import (
    Numbers,
    groups,
    mean_of,
    means,
    pick,
    table_of,
    values_of,
)
from robustnmf_studies.common.verdicts import (
    FAILS,
    HOLDS,
    NOT_MEASURED,
    PARTLY,
    Decide,
    Finding,
    joined,
    share_verdict,
)
from robustnmf_studies.paper.settings import PAPER

# A rise below this share of the objective is rounding.
_ROUNDING = 1e-12
# The objective has settled when ten iterations lower it by less than this share.
_SETTLED = 1e-4
# Close enough to the best objective known to call a run done.
_NEAR = 0.01


def _never_rises(numbers: Numbers, mode: str) -> Finding:
    """The objective falls, or stays, in every iteration of every run."""
    rows = pick(table_of(numbers, "falls"), mode=mode)
    if not len(rows):
        return NOT_MEASURED
    rises = rows["largest_rise"]
    rose = "never rose" if rises.max() <= _ROUNDING else f"rose by up to {rises.max():.1e} of it"
    return Finding(
        share_verdict(int((rises <= _ROUNDING).sum()), len(rises)),
        f"{rose} in {rows['iterations'].sum():,.0f} iterations of {len(rises)} runs",
        "eq. 8 and 9 to the letter" if mode == PAPER else "a rise would be rejected",
    )


def _converges(numbers: Numbers, mode: str) -> Finding:
    """The objective settles, and does so within the iterations stated."""
    cases = []
    for n, here in groups(pick(table_of(numbers, "falls"), mode=mode), "n"):
        early, late = mean_of(here, "late_fall_stated"), mean_of(here, "late_fall_last")
        falls = f"{percent_fine(late)} after {mean_of(here, 'iterations'):,.0f}"
        if mode == PAPER:
            falls = f"{percent_fine(early)} after the stated iterations, {falls}"
        verdict = HOLDS if early < _SETTLED else PARTLY if late < _SETTLED else FAILS
        cases.append((verdict, f"{n:g} faces: {falls}"))
    where = f"settled means below {100 * _SETTLED:g} %"
    return joined(cases, where, head="fall of the objective in ten iterations: ")


def percent_fine(value: float) -> str:
    """Write a small share as a percentage.

    Examples
    --------
    >>> percent_fine(0.00374), percent_fine(2e-9)
    ('0.37 %', '< 0.001 %')
    """
    return "< 0.001 %" if value < 1e-5 else f"{100 * value:.2g} %"


def _efficient(numbers: Numbers, mode: str) -> Finding:
    """After the stated iterations the objective is within 1 % of the best known."""
    falls = table_of(numbers, "falls")
    if not len(falls):
        return NOT_MEASURED
    best = falls.groupby(["n", "run"])["last"].transform("min")
    # An exact fit has objective zero, against which no share can be taken.
    above = falls["at_stated"] / np.maximum(best, 1e-6 * falls["first"]) - 1
    mean = means(pick(falls.assign(above=above), mode=PAPER), "n", "above")
    words = [
        f"{n:g} faces: "
        + (f"{100 * value:.2g} % above" if value < 1 else f"{1 + value:,.0f} times as high")
        for n, value in mean.items()
    ]
    return Finding(
        share_verdict(int((mean < _NEAR).sum()), len(mean)),
        "objective against the best known: " + "; ".join(words),
        "after the stated iterations of the paper's rules",
    )


def _constraint(numbers: Numbers, mode: str) -> Finding:
    """X − E stays nonnegative under the rules as they stand."""
    cases = []
    for name, rows in (
        ("faces", pick(table_of(numbers, "falls"), solver="mu")),
        ("pictures with black pixels", table_of(numbers, "constraint")),
    ):
        shares = values_of(rows, "negative_share")
        if shares:
            most = max(shares)
            broken = f"broken at up to {percent_fine(most)} of the entries"
            words = f"{name}: {broken if most else 'never broken'}"
            cases.append((share_verdict(shares.count(0), len(shares)), words))
    return joined(cases, "eq. 8 and 9 to the letter")


DECIDE: dict[str, Decide] = {
    "never-rises": _never_rises,
    "converges": _converges,
    "efficient": _efficient,
    "constraint": _constraint,
}
