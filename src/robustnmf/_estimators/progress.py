"""Telling the user how a long fit goes: the `verbose` line and scikit-learn's callbacks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

try:  # scikit-learn 1.9 and newer
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks yet."""

    def with_callbacks(method: Callable) -> Callable:
        """Return the method as it is: there is nothing to tear down."""
        return method


__all__ = ["CallbackSupportMixin", "Progress", "with_callbacks"]

# Seconds between two lines of `verbose=1`.
INTERVAL = 1.0


class Progress:
    """Hears of every iteration; passes it on to callbacks and, when verbose, to the terminal.

    What `watch` returns is told of each iteration, and answers True when a callback asks to stop.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        n_runs: int,
        max_iter: int,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        self._estimator, self._X, self._metadata = estimator, X, metadata
        self._max_iter = max_iter
        self._verbose = estimator.verbose
        self._name = type(estimator).__name__
        self._began = self._last_line = time.perf_counter()
        self._context = None
        if hasattr(estimator, "_init_callback_context"):
            self._context = estimator._init_callback_context(max_subtasks=n_runs * max_iter)
            self._context.call_on_fit_task_begin(estimator=estimator, X=X, metadata=metadata)

    @property
    def seconds(self) -> float:
        """Seconds since the fit began."""
        return time.perf_counter() - self._began

    def watch(self, stage: str, components: Callable[[], Any]) -> Callable[[int, float], bool]:
        """Return what a run of the loop reports to.

        `components` gives the H that an estimator stopped here would have: callbacks that score
        the fit as it goes ask for it.
        """

        def report(iteration: int, objective: float) -> bool:
            self._show(stage, iteration, objective)
            if self._context is not None:
                task = self._context.subcontext(task_name="iteration")
                task.call_on_fit_task_begin(
                    estimator=self._estimator, X=self._X, metadata=self._metadata
                )
                return task.call_on_fit_task_end(
                    estimator=self._estimator,
                    X=self._X,
                    metadata=self._metadata,
                    reconstruction_attributes=lambda: self._estimator._as_fitted(components()),
                )
            return False

        return report

    def tell_rank(self, n_fits: int, n_components: int) -> None:
        """Say which number of components has just been tried."""
        if self._verbose:
            tried = f"n_components={n_components} (fit {n_fits})"
            self._print(f"[{self._name}] tried {tried}, {self.seconds:.1f} s")

    def finish(self, message: str) -> None:
        """Say how it ended."""
        if self._verbose:
            self._print(f"[{self._name}] {message}, {self.seconds:.1f} s", last=True)
        if self._context is not None:
            self._context.call_on_fit_task_end(
                estimator=self._estimator,
                X=self._X,
                metadata=self._metadata,
                reconstruction_attributes=lambda: {"components_": self._estimator.components_},
            )

    def _show(self, stage: str, iteration: int, objective: float) -> None:
        now = time.perf_counter()
        if not self._verbose or (now - self._last_line < INTERVAL and iteration > 1):
            return
        self._last_line = now
        self._print(
            f"[{self._name}] {stage}: iteration {iteration}/{self._max_iter}, "
            f"objective {objective:.6g}, {now - self._began:.1f} s"
        )

    @staticmethod
    def _print(line: str, last: bool = False) -> None:
        # One line that rewrites itself on a terminal, a line each in a log.
        if sys.stderr.isatty():
            print(f"\r\x1b[K{line}", end="\n" if last else "", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)
