"""One case in a process of its own; gives rows by table."""

from __future__ import annotations

import functools
from dataclasses import asdict
from pathlib import Path
from typing import Any

from robustnmf_studies.common.processes import in_new_process
from robustnmf_studies.common.storage import Rows
from robustnmf_studies.scaling.measure import measured  # its code is part of the version
from robustnmf_studies.scaling.settings import ENGINES, FULL, MEMORY_2, TIME, TRAFFIC, Case

_CODE = """
import json
from {module} import {name}
from robustnmf_studies.scaling.settings import Case
print(json.dumps({name}({case!r})))
"""
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@functools.cache
def _compile() -> None:
    """Fit once, so that Numba's cache holds all kernels: that is no part of what a fit takes."""
    _measured(Case(MEMORY_2, TIME, 1, *FULL))


def _measured(case: Case) -> dict[str, Any]:
    code = _CODE.format(module=measured.__module__, name=measured.__name__, case=case)
    cores = str(ENGINES[case.engine].cores)
    found: dict[str, Any] = in_new_process(code, **dict.fromkeys(_THREADS, cores))
    return found


def compute(case: Case, pictures: Path) -> Rows:
    """Measure a case on as many cores as its engine has.

    Gives a row of times and memory and the answer, or one of traffic.
    """
    _compile()
    found = _measured(case)
    columns = {**asdict(case), "parts": case.parts, "bytes": 4 * case.n * case.m}
    if case.measure == TRAFFIC:
        return {"traffic": [columns | found]}
    answer = [
        {
            "engine": case.engine,
            "factor": case.factor,
            "sweep": case.sweep,
            "position": i,
            "value": v,
        }
        for i, v in enumerate(found.pop("answer"))
    ]
    # Partitions of another size, or other components, are another problem to the model alone.
    return {"times": [columns | found], "answers": answer if case.sweep == "n" else []}
