"""Learning from a table what its cells should be, and which of its own cells not to learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.progress import Share
from robustnmf._common.robust import robust_deviation
from robustnmf._tables.judging.best_scales import on_best_scales
from robustnmf._tables.judging.columns import Columns
from robustnmf._tables.judging.crowds import by_chance
from robustnmf._tables.judging.density import learn_density
from robustnmf._tables.judging.gains import GAIN
from robustnmf._tables.judging.hypotheses import (
    HYPOTHESIS,
    evidence,
    judge,
    learn_rates,
    own_mistake,
)
from robustnmf._tables.judging.learned import Learned
from robustnmf._tables.judging.mixed import alike
from robustnmf._tables.judging.repeats import piles
from robustnmf._tables.judging.scales import SCALE
from robustnmf._tables.judging.ties import Ties
from robustnmf._tables.judging.witness import (
    Witness,
    begin,
    find_series,
    folds_of,
    with_neighbours,
)


@dataclass(frozen=True)
class LearningSettings:
    """How often a table is learned from, and from which cells.

    Chosen on the first edition of the study of trust (``robustnmf reproduce trust-tuning``).
    """

    # Rounds of judging all cells and learning anew from those that fit.
    rounds: int = 3
    # Before a first judgement, cells with a residual beyond so many usual ones are suspects.
    odd: float = 2.3
    # Predictions have to be closer than the middle of the column by so many times what comes about
    # by chance.
    chance_margin: float = 1.5
    # With more rows, nothing comes about by chance.
    enough_rows: int = 2000
    # With few rows, chance varies: the most of several orders counts.
    few_rows: int = 200
    most_orders: int = 4
    # The share of wrong cells: first, and at the least and the most.
    first_rate: float = 0.03
    least_rate: float = 0.002
    most_rate: float = 0.15


LEARNING = LearningSettings()


def learn_table(
    X: Array,
    names: Sequence[str],
    decimals: Sequence[int | None],
    progress: Share,
    *,
    beside: bool = True,
) -> Learned | None:
    """Learn from rows of a table.

    Parameters
    ----------
    X : array of shape (n, m)
        With NaN for missing cells.
    names : sequence of str
        The headings, which tell what cannot be judged.
    decimals : sequence of int or None
        How each column is written.
    progress : callable
        Told the share of the work that lies behind.
    beside : bool, default=True
        Whether rows beside one another say anything of each other. If not, what is learned
        judges rows that come one by one.

    Returns
    -------
    Learned or None
        None if there is no column to judge.
    """
    columns = Columns.of(X, names)
    if not columns.judged.any():
        return None
    n, m = len(X), len(columns.used)
    folds = folds_of(n, m)
    fold = np.arange(n) % folds
    ties = Ties.of(X, columns)
    hung = ties.hanging(X, columns)
    if not beside:
        ties = ties.without_runs()
    # What is far from its column's middle says nothing of the scale of the column.
    known = ~np.isnan(X[:, columns.used])
    suspect = known & columns.judged & ((np.abs(columns.even(X)) > SCALE.far) | hung)
    columns = on_best_scales(X, suspect, columns, names, fold, folds)
    progress(0.2)
    Z = np.nan_to_num(columns.even(X))
    suspect = known & columns.judged & ((np.abs(Z) > SCALE.far) | hung)
    series = find_series(Z, known & ~suspect) if beside else _NONE
    witness = begin(
        *with_neighbours(Z, known & ~suspect, series), columns.judged, fold, folds, series
    )
    suspect |= _odd(witness, Z, known & ~suspect, fold) & columns.judged & known
    witness = witness.learned(*with_neighbours(Z, known & ~suspect, series), fold)
    rate, heaps = LEARNING.first_rate, [np.empty(0)] * m
    for turn in range(LEARNING.rounds):
        progress(0.3 + 0.7 * turn / LEARNING.rounds)
        learned = _learned(
            columns, witness, Z, known & ~suspect, fold, rate, heaps, ties, folds, decimals
        )
        found, repeats, _ = learned.judge_rows(X, 0)
        unfit = found.log_odds > 0
        heaps = _heaps(X, columns, hung, unfit, found.prediction)
        chance = 1 / (1 + np.exp(-np.clip(found.log_odds, -50, 50)))
        chance = chance[known & columns.judged & ~repeats]
        rate = (
            float(np.clip(chance.mean(), LEARNING.least_rate, LEARNING.most_rate))
            if len(chance)
            else LEARNING.least_rate
        )
        suspect = (unfit | repeats | hung) & known
        if turn < LEARNING.rounds - 1:
            witness = witness.learned(*with_neighbours(Z, known & ~suspect, series), fold)
    learned = _learned(
        columns, witness, Z, known & ~suspect, fold, rate, heaps, ties, folds, decimals
    )
    return replace(
        _with_rates(learned, X),
        chance_gain=_chance_gain(Z, known & ~suspect, columns.judged, fold, folds),
    )


def _with_rates(learned: Learned, X: Array) -> Learned:
    """Learn how often cells are wrong, and where too many are odd to be."""
    found, repeats, Z = learned.judge_rows(X, 0)
    # Piles and runs are told by themselves: they say nothing of how often other cells are wrong.
    where = (found.log_odds > HYPOTHESIS.negligible) & ~repeats
    proof = evidence(X, Z, found, where, learned.columns, learned.density, learned.decimals)
    judged = np.isfinite(found.log_odds)
    rates = learn_rates(proof, learned.rate, int(judged.sum()))
    odd, log_odds = np.zeros(Z.shape, dtype=bool), np.empty(0)
    if len(proof.rows):
        log_odds, slip, _, _ = judge(proof, rates)
        odd[proof.rows, proof.columns] = (log_odds > 0) & ~own_mistake(slip)
    return replace(
        learned,
        rates=rates,
        by_chance=by_chance(odd.sum(axis=1), judged.sum(axis=1)),
        # Without the rates, which are the same in all columns, odds are likelihood ratios.
        alike=alike(
            log_odds - np.log(rates[1:].sum() / rates[0]), proof.columns, judged.sum(axis=0)
        ),
    )


def _chance_gain(Z: Array, use: Array, judged: Array, fold: Array, folds: int) -> float:
    """Return the gain if each column is put in an order of its own, where none is to be had."""
    if len(Z) > LEARNING.enough_rows:
        return GAIN.least
    rng = np.random.default_rng(0)
    highest = 0.0
    for _ in range(LEARNING.most_orders if len(Z) <= LEARNING.few_rows else 1):
        order = rng.permuted(np.tile(np.arange(len(Z))[:, None], (1, Z.shape[1])), axis=0)
        mixed, mask = np.take_along_axis(Z, order, 0), np.take_along_axis(use, order, 0)
        gain = _gain(begin(mixed, mask, judged, fold, folds, _NONE), mixed, mask, fold)
        highest = max(highest, float(gain[judged].max()))
    return max(GAIN.least, LEARNING.chance_margin * highest)


def _heaps(X: Array, columns: Columns, hung: Array, unfit: Array, prediction: Array) -> list[Array]:
    """Return the values of each column that are no measurements."""
    heaps = [np.empty(0)] * len(columns.used)
    for c in np.flatnonzero(columns.judged):
        scale, expected = columns.scales[c], prediction[:, c]

        def distance(value: float, scale: Any = scale, expected: Array = expected) -> Array:
            return np.abs(expected - scale.forth(np.array(value)))

        # Where a sensor hung, the value was measured once: that it is there often makes no pile.
        values = np.where(hung[:, c], np.nan, X[:, columns.used[c]])
        heaps[c] = piles(values, unfit[:, c], distance)
    return heaps


_NONE = np.empty(0, dtype=int)


def _odd(witness: Witness, Z: Array, use: Array, fold: Array) -> Array:
    """Return cells that are far from what is expected, as cells of their column go."""
    prediction, spread = witness.predict(*with_neighbours(Z, use, witness.series), fold)
    off = np.abs(Z - prediction) / spread
    usual = robust_deviation(np.where(use, off, np.nan), axis=0)
    return off > LEARNING.odd * np.maximum(usual, 1e-3)


def _learned(
    columns: Columns,
    witness: Witness,
    Z: Array,
    clean: Array,
    fold: Array,
    rate: float,
    heaps: list[Array],
    ties: Ties,
    folds: int,
    decimals: Sequence[int | None],
) -> Learned:
    """Learn from clean cells how far they are from what is expected of them."""
    gain = _gain(witness, Z, clean, fold)
    helpful = gain > 0
    prediction, spread = witness.predict(*with_neighbours(Z, clean, witness.series), fold)
    prediction, spread = np.where(helpful, prediction, 0.0), np.where(helpful, spread, 1.0)
    density = learn_density(Z - prediction, spread, clean & columns.judged)
    return Learned(columns, witness, density, helpful, gain, rate, heaps, ties, folds, decimals)


def _gain(witness: Witness, Z: Array, use: Array, fold: Array) -> Array:
    """Return by which share predictions of each column are closer than its middle."""
    prediction, _ = witness.predict(*with_neighbours(Z, use, witness.series), fold)
    off = np.where(use, np.abs(Z - prediction), np.nan)
    beside = np.where(use, np.abs(Z), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        gain = 1 - np.nanmedian(off, axis=0) / np.nanmedian(beside, axis=0)
    return np.nan_to_num(gain, neginf=0.0)
