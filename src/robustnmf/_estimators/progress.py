"""Telling the user how long work goes: the `verbose` line and scikit-learn's callbacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from robustnmf._common.pace import Pace, duration
from robustnmf._common.progress import StatusLine
from robustnmf._engines import closed_after

Block = TypeVar("Block", bound=tuple[Any, ...])

try:  # scikit-learn 1.9 and newer
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks yet."""

    def with_callbacks(method: Callable) -> Callable:
        """Return the method as it is: there is nothing to tear down."""
        return method


__all__ = ["CallbackSupportMixin", "Progress", "told_of", "with_callbacks"]


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
        self._name = type(estimator).__name__
        self._shown = bool(estimator.verbose)
        self._line = StatusLine(shown=self._shown)
        self._context = None
        self._heard = bool(getattr(estimator, "_skl_callbacks", None))
        if hasattr(estimator, "_init_callback_context"):
            self._context = estimator._init_callback_context(max_subtasks=n_runs * max_iter)
            self._context.call_on_fit_task_begin(estimator=estimator, X=X, metadata=metadata)

    def watch(
        self, stage: str, components: Callable[[], Any], n_rows: int = 0
    ) -> Callable[[int, float], bool]:
        """Return what a run of the loop reports to.

        `components` gives the H that an estimator stopped here would have: callbacks that score
        the fit as it goes ask for it. `n_rows` is how many rows an iteration takes, where these
        are all of X.
        """
        pace = Pace(self._max_iter, self._estimator.tol, n_rows or None) if self._shown else None

        def report(iteration: int, objective: float) -> bool:
            if pace is not None:
                pace.tell(iteration, objective)
                if self._line.is_due(first=iteration <= 1):
                    self._line.print(
                        f"[{self._name}] {stage}: iteration {iteration}/{self._max_iter}, "
                        f"objective {objective:.6g}{pace}"
                    )
            # Without callbacks, a task a pass would cost more than a pass over the smallest data.
            if self._context is not None and self._heard:
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
        self._line.print(f"[{self._name}] tried n_components={n_components} (fit {n_fits})")

    def finish(self, message: str) -> None:
        """Say how it ended."""
        self._line.print(f"[{self._name}] {message}", last=True)
        if self._context is not None:
            self._context.call_on_fit_task_end(
                estimator=self._estimator,
                X=self._X,
                metadata=self._metadata,
                reconstruction_attributes=lambda: {"components_": self._estimator.components_},
            )


def told_of(blocks: Iterable[Block], estimator: Any, n_rows: int) -> Iterable[Block]:
    """Return blocks that are written one after the other; a verbose estimator tells of them.

    Each begins with the slice of its rows.
    """
    return _telling(blocks, type(estimator).__name__, n_rows) if estimator.verbose else blocks


def _telling(blocks: Iterable[Block], name: str, n_rows: int) -> Iterator[Block]:
    line, speed = StatusLine(shown=True), 0.0
    with closed_after(blocks) as given:
        for block in given:
            yield block
            done = block[0].stop
            speed = done / max(line.seconds, 1e-9)
            if done < n_rows and line.is_due():
                line.print(
                    f"[{name}] wrote {done:,} of {n_rows:,} rows, "
                    f"about {duration((n_rows - done) / speed)} left, {speed:,.0f} rows/s"
                )
    line.print(f"[{name}] wrote {n_rows:,} rows, {speed:,.0f} rows/s", last=True)
