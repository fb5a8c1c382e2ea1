"""The second witness: what the other cells of a row say of each cell, as a Gaussian would have it.

A covariance is learned from the cells that nobody suspects; the others count as missing. Each cell
is then predicted from the other cells of its row alone, so that it does not vouch for itself.

All comes from one matrix, K, the inverse of the covariance of all columns. Where the cells A of a
row are unknown, y = K z with z = 0 there, and B is the inverse of K between the cells A:

    an unknown cell is expected to be   −B y_A,                     with variance diag B;
    a known cell j is off by            (y_j − K_jA B y_A) / v_j,   with variance 1 / v_j,
                                        v_j = K_jj − K_jA B K_Aj.

So a row costs as much as its unknown cells, not as all of its cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robustnmf._common.arrays import Array

# Arrays of no more numbers than this are made at a time.
BATCH_NUMBERS = 4_000_000


@dataclass(frozen=True)
class CovarianceSettings:
    """How a covariance is learned.

    Chosen on the first edition of the study of trust (``robustnmf reproduce trust-tuning``).
    """

    # Before anything is suspected, values count up to this many spreads.
    first_reach: float = 2.5
    # No correlation is taken for complete: all are drawn towards 0 by at least the first of these
    # shares.
    shrinkages: tuple[float, ...] = (0.005, 0.02, 0.06, 0.15, 0.3, 0.6)


COVARIANCE = CovarianceSettings()


@dataclass(frozen=True)
class Gaussian:
    """Means and covariance of the columns, on their even scales.

    Attributes
    ----------
    mean : array of shape (m,)
    covariance : array of shape (m, m)
    """

    mean: Array
    covariance: Array

    @cached_property
    def precision(self) -> Array:
        """The inverse of the covariance."""
        return np.linalg.inv(self.covariance)

    def predict(self, Z: Array, use: Array) -> tuple[Array, Array]:
        """Predict each cell from the other cells of its row.

        Parameters
        ----------
        Z : array of shape (n, m)
            Rows on even scales.
        use : bool array of shape (n, m)
            The cells that count; the others are predicted too.

        Returns
        -------
        tuple of arrays of shape (n, m)
            The prediction and its variance.
        """
        K, z = self.precision, np.where(use, Z - self.mean, 0.0)
        y = z @ K
        v = np.tile(np.diag(K), (len(Z), 1))
        unknown: list[tuple[Array, Array, Array, Array]] = []
        for rows, A in _by_unknown(use):
            K_A, B = K[A], np.linalg.inv(K[A[:, :, None], A[:, None, :]])
            By = np.einsum("rcd,rd->rc", B, y[rows[:, None], A])
            unknown.append((rows, A, -By, np.einsum("rcc->rc", B)))
            y[rows] -= np.einsum("rcm,rc->rm", K_A, By)
            v[rows] -= np.einsum("rcm,rcm->rm", K_A, B @ K_A)
        with np.errstate(divide="ignore", invalid="ignore"):
            prediction, variance = z - y / v, 1 / v
        for rows, A, expected, spread in unknown:
            prediction[rows[:, None], A], variance[rows[:, None], A] = expected, spread
        return prediction + self.mean, variance

    def filled(self, Z: Array, use: Array) -> tuple[Array, Array]:
        """Return Z with what is not used filled in, and the sum of the covariances of that."""
        K, z = self.precision, np.where(use, Z - self.mean, 0.0)
        y, spread = z @ K, np.zeros(K.shape)
        for rows, A in _by_unknown(use):
            B = np.linalg.inv(K[A[:, :, None], A[:, None, :]])
            z[rows[:, None], A] = -np.einsum("rcd,rd->rc", B, y[rows[:, None], A])
            np.add.at(spread, (A[:, :, None], A[:, None, :]), B)
        return z + self.mean, spread


def _by_unknown(use: Array) -> Iterator[tuple[Array, Array]]:
    """Return rows with equally many unknown cells, and which these are, a batch at a time."""
    counts = use.shape[1] - use.sum(axis=1)
    for c in np.unique(counts[counts > 0]):
        alike = np.flatnonzero(counts == c)
        step = max(1, BATCH_NUMBERS // int(c * use.shape[1]))
        for start in range(0, len(alike), step):
            rows = alike[start : start + step]
            yield rows, np.nonzero(~use[rows])[1].reshape(len(rows), -1)


def first_guess(Z: Array, use: Array, shrinkage: float) -> Gaussian:
    """Learn a covariance without knowing what is wrong: values count up to a reach.

    Parameters
    ----------
    Z : array of shape (n, m)
    use : bool array of shape (n, m)
        The cells to learn from.
    shrinkage : float
        How far correlations are drawn towards 0.

    Returns
    -------
    Gaussian
    """
    reach = COVARIANCE.first_reach
    inside = np.clip(np.where(use, Z, 0.0), -reach, reach)
    return _moments(inside, np.zeros((Z.shape[1], Z.shape[1])), shrinkage)


def learn(Z: Array, use: Array, start: Gaussian, shrinkage: float, rounds: int) -> Gaussian:
    """Learn means and covariance from some of the cells, by expectation and maximisation.

    Parameters
    ----------
    Z : array of shape (n, m)
    use : bool array of shape (n, m)
        The cells to learn from.
    start : Gaussian
    shrinkage : float
        How far correlations are drawn towards 0.
    rounds : int

    Returns
    -------
    Gaussian
    """
    model = start
    for _ in range(rounds):
        filled, spread = model.filled(Z, use)
        model = _moments(filled, spread / len(Z), shrinkage)
    return model


def _moments(filled: Array, extra: Array, shrinkage: float) -> Gaussian:
    mean = filled.mean(axis=0)
    C = (1 - shrinkage) * (np.cov(filled, rowvar=False, bias=True).reshape(extra.shape) + extra)
    variances = np.maximum(np.diag(C) / (1 - shrinkage), 1e-4)
    np.fill_diagonal(C, variances * (1 + COVARIANCE.shrinkages[0]))
    return Gaussian(mean, C)
