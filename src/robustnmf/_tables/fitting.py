"""Learning the parts of a prepared table, and telling how far it is."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from robustnmf._common.checks import is_auto
from robustnmf._common.progress import Share
from robustnmf._tables.settings import CleaningSettings


@dataclass(frozen=True)
class PartsSettings:
    """How the parts of a table are learned.

    No study chose them but the price, which is the paper's; tests/tables/test_cleaning.py holds
    that samples change nothing.
    """

    # To find the number of parts takes several fits. No more than this many bytes of rows are
    # learned from then: they are thousands, and more would hardly change what is learned.
    learn_bytes: int = 2**24
    # Fewer rows or columns hold no more than one part that could be told from the others.
    few: int = 6
    # The price of noise for what is left of a table when its wrong cells are taken out.
    lam: float = 0.04


PARTS = PartsSettings()


class Fitted(NamedTuple):
    """What was learned from a matrix."""

    model: Any
    """A RobustNMF."""
    W: NDArray[Any]
    flagged: sparse.csr_array
    """Not zero where an entry is corrupt."""
    notes: list[str]
    """What the owner of the table should know."""


def fit(X: NDArray[Any], settings: CleaningSettings, progress: Share) -> Fitted:
    """Learn the parts and judge all rows.

    Parameters
    ----------
    X : array
        What `prepared` made of the table.
    settings : CleaningSettings
        How to do it, with a number for `lam`.
    progress : callable
        Told the share of the iterations that are done, where scikit-learn has callbacks.

    Returns
    -------
    Fitted
    """
    from sklearn.exceptions import ConvergenceWarning

    from robustnmf import RobustNMF

    tiny = is_auto(settings.n_components) and min(X.shape) < PARTS.few
    model = RobustNMF(
        1 if tiny else settings.n_components,
        lam=settings.lam,
        penalty=settings.penalty,
        # At a given price the noise is underestimated, and what is expected with it.
        refit="wnmf",
        max_iter=settings.max_iter,
        random_state=settings.random_state,
    )
    if hasattr(model, "set_callbacks"):
        model.set_callbacks(_Iterations(progress, settings.max_iter))
    sample = _sample(X) if is_auto(settings.n_components) else X
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        W = model.fit_transform(sample)
    notes = [str(w.message) for w in caught if issubclass(w.category, ConvergenceWarning)]
    notes = [note.replace("max_iter", "--max-iter") for note in notes[:1]]
    if sample is X and hasattr(model, "noise_"):
        return Fitted(model, W, model.noise_, notes)
    if sample is not X:
        notes.append(f"the parts were learned from {len(sample):,} of {len(X):,} rows")
    # Rows are solved one by one, whatever the others are, and read as the fit reads them.
    _, _, found = model._infer(X)
    return Fitted(model, found.W, found.E, notes)


def _sample(X: NDArray[Any]) -> NDArray[Any]:
    """Return rows at even steps, if all of them would take long to learn from."""
    step = -(-X.nbytes // PARTS.learn_bytes)
    if step == 1:
        return X
    sample = np.array(X[::step])
    # Of a column that is empty in all of them nothing would be learned.
    return X if np.isnan(sample).all(axis=0).any() else sample


class _Iterations:
    """A callback of scikit-learn that counts iterations."""

    def __init__(self, progress: Share, most: int) -> None:
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
