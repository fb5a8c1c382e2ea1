"""What the first use costs: imports, and compiling the kernels."""

from __future__ import annotations

import tempfile
import time
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
_CHILD = ("-m", "robustnmf_studies.bench.child", "first-fit")
# What the keys of the rows begin with, and λ: its default, and the most that there is to compile.
_FITS = {"": "0.04", "auto-": "auto"}


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
    rounds: dict[tuple[str, str], list[dict[str, float]]] = {}
    # Compiling takes long and varies little.
    starts = max(1, plan.starts // 3)
    for i in range(starts):
        for j, (case, lam) in enumerate(_FITS.items()):
            share((i + j / len(_FITS)) / starts)
            with tempfile.TemporaryDirectory() as folder:
                for cache in ("empty", "warm"):
                    began = time.perf_counter()
                    found = ask([*_CHILD, lam], NUMBA_CACHE_DIR=folder)
                    found["process"] = time.perf_counter() - began
                    rounds.setdefault((case, cache), []).append(found)
    return [
        Row(
            f"compile.{case}{cache}",
            f"first fit, lam={_FITS[case]}, Numba's cache {cache}",
            SECONDS,
            tuple(one["first"] for one in found),
            ours=median(one["first"] for one in found),
            # The second fit compiles nothing; the process also loads Python, NumPy and the like.
            details={key: median(one[key] for one in found) for key in ("second", "process")},
        )
        for (case, cache), found in rounds.items()
    ]
