"""What is measured in an interpreter of its own: memory, imports, and the first fit."""

from __future__ import annotations

import tempfile
import time
from statistics import median

import numpy as np

from robustnmf import RobustNMF
from robustnmf._core.loop import run
from robustnmf._core.noise import SquaredL1
from robustnmf._engines import engine_for
from robustnmf._solvers import Hals
from robustnmf_studies.bench.plan import LARGE, Plan, Size
from robustnmf_studies.bench.problems import LAM, fill
from robustnmf_studies.bench.results import OF_INPUT, SECONDS, Row
from robustnmf_studies.bench.timing import Tell, unconverged_is_fine
from robustnmf_studies.common.processes import in_new_process, peak_bytes, reset_peak

# Iterations after which memory no longer grows.
_ITERATIONS = 4
_MEMORY = """
import json
from robustnmf_studies.bench.processes import Size, peaks
print(json.dumps(peaks({size!r}, {dtype!r})))
"""
# What everybody who factorizes has loaded already comes before the clock starts, here and below.
_IMPORT = """
import time, sklearn.decomposition, scipy.sparse
began = time.perf_counter()
{statement}
print(time.perf_counter() - began)
"""
_STATEMENTS = {
    # `import robustnmf` alone loads next to nothing: the honest figure is that of its use.
    "package": "from robustnmf import RobustNMF",
    "lazy": "import robustnmf",
}
_FIRST_FIT = """
import json, time, warnings
import numpy as np, sklearn.decomposition, scipy.sparse
# Neither convergence nor what auto thinks of these data is asked for.
warnings.simplefilter("ignore")
X, times = np.eye(40) + 1, []
for _ in range(2):
    began = time.perf_counter()
    from robustnmf import RobustNMF
    RobustNMF(2, lam={lam!r}, max_iter=5, random_state=0).fit(X)
    times.append(time.perf_counter() - began)
print(json.dumps(dict(first=times[0], second=times[1])))
"""


def memory(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Fit data of a type and see how far the resident memory rises."""
    size = plan.large
    found = in_new_process(_MEMORY.format(size=size, dtype=case))
    # Integers are worked on as float64: were they ever expanded whole, this would exceed 1.
    whole = size.n * size.m * np.dtype(np.float64).itemsize
    compared_with = "" if case == "float64" else " in float64"
    parts = {
        "fit": ("", "a whole fit, E included", f"E itself takes {found['noise'] / 2**20:.0f} MB"),
        "loop": ("-loop", "the solver alone (W, H, blocks)", ""),
    }
    return [
        Row(
            f"memory.{case}{suffix}",
            f"peak memory beyond {case} X, {what}; {size}",
            OF_INPUT + compared_with,
            [found[part] / whole],
            ours=found[part] / 2**20,
            theirs=whole / 2**20,
            unit="MB",
            rival=f"X{compared_with}",
            exact=size == LARGE,
            note=note,
            details=found,
        )
        for part, (suffix, what, note) in parts.items()
    ]


def peaks(size: Size, dtype: str) -> dict[str, int]:
    """Return the peaks of memory beyond the input: after the solver's loop, after a whole fit."""
    X = np.empty((size.n, size.m), dtype)
    with unconverged_is_fine():
        # Imports and kernels are the library's, whatever the data; they come first.
        RobustNMF(2, max_iter=2, random_state=0).fit(np.eye(40, dtype=dtype) + 1)
        fill(X, size)
        reset_peak()
        before = peak_bytes()
        rng = np.random.default_rng(0)
        W, H = rng.random((size.n, size.k)), rng.random((size.k, size.m))
        solver = Hals(engine_for(X, dtype=np.float64), SquaredL1(LAM), W, H)
        run(solver, max_iter=_ITERATIONS, tol=0.0)
        loop = peak_bytes()
        del solver, W, H
        reset_peak()
        model = RobustNMF(size.k, max_iter=_ITERATIONS, random_state=0).fit(X)
    E = model.noise_
    return {
        "input": X.nbytes,
        "loop": loop - before,
        "fit": peak_bytes() - before,
        "noise": E.data.nbytes + E.indices.nbytes + E.indptr.nbytes,
    }


def import_time(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Time the import in fresh interpreters, after scikit-learn's and SciPy's own."""
    statement = _STATEMENTS[case]
    found = []
    for i in range(plan.starts):
        tell(i / plan.starts)
        found.append(in_new_process(_IMPORT.format(statement=statement)))
    what = f"`{statement}`, beyond scikit-learn and SciPy"
    return [Row(f"import.{case}", what, SECONDS, found, ours=median(found))]


def first_fit(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Time the first fit of an interpreter, with nothing in Numba's cache and with all in it.

    λ is its default, or auto, with which there is the most to compile.
    """
    lam = "auto" if case.startswith("auto") else LAM
    rounds: dict[str, list[dict[str, float]]] = {"empty": [], "warm": []}
    # Compiling takes long and varies little.
    starts = max(1, plan.starts // 3)
    for i in range(starts):
        tell(i / starts)
        with tempfile.TemporaryDirectory() as folder:
            for found in rounds.values():
                began = time.perf_counter()
                code = _FIRST_FIT.format(lam=lam)
                times = in_new_process(code, NUMBA_CACHE_DIR=folder)
                found.append({**times, "process": time.perf_counter() - began})
    return [
        Row(
            f"compile.{case.removesuffix('empty')}{cache}",
            f"first fit, lam={lam}, Numba's cache {cache}",
            SECONDS,
            [one["first"] for one in found],
            ours=median(one["first"] for one in found),
            # The second fit compiles nothing; the process also loads Python, NumPy and the like.
            details={key: median(one[key] for one in found) for key in ("second", "process")},
        )
        for cache, found in rounds.items()
    ]
