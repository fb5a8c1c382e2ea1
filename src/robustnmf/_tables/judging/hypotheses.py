"""Clean, wrong in any way, or wrong by a slip: how likely each is, for the cells where it matters.

How often each happens in this table is learned from the cells themselves, so a slip that never
happens here explains nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._tables.judging.accuse import Accused
from robustnmf._tables.judging.columns import Columns
from robustnmf._tables.judging.density import CleanDensity, log_wrong
from robustnmf._tables.judging.slips import DIGITS, SLIPS, undo


@dataclass(frozen=True)
class HypothesisSettings:
    """How slips are weighed against other mistakes.

    Chosen on the first edition of the study of trust (``robustnmf reproduce trust-tuning``).
    """

    # Cells whose log odds of being wrong are below this are clean, whatever slips there are.
    negligible: float = -5.0
    # So many cells of a table are thought wrong in any way, and by each slip, before one has
    # looked.
    prior_wrong: float = 1.0
    prior_slip: float = 0.1
    steps: int = 20
    # A wrong cell is taken for a slip if that is at least this likely: else its value is predicted.
    sure_slip: float = 0.8


HYPOTHESIS = HypothesisSettings()


@dataclass(frozen=True)
class Evidence:
    """What speaks for each hypothesis, for the cells where more than one is possible.

    Attributes
    ----------
    rows, columns : int arrays of shape (cells,)
        Where they stand, among the used columns.
    log_density : array of shape (cells, 2 + slips)
        Of what stands there if it is clean, wrong in any way, or wrong by each slip.
    meant, slack : arrays of shape (cells, slips)
        The value that was meant, if it was a slip, and how far from it it may have been.
    """

    rows: Array
    columns: Array
    log_density: Array
    meant: Array
    slack: Array


def evidence(
    X: Array,
    Z: Array,
    found: Accused,
    where: Array,
    columns: Columns,
    density: CleanDensity,
    decimals: Sequence[int | None],
) -> Evidence:
    """Weigh the hypotheses for some cells.

    Parameters
    ----------
    X, Z : arrays
        Rows of the table, all columns; and its used columns on even scales.
    found : Accused
        What is expected of them.
    where : bool array of the shape of Z
        The cells.
    columns : Columns
    density : CleanDensity
    decimals : sequence
        How the columns of the table are written.

    Returns
    -------
    Evidence
    """
    rows, cols = np.nonzero(where)
    log_density = np.full((len(rows), 2 + len(SLIPS)), -np.inf)
    meant, slack = np.full((2, len(rows), len(SLIPS)), np.nan)
    prediction, spread = found.prediction, found.spread
    steps = columns.even_steps(prediction)
    for c in np.unique(cols):
        at = np.flatnonzero(cols == c)
        here = rows[at]
        own, expected, promised, step = (
            density.column(c),
            prediction[here, c][:, None],
            spread[here, c][:, None],
            steps[here, c][:, None],
        )

        def log_clean(
            z: Array,
            own: CleanDensity = own,
            expected: Array = expected,
            promised: Array = promised,
            step: Array = step,
        ) -> Array:
            return own.log(z[:, None] - expected, promised, step)[:, 0]

        j = columns.used[c]
        log_density[at, 0] = log_clean(Z[here, c])
        log_density[at, 1] = log_wrong(Z[here, c])
        for s, slip in enumerate(SLIPS):
            undone = undo(slip, X[here, j], columns.scales[c], decimals[j], log_clean)
            log_density[at, 2 + s], meant[at, s], slack[at, s] = undone
    return Evidence(rows, cols, log_density, meant, slack)


def learn_rates(found: Evidence, rate: float, n: int) -> Array:
    """Learn how often each hypothesis is true.

    Parameters
    ----------
    found : Evidence
    rate : float
        The share of cells that seem wrong.
    n : int
        Cells that were judged; those without evidence are clean.

    Returns
    -------
    array of shape (2 + slips,)
    """
    slips = len(SLIPS)
    prior = np.array([HYPOTHESIS.prior_wrong] + [HYPOTHESIS.prior_slip] * slips)
    wrong = rate * np.array([0.7] + [0.3 / slips] * slips)
    for _ in range(HYPOTHESIS.steps):
        share, _ = _shares(found.log_density + np.log([1 - wrong.sum(), *wrong]))
        wrong = (share[:, 1:].sum(axis=0) + prior) / (n + prior.sum())
    return np.array([1 - wrong.sum(), *wrong])


def judge(found: Evidence, rates: Array) -> tuple[Array, Array, Array, Array]:
    """Decide between the hypotheses.

    Parameters
    ----------
    found : Evidence
    rates : array
        From `learn_rates`.

    Returns
    -------
    log_odds : array of shape (cells,)
        Of being wrong.
    slip : int array of shape (cells,)
        Which slip it surely is, if it is wrong; -1 for none.
    meant, slack : arrays of shape (cells,)
        The value before the slip, and how far from it it may have been.
    """
    weighed = found.log_density + np.log(rates)
    share, total = _shares(weighed[:, 1:])
    log_odds, share = total - weighed[:, 0], share[:, 1:]
    best = share.argmax(axis=1)
    cells = np.arange(len(best))
    sure = share[cells, best] >= HYPOTHESIS.sure_slip
    slip = np.where(sure, best, -1)
    return log_odds, slip, found.meant[cells, best], found.slack[cells, best]


def _shares(log_weights: Array) -> tuple[Array, Array]:
    """Return the share of each weight in those of its row, and the logarithm of their sum."""
    total = np.logaddexp.reduce(log_weights, axis=1)
    return np.exp(log_weights - total[:, None]), total


def own_mistake(slip: Array) -> Array:
    """Return which slips are mistakes whatever else is odd in their row.

    Swapped digits alone are not: some pair of digits makes many an odd number a likely one.
    """
    return (slip >= 0) & (slip != SLIPS.index(DIGITS))
