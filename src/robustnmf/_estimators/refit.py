"""The second half of RobustNMF+WNMF."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from robustnmf._common.arrays import Array
from robustnmf._core.engine import RowArray
from robustnmf._core.noise import NoNoise
from robustnmf._engines import Unflagged
from robustnmf._fitting.data import Summary
from robustnmf._fitting.factorize import Factors, Settings, Watch, factorize
from robustnmf._solvers import WEIGHTED_SOLVERS, Hals


def refit_clean(
    X: Any,
    summary: Summary,
    flags: RowArray,
    start: tuple[RowArray, Array],
    solver: str,
    settings: Settings,
    watch: Watch,
) -> Factors:
    """Weighted NMF on the entries without a flag: the second half of RobustNMF+WNMF.

    Flags are packed, and they and the W to start from are kept by an engine for the same data.
    """
    # A solver that knows no weights leaves this half to the default one.
    weighted = WEIGHTED_SOLVERS.get(solver, Hals)
    again = replace(settings, solver=weighted, init=start, start_is_ours=True)
    return factorize(X, Unflagged(flags), summary, NoNoise(), again, watch, "refit", hold=True)
