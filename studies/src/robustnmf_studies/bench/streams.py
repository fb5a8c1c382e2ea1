"""Fits to a file that is read in parts: resident memory, and time beside the same in memory."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from robustnmf import RobustNMF
from robustnmf._engines import sources
from robustnmf_studies.bench.plan import FULL, Plan, Size
from robustnmf_studies.bench.problems import fill
from robustnmf_studies.bench.results import GIGABYTES, SHARE, Row
from robustnmf_studies.bench.timing import Tell, unconverged_is_fine
from robustnmf_studies.common.processes import in_new_process, peak_bytes, reset_peak

# Iterations of each fit; what comes before and after them is in their time, too.
ITERATIONS = 10
_FIT = """
import json
from robustnmf_studies.bench.streams import fitted
print(json.dumps(fitted({path!r}, {k!r}, {way!r})))
"""


def measure(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Fit a file of numbers of one type where it lies, and the same in memory, in turn."""
    size = _size(plan, case)
    named = f"{plan.stream_bytes / 1e9:.2g} GB of {case}, {size}"
    exact = plan.stream_bytes == FULL.stream_bytes
    with tempfile.TemporaryDirectory(prefix="robustnmf-bench-") as folder:
        path = str(Path(folder) / "x.npy")
        X = np.lib.format.open_memmap(path, "w+", dtype=case, shape=(size.n, size.m))
        fill(X, size)
        X.flush()
        del X
        rounds = []
        for turn in range(plan.stream_rounds):
            found = []
            for step, way in enumerate(("read", "held")):
                tell((turn + step / 2) / plan.stream_rounds)
                found.append(in_new_process(_FIT.format(path=path, k=size.k, way=way)))
            rounds.append(found)
    there, held = zip(*rounds, strict=True)
    # The file is read as often as a fit looks at it; no fit of a file can be faster than that.
    least = [max(whole["seconds"], one["reading"]) for one, whole in zip(there, held, strict=True)]
    note = (
        f"{ITERATIONS} iterations; reading the file once took {there[0]['once']:.2g} s, "
        f"{there[0]['passes']} times in a fit; in memory, the fit keeps E, too"
    )
    return [
        Row(
            f"streams.{case}",
            f"resident memory at its peak, all of it, fitting {named}",
            GIGABYTES,
            [one["peak"] / 1e9 for one in there],
            ours=there[0]["peak"] / 1e9,
            theirs=held[0]["peak"] / 1e9,
            unit="GB",
            rival="X in memory",
            exact=exact,
        ),
        Row(
            f"streams.{case}-time",
            f"a fit of {named}, against the same in memory or reading it as often",
            SHARE,
            [one["seconds"] / bound for one, bound in zip(there, least, strict=True)],
            ours=there[0]["seconds"],
            theirs=least[0],
            rival="X in memory, or reading alone",
            exact=exact,
            note=note,
        ),
    ]


def fitted(path: str, k: int, way: str) -> dict[str, Any]:
    """Fit a file, as it lies there or once it is in memory, in a process of its own."""
    # However small the file: what is measured is how it is read.
    sources.MAPPED_BYTES = 1
    with unconverged_is_fine():
        # Imports and kernels are the library's, whatever the data.
        RobustNMF(2, max_iter=2, random_state=0).fit([np.eye(400) + 1])
        reset_peak()
        X = _Counted(np.load(path, mmap_mode="r")) if way == "read" else np.load(path)
        began = time.perf_counter()
        RobustNMF(k, max_iter=ITERATIONS, tol=0, random_state=0).fit(X)
        gone = time.perf_counter() - began
    found = {"seconds": gone, "peak": peak_bytes()}
    if isinstance(X, _Counted):
        once = X.read_alone()
        found |= {"passes": X.passes, "once": once, "reading": X.passes * once}
    return found


class _Counted(sources.MappedRows):
    """Rows of a file that count how often they are read."""

    passes = 0

    def pieces(self) -> Any:
        self.passes += 1
        return super().pieces()

    def read_alone(self) -> float:
        """Return how long it takes to read all rows."""
        began = time.perf_counter()
        for _ in super().pieces():
            pass
        return time.perf_counter() - began


def _size(plan: Plan, dtype: str) -> Size:
    m, k = plan.stream_features
    return Size(plan.stream_bytes // (m * np.dtype(dtype).itemsize), m, k)
