"""Claims about the algorithm itself (the paper's sections 4 and 5, and its abstract)."""

from __future__ import annotations

from robustnmf_studies.common.frames import (
    Numbers,
    mean_of,
    pick,
    records,
    table_of,
    unique_of,
    values_of,
)
from robustnmf_studies.common.verdicts import (
    FAILS,
    HOLDS,
    NOT_MEASURED,
    PARTLY,
    Finding,
    share_verdict,
    worst,
)
from robustnmf_studies.paper.settings import PAPER

# A rise below this share of the objective is rounding.
ROUNDING = 1e-12
# The objective has settled when ten iterations lower it by less than this share.
SETTLED = 1e-4
# Close enough to the best objective known to call a run done.
NEAR = 0.01


def never_rises(numbers: Numbers, mode: str) -> Finding:
    """The objective falls, or stays, in every iteration of every run."""
    rows = pick(table_of(numbers, "falls"), mode=mode)
    rises = values_of(rows, "largest_rise")
    if not rises:
        return NOT_MEASURED
    passed = sum(rise <= ROUNDING for rise in rises)
    worst_rise = max(rises)
    measured = "never rose" if worst_rise <= ROUNDING else f"rose by up to {worst_rise:.1e} of it"
    iterations = sum(values_of(rows, "iterations"))
    how = "eq. 8 and 9 to the letter" if mode == PAPER else "a rise would be rejected"
    return Finding(
        share_verdict(passed, len(rises)),
        f"{measured} in {iterations:,.0f} iterations of {len(rises)} runs",
        how,
    )


def converges(numbers: Numbers, mode: str) -> Finding:
    """The objective settles, and does so within the iterations stated."""
    rows = pick(table_of(numbers, "falls"), mode=mode)
    verdicts, words = [], []
    for n in unique_of(rows, "n"):
        here = pick(rows, n=n)
        early, late = mean_of(here, "late_fall_stated"), mean_of(here, "late_fall_last")
        verdicts.append(HOLDS if early < SETTLED else PARTLY if late < SETTLED else FAILS)
        falls = f"{percent_fine(late)} after {mean_of(here, 'iterations'):,.0f}"
        if mode == PAPER:
            falls = f"{percent_fine(early)} after the stated iterations, {falls}"
        words.append(f"{n:g} faces: {falls}")
    if not verdicts:
        return NOT_MEASURED
    return Finding(
        worst(verdicts),
        "fall of the objective in ten iterations: " + "; ".join(words),
        f"settled means below {100 * SETTLED:g} %",
    )


def percent_fine(value: float) -> str:
    """Write a small share as a percentage.

    Examples
    --------
    >>> percent_fine(0.00374), percent_fine(2e-9)
    ('0.37 %', '< 0.001 %')
    """
    return "< 0.001 %" if value < 1e-5 else f"{100 * value:.2g} %"


def efficient(numbers: Numbers, mode: str) -> Finding:
    """After the stated iterations the objective is within 1 % of the best known."""
    rows = table_of(numbers, "falls")
    passed, total, words = 0, 0, []
    for n in unique_of(rows, "n"):
        best = {
            run: min(values_of(pick(rows, n=n, run=run), "last"))
            for run in unique_of(pick(rows, n=n), "run")
        }
        first = {row["run"]: row["first"] for row in records(pick(rows, n=n, mode=PAPER))}
        above = [
            # An exact fit has objective zero, against which no share can be taken.
            row["at_stated"] / max(best[row["run"]], 1e-6 * first[row["run"]]) - 1
            for row in records(pick(rows, n=n, mode=PAPER))
        ]
        if above:
            mean = sum(above) / len(above)
            passed, total = passed + (mean < NEAR), total + 1
            excess = f"{100 * mean:.2g} % above" if mean < 1 else f"{1 + mean:,.0f} times as high"
            words.append(f"{n:g} faces: {excess}")
    if not total:
        return NOT_MEASURED
    return Finding(
        share_verdict(passed, total),
        "objective against the best known: " + "; ".join(words),
        "after the stated iterations of the paper's rules",
    )


def constraint_kept(numbers: Numbers, mode: str) -> Finding:
    """X − E stays nonnegative under the rules as they stand."""
    faces = values_of(pick(table_of(numbers, "falls"), solver="mu"), "negative_share")
    pictures = values_of(table_of(numbers, "constraint"), "negative_share")
    verdicts, words = [], []
    for name, shares in (("faces", faces), ("pictures with black pixels", pictures)):
        if shares:
            verdicts.append(share_verdict(sum(share == 0 for share in shares), len(shares)))
            most = max(shares)
            broken = (
                f"broken at up to {percent_fine(most)} of the entries" if most else "never broken"
            )
            words.append(f"{name}: {broken}")
    if not verdicts:
        return NOT_MEASURED
    return Finding(worst(verdicts), "; ".join(words), "eq. 8 and 9 to the letter")
