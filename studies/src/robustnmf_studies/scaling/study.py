"""The study of scaling: its steps."""

from __future__ import annotations

import os

from robustnmf_studies.common.machine import processor
from robustnmf_studies.common.study import Options, Study, Work
from robustnmf_studies.scaling.compute import compute
from robustnmf_studies.scaling.document import context, parts
from robustnmf_studies.scaling.draw import FIGURE, draw_all
from robustnmf_studies.scaling.judge import judge
from robustnmf_studies.scaling.settings import FULL, ITERATIONS, QUICK, cases_of


def prepare(target: str, options: Options) -> Work:
    """Return what is to be computed; of the options, the seed and quickness matter.

    Whatever the number of processes, one point is computed after the other: they are timings.
    """
    size = QUICK if options.quick else FULL
    return Work(
        cases_of(quick=options.quick, seed=options.seed),
        compute,
        # Sizes of a quick run must not stand beside those of a full one.
        {"study": target, "seed": options.seed, "quick": options.quick},
        {
            "data": f"at 1×, {size.n:,} × {size.m} numbers of float32, k = {size.k}, "
            f"and as often as much; 5 % of the entries wrong",
            "machine": f"{processor()}, {os.cpu_count()} cores",
            "settings": {"seed": options.seed, "iterations": ITERATIONS, "quick": options.quick},
        },
        alone=True,
    )


STUDY = Study(
    "scaling",
    "Any size of data: time, memory, and what is sent about",
    "Fits of data that grow, in memory, read in parts, and in partitions of Dask; and a cost model "
    "that tells from these what larger ones would take.",
    prepare,
    judge,
    context,
    parts,
    draw_all,
    figures={FIGURE: FIGURE},
    figure_folder="images/scaling",
)
