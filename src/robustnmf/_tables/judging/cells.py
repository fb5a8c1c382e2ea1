"""Cells that are flagged or filled, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._tables.judging.slips import SLIPS

ODD, RUN, PILE, NEGATIVE, PARTS, STRAY = "odd", "run", "pile", "negative", "parts", "stray"
REASONS = (ODD, RUN, PILE, NEGATIVE, PARTS, STRAY, *SLIPS)
_WORDS = {
    ODD: "unlike the rest of its row",
    RUN: "repeats the cell above, again and again",
    PILE: "one value in many rows where it does not fit",
    NEGATIVE: "negative, which nothing here can be",
    PARTS: "explained by no mixture of the parts",
    STRAY: "far from all codes of its column",
    "point": "point in the wrong place",
    "sign": "wrong sign",
    "digits": "two digits swapped",
}


@dataclass(frozen=True)
class Judgement:
    """Cells of some rows that are flagged or filled, in the order of their rows.

    Attributes
    ----------
    rows, columns : int arrays
        Where they stand in the table.
    values, expected : arrays
        What stands there (NaN for a missing cell), and what should.
    spread : array
        How far from the truth what is expected usually is.
    probability : array
        Of being wrong; 0 for a missing cell.
    reasons : int8 array
        Places in `REASONS`; -1 for a missing cell.
    replaced : bool array
        Whether `expected` takes the cell's place; else it is flagged only.
    """

    rows: Array
    columns: Array
    values: Array
    expected: Array
    spread: Array
    probability: Array
    reasons: Array
    replaced: Array

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def missing(self) -> Array:
        """Which of them are missing cells."""
        return self.reasons < 0

    def only(self, which: Array) -> Judgement:
        """Return some of the cells."""
        if which.all():
            return self
        return Judgement(*(getattr(self, field.name)[which] for field in fields(self)))

    @classmethod
    def joined(cls, parts: Iterable[Judgement]) -> Judgement:
        """Return the cells of several blocks of rows."""
        names = [field.name for field in fields(cls)]
        pieces: list[list[Array]] = [[] for _ in names]
        for part in parts:
            for piece, name in zip(pieces, names, strict=True):
                piece.append(getattr(part, name))
        return cls(*map(_put_together, pieces))

    def with_values(self, X: Array, first: int) -> Judgement:
        """Return the same with what stands in the cells: what counted as missing is wrong there."""
        values = X[self.rows - first, self.columns]
        wrong = self.missing & ~np.isnan(values)
        return replace(
            self,
            values=values,
            probability=np.where(wrong, 1.0, self.probability),
            reasons=np.where(wrong, REASONS.index(NEGATIVE), self.reasons).astype(np.int8),
        )

    def words(self, i: int) -> str:
        """Return why a cell is flagged."""
        return "was missing" if self.reasons[i] < 0 else _WORDS[REASONS[self.reasons[i]]]


def _put_together(pieces: list[Array]) -> Array:
    """Join arrays and let go of them, so that not all there is is there twice."""
    whole = np.concatenate(pieces)
    pieces.clear()
    return whole
