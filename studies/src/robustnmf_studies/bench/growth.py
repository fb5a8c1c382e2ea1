"""How the time of an iteration grows as n, m and k double."""

from __future__ import annotations

from functools import partial

import numpy as np

from robustnmf._core.noise import SquaredL1
from robustnmf_studies.bench.plan import Plan, Size
from robustnmf_studies.bench.problems import large_problem
from robustnmf_studies.bench.race import LAM, Iterations
from robustnmf_studies.bench.results import EXPONENT, Row
from robustnmf_studies.bench.timing import Share, alternate, part


def compare(plan: Plan, share: Share) -> list[Row]:
    """Fit an exponent to each series."""
    return [
        _row(axis, plan, part(share, i / 3, (i + 1) / 3)) for i, axis in enumerate(Size._fields)
    ]


def _row(axis: str, plan: Plan, share: Share) -> Row:
    first = getattr(plan.growth, axis)
    values = [first * 2**i for i in range(plan.doublings + 1)]
    sizes = [plan.growth_fixed._replace(**{axis: value}) for value in values]
    passes = [Iterations(large_problem(size), SquaredL1(LAM)) for size in sizes]
    # Small problems would be over within the clock's and the scheduler's whims.
    steps = [plan.steps * values[-1] // value for value in values]
    rounds = alternate(
        plan.repeat,
        *(partial(one.seconds, n) for one, n in zip(passes, steps, strict=True)),
        share=share,
    )
    others = ", ".join(
        f"{name} = {size:,}" for name, size in plan.growth_fixed._asdict().items() if name != axis
    )
    return Row(
        f"growth.{axis}",
        f"time of an iteration as {axis} doubles from {values[0]:,} to {values[-1]:,}; {others}",
        EXPONENT,
        tuple(exponent(values, one) for one in rounds),
        details={"axis": axis, "values": values, "seconds": np.median(rounds, axis=0).tolist()},
    )


def exponent(sizes: list[int], times: tuple[float, ...]) -> float:
    """Return p of the power law times ~ sizes**p that fits best.

    Examples
    --------
    >>> round(exponent([1, 2, 4], (3.0, 12.0, 48.0)), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
