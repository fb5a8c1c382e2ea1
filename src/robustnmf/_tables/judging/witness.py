"""What the rest of the table says of a cell: the row's other cells, and the rows beside it.

Small tables are learned from in folds, and each row is judged by what the other folds taught: else
a row would help to explain its own errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._tables.judging.gaussian import COVARIANCE, Gaussian, first_guess, learn


@dataclass(frozen=True)
class WitnessSettings:
    """How cells are predicted from other cells.

    Chosen on the first edition of the study of trust (``robustnmf reproduce trust-tuning``).
    """

    folds: int = 5
    # Of expectation and maximisation, each time it learns.
    rounds: int = 2
    # With so many rows for each column, a row changes nothing of what is learned.
    rows_a_column: int = 40
    # Rows next to each other are taken for a series in the columns that are correlated with their
    # neighbours by this.
    series: float = 0.6
    # Cells beyond this many spreads say nothing of their neighbours.
    neighbour_reach: float = 5.0
    # Residuals count up to this many spreads when shrinkages are compared.
    compared_reach: float = 3.0


WITNESS = WitnessSettings()


@dataclass(frozen=True)
class Witness:
    """Predicts cells on even scales.

    Attributes
    ----------
    series : int array
        Positions of the columns whose cells above and below are looked at, too.
    shrinkage : float
        How far correlations are drawn towards 0.
    models : list of Gaussian
        One for each fold of the rows, or one for all.
    """

    series: Array
    shrinkage: float
    models: list[Gaussian]

    def predict(self, Z: Array, use: Array, fold: Array) -> tuple[Array, Array]:
        """Return the prediction of each cell and its standard deviation.

        `Z` and `use` come from `with_neighbours`; what is returned has the columns of the table
        only.
        """
        m = Z.shape[1] - len(self.series)
        prediction, variance = np.empty((len(Z), m)), np.empty((len(Z), m))
        for f, model in enumerate(self.models):
            rows = fold == f if len(self.models) > 1 else slice(None)
            p, v = model.predict(Z[rows], use[rows])
            prediction[rows], variance[rows] = p[:, :m], v[:, :m]
        return prediction, np.sqrt(np.maximum(variance, 1e-12))

    def learned(self, Z: Array, use: Array, fold: Array) -> Witness:
        """Return the witness after it learned from other cells."""
        models = [
            learn(Z[rows], use[rows], model, self.shrinkage, WITNESS.rounds)
            for model, rows in zip(self.models, _others(fold, len(self.models)), strict=True)
        ]
        return Witness(self.series, self.shrinkage, models)


def _others(fold: Array, folds: int) -> list[Any]:
    return [slice(None)] if folds == 1 else [fold != f for f in range(folds)]


def folds_of(n: int, m: int) -> int:
    """Return into how many folds the rows of a table are cut."""
    return 1 if n >= WITNESS.rows_a_column * m else min(WITNESS.folds, n)


def find_series(Z: Array, use: Array) -> Array:
    """Return the columns whose cells are like those above and below."""
    beside, told = _beside(Z, use & (np.abs(Z) < WITNESS.neighbour_reach))
    found = []
    for j in range(Z.shape[1]):
        both = told[:, j] & use[:, j]
        if both.sum() < 20:
            continue
        a, b = (np.clip(A[both, j], -2.5, 2.5) for A in (Z, beside))
        if a.std() > 0 and b.std() > 0 and np.corrcoef(a, b)[0, 1] > WITNESS.series:
            found.append(j)
    return np.array(found, dtype=int)


def with_neighbours(Z: Array, use: Array, series: Array) -> tuple[Array, Array]:
    """Append to each row what stands above and below in the columns that are series."""
    if not len(series):
        return Z, use
    near = use[:, series] & (np.abs(Z[:, series]) < WITNESS.neighbour_reach)
    beside, told = _beside(Z[:, series], near)
    return np.hstack([Z, beside]), np.hstack([use, told])


def _beside(Z: Array, use: Array) -> tuple[Array, Array]:
    """Return the mean of the cells above and below, and where there is any."""
    count, total = np.zeros(Z.shape), np.zeros(Z.shape)
    value = np.where(use, Z, 0.0)
    total[1:] += value[:-1]
    total[:-1] += value[1:]
    count[1:] += use[:-1]
    count[:-1] += use[1:]
    return total / np.maximum(count, 1), count > 0


def peaks(log_odds: Array) -> Array:
    """Return the cells that are rather wrong than not, and more so than those above and below.

    Examples
    --------
    >>> peaks(np.array([[-1.0], [2], [5], [3], [-1]])).ravel().tolist()
    [False, False, True, False, False]
    """
    beside = np.full(log_odds.shape, -np.inf)
    beside[1:] = log_odds[:-1]
    beside[:-1] = np.maximum(beside[:-1], log_odds[1:])
    return (log_odds > 0) & (log_odds >= beside)


def begin(
    Z: Array,
    use: Array,
    judged: Array,
    fold: Array,
    folds: int,
    series: Array,
    shrinkages: Sequence[float] = COVARIANCE.shrinkages,
) -> Witness:
    """Learn a first witness, with the shrinkage that predicts best.

    Parameters
    ----------
    Z : array of shape (n, m)
        From `with_neighbours`.
    use : bool array of shape (n, m)
        The cells that nobody suspects.
    judged : bool array, one a column of the table
        The columns whose predictions count.
    fold : int array of shape (n,)
    folds : int
    series : int array
    shrinkages : sequence of float
        Those that are tried.

    Returns
    -------
    Witness
    """
    best, least = None, np.inf
    columns = np.flatnonzero(judged)
    for shrinkage in shrinkages:
        models = []
        for rows in _others(fold, folds):
            start = first_guess(Z[rows], use[rows], shrinkage)
            models.append(learn(Z[rows], use[rows], start, shrinkage, WITNESS.rounds))
        witness = Witness(series, shrinkage, models)
        prediction, _ = witness.predict(Z, use, fold)
        off = np.abs(Z[:, columns] - prediction[:, columns])[use[:, columns]]
        error = float(np.minimum(off, WITNESS.compared_reach).mean())
        if error < least:
            best, least = witness, error
    assert best is not None
    return best
