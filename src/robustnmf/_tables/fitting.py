"""Learning the parts of a prepared table, and telling how far it is."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from robustnmf._engines import stack_rows

# To find the number of parts takes several fits. No more than this many bytes of rows are learned
# from then: they are thousands, and more would hardly change what is learned.
LEARN_BYTES = 2**24
# Fewer rows or columns hold no more than one part that could be told from the others.
FEW = 6
# Rows are judged this many bytes at a time.
JUDGE_BYTES = 2**24


@dataclass(frozen=True)
class Settings:
    """How a table is cleaned.

    Attributes
    ----------
    n_components : int or "auto"
        How many parts to learn.
    lam : float or "auto"
        How cells are judged: ``"auto"`` by the cells that go with them; at a price of noise by the
        table's parts alone, where smaller flags more.
    penalty : {"squared_l1", "squared_l0"}
        What noise costs.
    scale : {"auto", "columns", "none"}
        Whether columns are brought to one unit.
    negative : {"judge", "refuse", "shift", "missing"}
        What negative cells are: judged like any others (with a number for `lam` they cannot be, and
        are refused), refused, part of a column that is shifted up, or all wrong.
    fill_missing : bool
        Whether missing cells get their expected value.
    max_iter : int
        The most iterations.
    seed : int
        Of the start.
    """

    n_components: Any = "auto"
    lam: Any = "auto"
    penalty: str = "squared_l1"
    scale: str = "auto"
    negative: str = "judge"
    fill_missing: bool = True
    max_iter: int = 500
    seed: int = 0


class Fitted(NamedTuple):
    """What was learned from a matrix."""

    model: Any
    """A RobustNMF."""
    W: NDArray[Any]
    flagged: sparse.csr_array
    """Not zero where an entry is corrupt."""
    notes: list[str]
    """What the owner of the table should know."""


def fit(X: NDArray[Any], how: Settings, progress: Callable[[float], None]) -> Fitted:
    """Learn the parts and judge all rows.

    Parameters
    ----------
    X : array
        What `prepared` made of the table.
    how : Settings
        How to do it, with a number for `lam`.
    progress : callable
        Told the share of the iterations that are done, where scikit-learn has callbacks.

    Returns
    -------
    Fitted
    """
    from sklearn.exceptions import ConvergenceWarning

    from robustnmf import RobustNMF

    model = RobustNMF(
        1 if how.n_components == "auto" and min(X.shape) < FEW else how.n_components,
        lam=how.lam,
        penalty=how.penalty,
        # At a given price the noise is underestimated, and what is expected with it.
        refit="wnmf",
        max_iter=how.max_iter,
        random_state=how.seed,
    )
    if hasattr(model, "set_callbacks"):
        model.set_callbacks(_Iterations(progress, how.max_iter))
    sample = _sample(X) if how.n_components == "auto" else X
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        W = model.fit_transform(sample)
    notes = [str(w.message) for w in caught if issubclass(w.category, ConvergenceWarning)]
    notes = [note.replace("max_iter", "--max-iter") for note in notes[:1]]
    if sample is X:
        return Fitted(model, W, model.noise_, notes)
    notes.append(f"the parts were learned from {len(sample):,} of {len(X):,} rows")
    return Fitted(model, *_judged(model, X), notes)


def _sample(X: NDArray[Any]) -> NDArray[Any]:
    """Return rows at even steps, if all of them would take long to learn from."""
    step = -(-X.nbytes // LEARN_BYTES)
    if step == 1:
        return X
    sample = np.array(X[::step])
    # Of a column that is empty in all of them nothing would be learned.
    return X if np.isnan(sample).all(axis=0).any() else sample


def _judged(model: Any, X: NDArray[Any]) -> tuple[NDArray[Any], sparse.csr_array]:
    """Return W and E of all rows, which are judged one by one, whatever the others are."""
    W = np.empty((len(X), model.n_components_), dtype=X.dtype)
    step = max(1, JUDGE_BYTES // (X.itemsize * X.shape[1]))

    def blocks() -> Iterator[sparse.csr_array]:
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            # Each row is solved once for both; `transform` and `estimate_noise` would do so twice.
            _, _, found = model._infer(X[rows])
            W[rows] = found.W
            yield found.E

    return W, stack_rows(blocks(), X.shape[1])


class _Iterations:
    """A callback of scikit-learn that counts iterations."""

    def __init__(self, progress: Callable[[float], None], most: int) -> None:
        self._progress, self._most = progress, most
        self._done = 0

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing to prepare."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Nothing to say yet."""

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        """Count."""
        self._done += 1
        self._progress(min(1.0, self._done / self._most))

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing to tidy."""
