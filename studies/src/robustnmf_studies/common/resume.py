"""Run the points of a study that are not there yet, and write down how it went."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from robustnmf._common.versions import versions
from robustnmf_studies.common.parallel import run_points
from robustnmf_studies.common.points import Unit
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.common.study import Progress

P = TypeVar("P", bound=Unit)


def run_missing(
    storage: Storage,
    points: Sequence[P],
    work: Callable[[P], dict[str, list[dict[str, Any]]]],
    about: Mapping[str, Any],
    *,
    n_jobs: int | None,
    tell: Progress,
) -> tuple[int, int]:
    """Compute the points that the journal lacks, and write the tables.

    Parameters
    ----------
    storage : Storage
        An open folder.
    points : sequence
        All points of the study.
    work : callable
        Computes the tables of a point; must be picklable.
    about : mapping
        What the study says of itself. Versions, times and counts are added.
    n_jobs : int, optional
        Processes; by default one for each core.
    tell : callable
        Told of the progress.

    Returns
    -------
    computed, reused : int
        How many points were run now, and how many were there already.
    """
    done = storage.done()
    missing = [point for point in points if point.key not in done]
    total = sum(point.cost for point in missing) or 1.0
    behind = 0.0
    told = {
        **about,
        "versions": versions(),
        "seconds": storage.read_about().get("seconds", 0.0),
        "cores": n_jobs or os.cpu_count(),
    }
    began = time.perf_counter()
    tell("computing", behind, total)
    try:
        for point, tables in run_points(work, missing, n_jobs):
            storage.add(point, tables)
            # Sums of floats may end a hair above the whole.
            behind = min(behind + point.cost, total)
            tell("computing", behind, total)
    finally:
        # Also when stopped: the time spent so far is part of the run time.
        told["seconds"] = round(told["seconds"] + time.perf_counter() - began, 1)
        told["points"] = len(storage.done())
        told["finished"] = datetime.now(UTC).isoformat(timespec="seconds")
        storage.write_about(told)
    storage.write_tables()
    return len(missing), len(points) - len(missing)
