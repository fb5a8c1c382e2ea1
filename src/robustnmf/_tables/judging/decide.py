"""From what is known of a cell to what is done: flag it, replace it, fill it, or leave it.

To flag is to say "look here"; to replace is to change somebody's data. A cell is replaced only if
it is rather wrong than right, and so much so that the table is expected to come nearer to the truth
by it: what takes its place is known well, because its column is predicted on cells that were held
out or a slip explains it, or at least far better than what stands there. All else is flagged only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._tables.judging.accuse import Accused
from robustnmf._tables.judging.cells import ODD, PILE, REASONS, RUN, STRAY, Judgement
from robustnmf._tables.judging.columns import Columns
from robustnmf._tables.judging.gains import Moves
from robustnmf._tables.judging.hypotheses import HYPOTHESIS, evidence, judge, own_mistake
from robustnmf._tables.judging.learned import Learned
from robustnmf._tables.judging.scales import SCALE
from robustnmf._tables.judging.slips import SLIPS


@dataclass(frozen=True)
class DecisionSettings:
    """When a cell is flagged, and when it is replaced.

    Chosen on the first edition of the study of trust (``robustnmf reproduce trust-tuning``).
    """

    # A cell is flagged if it is at least this likely to be wrong: that gives most of what is wrong
    # among what is flagged and the other way round, as half of the share that can be had of both.
    flagged: float = 0.35
    # It is replaced if it is rather wrong than right; in doubt, if it is this likely.
    rather: float = 0.5
    very_sure: float = 0.999
    # The gain that is expected has to be this share of how far the cell is moved.
    least_gain: float = 0.1
    # And the move this many times the error of what is expected. Where predictions are no better
    # than the middle of the column, more, and the cell has to be this likely to be wrong.
    clearly_off: float = 2.0
    far_off: float = 4.0
    likely: float = 0.8
    # So likely are cells of piles and runs to be wrong.
    repeated: float = 0.95
    # A row with more than this share of its cells flagged is odd as a whole: who says which cells
    # are right?
    most_of_row: float = 0.4
    fewest_of_row: int = 3
    # With fewer columns, a cell and those that speak against it are one word against another.
    enough_columns: int = 3


DECISION = DecisionSettings()


def decide(learned: Learned, X: Array, first: int, cautious: bool) -> Judgement:
    """Judge the cells of some rows.

    Parameters
    ----------
    learned : Learned
        From the table.
    X : array of shape (n, m)
        The rows, with NaN for missing cells.
    first : int
        The number of the first of them.
    cautious : bool
        Whether there is doubt about the table as a whole.

    Returns
    -------
    Judgement
    """
    columns = learned.columns
    found, repeats, Z = learned.judge_rows(X, first)
    raw = X[:, columns.used]
    expected = columns.back(found.prediction)
    for c, j in enumerate(columns.used):
        if (decimals := learned.decimals[j]) is not None:
            expected[:, c] = np.round(expected[:, c], decimals)
    spread = learned.in_units(found.prediction, found.spread)
    probability, reasons, slipped = _weighed(learned, X, Z, found, repeats, (expected, spread))
    undone = slipped & own_mistake(reasons - REASONS.index(SLIPS[0]))
    lone = repeats | undone
    whole = _odd_rows((probability > DECISION.rather) & columns.judged, columns.judged)[:, None]
    # What is told by itself is; a row that is odd as a whole is shown to be so.
    chance = np.where(lone | whole, 1.0, _by_chance(learned, probability, lone))
    probability = probability * learned.alike * chance * np.where(lone, 1.0, found.share)
    probability = np.where(repeats, np.maximum(probability, DECISION.repeated), probability)
    # What is expected may be, once rounded, what stands there: nothing is wrong with that.
    flagged = (probability > DECISION.flagged) & (raw != expected) & columns.judged
    moves = Moves.of(raw, expected, spread, learned.unit())
    better = _better(probability, moves, learned.supported | undone)
    # A sensor that hangs while what it measures changes slowly is not far off.
    better[:, learned.witness.series] &= ~(repeats & ~learned.piled(X))[:, learned.witness.series]
    if len(columns.used) < DECISION.enough_columns:
        # Of two cells that do not go together, either may be wrong, unless one is so by itself.
        better &= np.abs(Z) > SCALE.far
    replaced = flagged & better & ~whole & ~_odd_rows(flagged, columns.judged)[:, None]
    replaced &= bool(learned.supported.any())
    # Codes are left alone; but what is none of them is shown.
    stray, code = columns.strays(X)
    probability, reasons = (
        np.where(stray, new, old)
        for new, old in ((DECISION.repeated, probability), (REASONS.index(STRAY), reasons))
    )
    expected, spread = np.where(stray, code, expected), np.where(stray, np.nan, spread)
    flagged |= stray
    # Of a row without any number nothing is known.
    empty = np.all(np.isnan(raw), axis=1, keepdims=True)
    missing = np.isnan(raw) & columns.judged & ~empty
    at = np.nonzero(flagged | missing)
    found_cells = Judgement(
        at[0] + first,
        columns.used[at[1]].astype(np.int32),
        raw[at],
        expected[at],
        spread[at],
        np.where(missing, 0.0, probability)[at].astype(np.float32),
        np.where(missing, -1, reasons)[at].astype(np.int8),
        (replaced | missing)[at],
    )
    return beyond_doubt(found_cells) if cautious else found_cells


def beyond_doubt(found: Judgement) -> Judgement:
    """Return the same with only those cells replaced that are wrong beyond doubt.

    Parameters
    ----------
    found : Judgement

    Returns
    -------
    Judgement
    """
    sure = found.missing | (found.probability >= DECISION.very_sure)
    return replace(found, replaced=found.replaced & sure)


def stray_cells(columns: Columns, X: Array, first: int) -> Judgement:
    """Return what is none of the codes of its column, where nothing else can be judged.

    Parameters
    ----------
    columns : Columns
    X : array of shape (n, m)
        Some rows.
    first : int
        The number of the first of them.

    Returns
    -------
    Judgement
        Nothing is replaced.
    """
    stray, code = columns.strays(X)
    rows, used = np.nonzero(stray)
    own = columns.used[used]
    return Judgement(
        rows + first,
        own.astype(np.int32),
        X[rows, own],
        code[used],
        np.full(len(rows), np.nan),
        np.full(len(rows), DECISION.repeated, dtype=np.float32),
        np.full(len(rows), REASONS.index(STRAY), dtype=np.int8),
        np.zeros(len(rows), dtype=bool),
    )


def _weighed(
    learned: Learned,
    X: Array,
    Z: Array,
    found: Accused,
    repeats: Array,
    in_units: tuple[Array, Array],
) -> tuple[Array, Array, Array]:
    """Return how likely each cell is wrong, why, and whether by a slip.

    Slips are undone in what is expected, `in_units` of the table, with its spread.
    """
    expected, spread = in_units
    piled = learned.piled(X)
    reasons = np.where(piled, REASONS.index(PILE), REASONS.index(ODD))
    reasons[repeats & ~piled] = REASONS.index(RUN)
    slipped = np.zeros(Z.shape, dtype=bool)
    where = found.log_odds > HYPOTHESIS.negligible
    proof = evidence(X, Z, found, where, learned.columns, learned.density, learned.decimals)
    if len(proof.rows):
        found.log_odds[where], slip, meant, slack = judge(proof, learned.rates)
        sure = (slip >= 0) & ~repeats[where]
        at = proof.rows[sure], proof.columns[sure]
        slipped[at] = True
        reasons[at] = REASONS.index(SLIPS[0]) + slip[sure]
        # Digits that were lost when the number was written are what is expected of them.
        low, high = (meant + sign * slack for sign in (-1, 1))
        expected[at] = np.clip(expected[at], low[sure], high[sure])
        spread[at] = np.minimum(spread[at], slack[sure])
    return 1 / (1 + np.exp(-np.clip(found.log_odds, -50, 50))), reasons, slipped


def _by_chance(learned: Learned, probability: Array, lone: Array) -> Array:
    """Return how far the odd cells of a row are to be believed, by how many they are.

    It is the root of how likely so many are there by chance: mistakes do come together at times,
    though they are not told apart from rows that are odd as a whole.
    """
    crowd = ((probability > DECISION.rather) & ~lone).sum(axis=1, keepdims=True)
    return np.sqrt(learned.by_chance[np.minimum(crowd, len(learned.by_chance) - 1)])


def _better(probability: Array, moves: Moves, known: Array) -> Array:
    """Return where what is expected, `known` or not, is better than what stands there."""
    clearly = moves.moved > DECISION.clearly_off * moves.error
    far = (moves.moved > DECISION.far_off * moves.error) & (probability > DECISION.likely)
    worth = moves.gain(probability) > DECISION.least_gain * moves.moved
    return np.where(known, clearly, far) & worth & (probability > DECISION.rather)


def _odd_rows(flagged: Array, judged: Array) -> Array:
    """Return the rows that are odd as a whole."""
    crowd = flagged.sum(axis=1)
    return (crowd > DECISION.most_of_row * max(int(judged.sum()), 1)) & (
        crowd >= DECISION.fewest_of_row
    )
