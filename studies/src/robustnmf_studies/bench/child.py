"""What has to be measured in an interpreter of its own; prints its answer as JSON.

python -m robustnmf_studies.bench.child memory 20000 2000 20 float64
python -m robustnmf_studies.bench.child first-fit 0.04
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from robustnmf_studies.bench.plan import Size

# Iterations after which memory no longer grows.
_ITERATIONS = 4


def ask(arguments: list[str], **environment: str) -> Any:
    """Run an interpreter with these arguments and return what it printed, read as JSON.

    Examples
    --------
    >>> ask(["-c", "print([1, 2])"])
    [1, 2]
    """
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"a measurement in a process of its own failed: {last}")
    return json.loads(done.stdout)


def reset_peak() -> None:
    """Forget the peak so far, where the system can: then the next one counts from here."""
    # Linux: what is in memory now becomes the peak.
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")


def peak_bytes() -> int:
    """Return the most memory that this process held."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not ru_maxrss: on Linux a child starts with that of the parent that forked it.
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def memory(n: str, m: str, k: str, dtype: str) -> dict[str, int]:
    """Return the peaks of memory beyond the input: after the solver's loop, after a whole fit."""
    import numpy as np

    from robustnmf import RobustNMF
    from robustnmf._core.loop import run
    from robustnmf._core.noise import SquaredL1
    from robustnmf._engines import engine_for
    from robustnmf._solvers import Hals
    from robustnmf_studies.bench.problems import fill
    from robustnmf_studies.bench.timing import unconverged_is_fine

    size = Size(int(n), int(m), int(k))
    X = np.empty((size.n, size.m), dtype)
    with unconverged_is_fine():
        # Imports and kernels are the library's, whatever the data; they come first.
        RobustNMF(2, max_iter=2, random_state=0).fit(np.eye(40, dtype=dtype) + 1)
        fill(X, size)
        reset_peak()
        before = peak_bytes()
        rng = np.random.default_rng(0)
        work = np.float32 if X.dtype == np.float32 else np.float64
        W, H = rng.random((size.n, size.k)).astype(work), rng.random((size.k, size.m)).astype(work)
        solver: Any = Hals(engine_for(X, dtype=work), SquaredL1(0.04), W, H)
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


def first_fit(lam: str) -> dict[str, float]:
    """Return how long the first fit takes, imports of ours and all, and how long the second."""
    # Everybody who factorizes has loaded these already.
    import numpy as np
    import scipy.sparse  # noqa: F401
    import sklearn.decomposition  # noqa: F401

    X, times = np.eye(40) + 1, []
    for _ in range(2):
        began = time.perf_counter()
        from robustnmf import RobustNMF

        with warnings.catch_warnings():
            # Neither convergence nor what auto thinks of these data is asked for.
            warnings.simplefilter("ignore")
            model = RobustNMF(2, lam="auto" if lam == "auto" else float(lam), max_iter=5)
            model.set_params(random_state=0).fit(X)
        times.append(time.perf_counter() - began)
    return {"first": times[0], "second": times[1]}


_TASKS: dict[str, Any] = {"memory": memory, "first-fit": first_fit}

if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    print(json.dumps(_TASKS[name](*arguments)))
