"""What judges rows that nothing was learned from, each by itself: cells by cells, or by parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._tables.judging import REASONS, Judgement, Learned, decide
from robustnmf._tables.judging.kinds import MEASURED
from robustnmf._tables.prepare import Scaling


class RowJudge(Protocol):
    """Judges rows, with what was learned from others."""

    @property
    def kinds(self) -> list[str]:
        """What each column holds."""

    def judge(self, X: Array, first: int) -> Judgement:
        """Judge rows of the columns learned from; the first of them has this number."""


@dataclass(frozen=True)
class RowsByCells:
    """Judges each cell of a row by the others.

    Attributes
    ----------
    learned : Learned
        As `Learned.for_new_rows` returns it.
    cautious : bool
        Whether only what is beyond doubt is replaced.
    negative_wrong : bool
        Whether negative cells are wrong whatever the others say.
    """

    learned: Learned
    cautious: bool
    negative_wrong: bool

    @property
    def kinds(self) -> list[str]:
        """What each column holds."""
        return [kind.name for kind in self.learned.columns.kinds]

    def judge(self, X: Array, first: int) -> Judgement:
        """Judge some rows."""
        if not self.negative_wrong:
            return decide(self.learned, X, first, self.cautious)
        found = decide(self.learned, np.where(X < 0, np.nan, X), first, self.cautious)
        return found.with_values(X, first)


@dataclass(frozen=True)
class RowsByParts:
    """Judges rows by the parts of the table they were learned from.

    Attributes
    ----------
    model : RobustNMF
    scaling : Scaling
    low, high : arrays, one number a column
        The range of the cells that were not called corrupt.
    decimals : sequence of int or None
        How each column is written.
    """

    model: Any
    scaling: Scaling
    low: Array
    high: Array
    decimals: Sequence[int | None]

    @property
    def kinds(self) -> list[str]:
        """The method of the paper knows no kinds: all columns are taken for measurements."""
        return [MEASURED.name] * len(self.low)

    def judge(self, X: Array, first: int) -> Judgement:
        """Judge some rows; what is lower than all that was learned from can be is wrong."""
        values = np.asarray(X, dtype=float)
        impossible = values + self.scaling.shift < 0
        fitted = self.scaling.fitted(np.where(impossible, np.nan, values))
        known = ~np.isnan(fitted).all(axis=1)
        expected = np.full(values.shape, np.nan)
        corrupt = impossible | self.scaling.hopeless(values)
        if known.any():
            _, _, found = self.model._infer(fitted[known])
            expected[known] = self.scaling.back(found.W @ self.model.components_)
            corrupt[known] |= found.E.toarray() != 0
        return self.cells(values, expected, corrupt & known[:, None], known, first)

    def cells(
        self, values: Array, expected: Array, corrupt: Array, known: Array, first: int
    ) -> Judgement:
        """Return the cells of some rows that are corrupt or missing, in the rows that are known."""
        # Where nothing holds a part, it says anything: no further than what was ever seen.
        expected = np.clip(expected, self.low, self.high)
        for j, decimals in enumerate(self.decimals):
            if decimals is not None:
                expected[:, j] = np.round(expected[:, j], decimals)
        missing = np.isnan(values) & known[:, None]
        i, c = np.nonzero((corrupt & (values != expected)) | missing)
        gap = missing[i, c]
        # There may be millions: no number takes more room than it needs.
        return Judgement(
            i + first,
            c.astype(np.int32),
            values[i, c],
            expected[i, c],
            np.full(len(i), np.nan, dtype=np.float16),
            np.where(gap, 0.0, 1.0).astype(np.float16),
            np.where(gap, -1, REASONS.index("parts")).astype(np.int8),
            np.ones(len(i), dtype=bool),
        )
