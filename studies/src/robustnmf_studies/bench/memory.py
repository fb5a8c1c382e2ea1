"""Peak memory beyond the input, measured in a process of its own."""

from __future__ import annotations

import numpy as np

from robustnmf_studies.bench.child import ask
from robustnmf_studies.bench.plan import LARGE, Plan
from robustnmf_studies.bench.results import OF_INPUT, Row
from robustnmf_studies.bench.timing import Share

_CHILD = ("-m", "robustnmf_studies.bench.child", "memory")


def compare(plan: Plan, share: Share) -> list[Row]:
    """Fit float64 and uint8 data and see how far the resident memory rises."""
    rows = []
    size = plan.large
    for i, dtype in enumerate(("float64", "uint8")):
        share(i / 2)
        found = ask([*_CHILD, *map(str, size), dtype])
        # Integers are worked on as float64: were they ever expanded whole, this would exceed 1.
        whole = size.n * size.m * np.dtype(np.float64).itemsize
        compared_with = "" if dtype == "float64" else " in float64"
        for part, key, what in (
            ("fit", f"memory.{dtype}", "a whole fit, E included"),
            ("loop", f"memory.{dtype}-loop", "the solver alone (W, H, blocks)"),
        ):
            rows.append(
                Row(
                    key,
                    f"peak memory beyond {dtype} X, {what}; {size}",
                    OF_INPUT + compared_with,
                    (found[part] / whole,),
                    ours=found[part] / 2**20,
                    theirs=whole / 2**20,
                    unit="MB",
                    rival=f"X{compared_with}",
                    exact=size == LARGE,
                    note=f"E itself takes {found['noise'] / 2**20:.0f} MB" if part == "fit" else "",
                    details=found,
                )
            )
    return rows
