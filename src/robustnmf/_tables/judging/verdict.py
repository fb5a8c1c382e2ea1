"""How far the judgement of a table can be trusted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.diagnosis import DOUBTFUL, NO_STRUCTURE, RELIABLE, UNDECIDED, Diagnosis
from robustnmf._tables.judging.cells import ODD, REASONS, RUN, Judgement
from robustnmf._tables.judging.gains import Moves
from robustnmf._tables.judging.learned import Learned
from robustnmf._tables.judging.slips import DIGITS


@dataclass(frozen=True)
class VerdictSettings:
    """When the judgement of a table is not to be trusted.

    Chosen on the first edition of the study of trust (``robustnmf reproduce trust-tuning``).
    """

    # Fewer rows than this, or than so many for each judged column, teach little.
    few_rows: int = 30
    rows_a_column: int = 3
    # A larger share of flagged cells, in the table or in one column, is implausible.
    most_flagged: float = 0.15
    most_of_column: float = 0.3
    # Columns that nothing predicts: if more than this share of those that are judged, there is
    # little structure.
    most_alone: float = 0.75
    # Cells that are as likely wrong as not: if they are this many times those that are surely
    # wrong, nobody can tell. There have to be some, and not only a few.
    unsure: float = 2.0
    unsure_cells: int = 10
    unsure_share: float = 0.01
    likely: float = 0.75
    # Or if more than this share of what is flagged is merely odd, and not odd enough to be
    # replaced; of fewer odd cells nothing can be said.
    most_left: float = 0.5
    fewest_odd: int = 5
    # A column has cells of a second kind if its odd cells are no likelier than this to be mistakes;
    # if more than this share of the columns has, rows are of kinds, and one kind is judged by
    # another.
    second_kind: float = 0.3
    most_mixed: float = 0.1
    # If no more than this share of the replaced cells were wrong that are merely odd, the table
    # should still come nearer to the truth, by so many standard deviations of what is expected.
    pessimist: float = 0.7
    clear_gain: float = 0.85
    # Farther from the middle of its column than so many spreads, a cell is not merely odd.
    impossible: float = 10.0


VERDICT = VerdictSettings()


def before(learned: Learned | None) -> Diagnosis:
    """Say what is known before any cell is judged: whether there is anything to go by."""
    if learned is None:
        return Diagnosis(
            NO_STRUCTURE,
            ("no column holds measurements that others could be judged by",),
        )
    columns = learned.columns
    judged = int(columns.judged.sum())
    if not learned.supported.any():
        return Diagnosis(
            NO_STRUCTURE,
            (
                "hidden cells are predicted no better than by the middle of their column"
                if judged > 1
                else "there is only one column to judge",
            ),
        )
    reasons = []
    n = learned.ties.n
    if n < VERDICT.few_rows:
        reasons.append(f"there are only {n} rows to learn from")
    elif n < VERDICT.rows_a_column * judged:
        reasons.append(f"there are only {n} rows to learn {judged} columns from")
    alone = judged - int(learned.supported.sum())
    if alone > VERDICT.most_alone * judged:
        reasons.append(f"{alone} of {judged} columns have nothing to do with the others")
    return Diagnosis(DOUBTFUL if reasons else RELIABLE, tuple(reasons))


def after(learned: Learned, found: Judgement, names: list[str], cells: int) -> Diagnosis:
    """Say what is known after all cells were judged: whether the outcome is plausible.

    Parameters
    ----------
    learned : Learned
    found : Judgement
        All flagged and missing cells.
    names : list of str
        The headings.
    cells : int
        How many cells were judged.

    Returns
    -------
    Diagnosis
    """
    if not cells:
        return Diagnosis(RELIABLE)
    flagged = ~found.missing
    probability = found.probability[flagged]
    share = len(probability) / cells
    if share > VERDICT.most_flagged:
        return Diagnosis(
            DOUBTFUL, (f"{100 * share:.0f} % of the cells are flagged, which is hardly credible",)
        )
    counts = np.bincount(found.columns[flagged], minlength=len(names))
    rows = cells / max(int(learned.columns.judged.sum()), 1)
    crowded = [names[j] for j in np.flatnonzero(counts > VERDICT.most_of_column * rows)]
    if crowded:
        return Diagnosis(
            DOUBTFUL, (f"more than a third of column {crowded[0]!r} does not go with the rest",)
        )
    unsure = int((probability < VERDICT.likely).sum())
    if unsure >= max(
        VERDICT.unsure_cells, VERDICT.unsure_share * cells
    ) and unsure > VERDICT.unsure * (len(probability) - unsure):
        return Diagnosis(UNDECIDED, (f"{unsure} cells are nearly as likely right as wrong",))
    columns = learned.columns
    mixed = columns.used[columns.judged & (learned.alike < VERDICT.second_kind)]
    if len(mixed) > VERDICT.most_mixed * columns.judged.sum():
        return Diagnosis(
            DOUBTFUL, (f"rows seem to be of several kinds: see column {names[mixed[0]]!r}",)
        )
    odd = _merely_odd(learned, found, (ODD, DIGITS))
    left = int((odd & ~found.replaced).sum())
    if odd.sum() >= VERDICT.fewest_odd and left > VERDICT.most_left * len(probability):
        return Diagnosis(
            UNDECIDED,
            (f"of {len(probability)} flagged cells, {left} are odd, but hardly more than others",),
        )
    return Diagnosis(RELIABLE)


def _merely_odd(learned: Learned, found: Judgement, reasons: tuple[str, ...]) -> Array:
    """Return the cells that were flagged for one of these reasons, and are not impossible."""
    odd = np.isin(found.reasons, [REASONS.index(reason) for reason in reasons])
    position = np.searchsorted(learned.columns.used, found.columns[odd])
    odd[odd] = np.abs(learned.columns.even_cells(found.values[odd], position)) < VERDICT.impossible
    return odd


def clear_gain(learned: Learned, found: Judgement) -> bool:
    """Whether the table surely comes nearer to the truth by what is replaced.

    A few cells that are merely odd may be so by nature, and one good cell that is spoiled outweighs
    several that are mended. If only some of the odd ones were wrong, the gain should still be
    clear.

    Parameters
    ----------
    learned : Learned
    found : Judgement
        All flagged and missing cells.

    Returns
    -------
    bool
    """
    replaced = found.only(found.replaced & ~found.missing)
    if not len(replaced):
        return True
    position = np.searchsorted(learned.columns.used, replaced.columns)
    moves = Moves.of(replaced.values, replaced.expected, replaced.spread, learned.unit()[position])
    odd = _merely_odd(learned, replaced, (ODD, RUN, DIGITS))
    gain, deviation = moves.total(
        np.minimum(replaced.probability, np.where(odd, VERDICT.pessimist, 1.0))
    )
    return gain > VERDICT.clear_gain * deviation
