"""The second half of RobustNMF+WNMF."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from robustnmf._core.noise import NoNoise
from robustnmf._engines import OutsideSupport
from robustnmf._fitting.data import Summary
from robustnmf._fitting.factorize import Factors, Settings, Watch, factorize
from robustnmf._solvers import WEIGHTED_SOLVERS, Hals


def refit_clean(
    X: Any,
    summary: Summary,
    E: sparse.csr_array,
    start: tuple[np.ndarray, np.ndarray],
    solver: str,
    settings: Settings,
    watch: Watch,
) -> Factors:
    """Weighted NMF on the entries outside E: the second half of RobustNMF+WNMF."""
    # A solver that knows no weights leaves this half to the default one.
    weighted = WEIGHTED_SOLVERS.get(solver, Hals)
    again = replace(settings, solver=weighted, init=start, start_is_ours=True)
    return factorize(X, OutsideSupport(E), summary, NoNoise(), again, watch, "refit", hold=True)
