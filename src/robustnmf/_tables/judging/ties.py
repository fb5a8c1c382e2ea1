"""Equal cells in the columns of a table: values that are common, and runs that are too long."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._tables.judging.columns import Columns
from robustnmf._tables.judging.repeats import REPEAT, Common, begin_together, hanging, usual_ties


@dataclass(frozen=True)
class Ties:
    """What is known of equal cells in each used column.

    Attributes
    ----------
    usual : list of float
        How often a cell equals the one above.
    common : list of Common
    n : int
        Rows they were counted in.
    """

    usual: list[float]
    common: list[Common]
    n: int

    @classmethod
    def of(cls, X: Array, columns: Columns) -> Ties:
        """Count in all rows."""
        own = [X[:, j] for j in columns.used]
        usual = np.array([usual_ties(x) for x in own])
        measured = np.flatnonzero(columns.judged)
        usual[measured[begin_together(X[:, columns.used[measured]])]] = 1.0
        return cls(usual.tolist(), [Common.of(x) for x in own], len(X))

    def without_runs(self) -> Ties:
        """Return the same where runs say nothing."""
        return replace(self, usual=[1.0] * len(self.usual))

    def only_common(self) -> Ties:
        """Return the same with no more of each column than what `common_cells` asks for."""
        often = [common.shares >= REPEAT.common_share for common in self.common]
        common = [
            Common(*(A[which] for A in own)) for own, which in zip(self.common, often, strict=True)
        ]
        return replace(self, common=common)

    def common_cells(self, X: Array, columns: Columns) -> Array:
        """Return the cells whose value is what their column is like: nobody mistypes so many."""
        found = np.zeros((len(X), len(columns.used)), dtype=bool)
        for c, (j, common) in enumerate(zip(columns.used, self.common, strict=True)):
            often = common.values[common.shares >= REPEAT.common_share]
            found[:, c] = np.isin(X[:, j], often)
        return found

    def hanging(self, X: Array, columns: Columns) -> Array:
        """Return the cells where a sensor hangs."""
        found = np.zeros((len(X), len(columns.used)), dtype=bool)
        for c in np.flatnonzero(columns.judged):
            x = X[:, columns.used[c]]
            found[:, c] = hanging(x, self.usual[c], self.common[c], self.n)
        return found
