"""What the first use costs: imports, and compiling the kernels."""

from __future__ import annotations

import tempfile
from statistics import median

from robustnmf_studies.bench.child import ask
from robustnmf_studies.bench.plan import Plan
from robustnmf_studies.bench.results import SECONDS, Row
from robustnmf_studies.bench.timing import Share

# What everybody who factorizes has loaded already comes before the clock starts.
_IMPORT = """
import time, sklearn.decomposition, scipy.sparse
began = time.perf_counter()
{statement}
print(time.perf_counter() - began)
"""
_STATEMENTS = {
    # `import robustnmf` alone loads next to nothing: the honest figure is that of its use.
    "import.package": "from robustnmf import RobustNMF",
    "import.lazy": "import robustnmf",
}
_CHILD = ("-m", "robustnmf_studies.bench.child", "compile")


def compare_import(plan: Plan, share: Share) -> list[Row]:
    """Time the import in fresh interpreters, after scikit-learn's and SciPy's own."""
    times: dict[str, list[float]] = {key: [] for key in _STATEMENTS}
    for i in range(plan.starts):
        share(i / plan.starts)
        for key, statement in _STATEMENTS.items():
            times[key].append(ask(["-c", _IMPORT.format(statement=statement)]))
    return [
        Row(
            key,
            f"`{_STATEMENTS[key]}`, beyond scikit-learn and SciPy",
            SECONDS,
            tuple(found),
            ours=median(found),
        )
        for key, found in times.items()
    ]


def compare_compile(plan: Plan, share: Share) -> list[Row]:
    """Time the first fit of an interpreter, with nothing in Numba's cache and with all in it."""
    times: dict[str, list[float]] = {"empty": [], "warm": []}
    # Compiling takes long and varies little.
    starts = max(1, plan.starts // 3)
    for i in range(starts):
        share(i / starts)
        with tempfile.TemporaryDirectory() as folder:
            for cache in times:
                found = ask([*_CHILD, "float64"], NUMBA_CACHE_DIR=folder)
                # The fit itself, which a second call repeats, is not what is asked for.
                times[cache].append(max(0.0, found["first"] - found["second"]))
    return [
        Row(
            f"compile.{cache}",
            f"first fit beyond the second, Numba's cache {cache}",
            SECONDS,
            tuple(found),
            ours=median(found),
        )
        for cache, found in times.items()
    ]
