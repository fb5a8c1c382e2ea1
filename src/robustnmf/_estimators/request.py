"""What RobustNMF was asked for, checked."""

from __future__ import annotations

from typing import Any, NamedTuple

from robustnmf._common.checks import (
    AUTO,
    Auto,
    check_choice,
    check_positive,
    count_or_auto,
    is_auto,
)
from robustnmf._core.noise import Penalty
from robustnmf._core.penalties import PENALTIES, penalty_class
from robustnmf._fitting.factorize import Options
from robustnmf._solvers import SOLVERS

REFITS = (None, "wnmf")


class Request(NamedTuple):
    """The checked arguments: numbers, or that the data are to tell."""

    options: Options
    n_components: int | Auto
    noise: Penalty | Auto

    @classmethod
    def of(cls, source: Any) -> Request:
        """Take them from an estimator (or any object with these attributes), or raise."""
        n_components = count_or_auto("n_components", source.n_components)
        options = Options.of(source, SOLVERS)
        model = penalty_class(check_choice("penalty", source.penalty, PENALTIES))
        check_choice("refit", source.refit, REFITS)
        served = options.solver.penalties
        if served is not None and source.penalty not in served:
            raise ValueError(
                f"solver={source.solver!r} exists for penalty={' and '.join(map(repr, served))} "
                f"only; use solver='hals' with penalty={source.penalty!r}"
            )
        if not is_auto(source.lam):
            hint = "The paper uses 0.04; smaller flags more; 'auto' finds out what is noise."
            lam = check_positive("lam", source.lam, hint)
            return cls(options, n_components, model(lam))
        if served is not None:
            raise ValueError(
                f"solver={source.solver!r} needs a number for lam; "
                "use solver='hals' with lam='auto'"
            )
        if source.refit is not None:
            raise ValueError(
                f"refit={source.refit!r} goes with a number for lam; lam='auto' already learns "
                "from the clean entries alone, so use refit=None"
            )
        return cls(options, n_components, AUTO)
