"""Solvers: how factors improve. Chosen by name from `SOLVERS` and `WEIGHTED_SOLVERS`."""

from robustnmf._core.loop import Solver
from robustnmf._solvers.growing import Guess, grow_guess
from robustnmf._solvers.hals import Hals
from robustnmf._solvers.loosening import Loosening
from robustnmf._solvers.multiplicative import MultiplicativeRobust, MultiplicativeWeighted
from robustnmf._solvers.online import Hold, Sums, batch_sums, improved_components
from robustnmf._solvers.sample import head_start, some_rows
from robustnmf._solvers.settings import ONLINE

__all__ = [
    "ONLINE",
    "SOLVERS",
    "WEIGHTED_SOLVERS",
    "Guess",
    "Hals",
    "Hold",
    "Loosening",
    "Sums",
    "batch_sums",
    "grow_guess",
    "head_start",
    "improved_components",
    "some_rows",
]

SOLVERS: dict[str, type[Solver]] = {"hals": Hals, "mu": MultiplicativeRobust}
WEIGHTED_SOLVERS: dict[str, type[Solver]] = {"hals": Hals, "mu": MultiplicativeWeighted}
