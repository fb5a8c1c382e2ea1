"""What RobustNMF and MiniBatchRobustNMF were asked for, checked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from robustnmf._common.checks import (
    AUTO,
    Auto,
    check_choice,
    check_count,
    check_not_negative,
    check_positive,
    check_seed,
    count_or_auto,
    is_auto,
)
from robustnmf._core.noise import Penalty
from robustnmf._core.penalties import PENALTIES, penalty_class
from robustnmf._fitting.factorize import Options, Settings
from robustnmf._fitting.online import Pace
from robustnmf._solvers import ONLINE, SOLVERS, Hals

REFITS = (None, "wnmf")
_LAM_HINT = "The paper uses 0.04; smaller flags more; 'auto' finds out what is noise."


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
            lam = check_positive("lam", source.lam, _LAM_HINT)
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


class MiniBatchRequest(NamedTuple):
    """The checked arguments of `MiniBatchRobustNMF`."""

    settings: Settings
    noise: Penalty | Auto
    batch_size: int
    forget_factor: float
    shuffle: bool

    @classmethod
    def of(cls, source: Any) -> MiniBatchRequest:
        """Take them from an estimator (or any object with these attributes), or raise."""
        model = penalty_class(check_choice("penalty", source.penalty, PENALTIES))
        noise: Penalty | Auto = AUTO
        if not is_auto(source.lam):
            noise = model(check_positive("lam", source.lam, _LAM_HINT))
        check_count("verbose", source.verbose, least=0)
        check_seed(source.random_state)
        settings = Settings(
            n_components=check_count("n_components", source.n_components),
            solver=Hals,
            init="random",
            n_init=1,
            max_iter=check_count("max_iter", source.max_iter),
            tol=check_not_negative("tol", source.tol, "Try 1e-3."),
            random_state=source.random_state,
        )
        hint = "Try 0.7; 1 forgets nothing."
        forgetting = check_not_negative("forget_factor", source.forget_factor, hint)
        if forgetting > 1:
            raise ValueError(
                f"forget_factor must be at most 1, which forgets nothing; got {forgetting!r}"
            )
        return cls(
            settings,
            noise,
            check_count("batch_size", source.batch_size),
            forgetting,
            check_choice("shuffle", source.shuffle, (True, False)),
        )

    @property
    def start(self) -> Settings:
        """How the fit to the first rows goes."""
        return replace(self.settings, max_iter=ONLINE.start_iterations, tol=ONLINE.start_tol)

    def drawing(self, rng: Any) -> MiniBatchRequest:
        """Return the same with one that draws what is random."""
        return self._replace(settings=replace(self.settings, random_state=rng))

    def pace(self, per_rows: int, repeats: int) -> Pace:
        """Return how it learns when the past is to fade by the factor after so many rows."""
        return Pace(self.batch_size, self.forget_factor, per_rows, repeats)
