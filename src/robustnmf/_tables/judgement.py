"""What was found in a table: its flagged cells, how far to trust them, and its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.diagnosis import Diagnosis
from robustnmf._tables.judging import Judgement
from robustnmf._tables.judging.kinds import MEASURED
from robustnmf._tables.table import Table

if TYPE_CHECKING:
    from robustnmf._tables.fitting import Fitted
    from robustnmf._tables.prepare import Prepared
    from robustnmf._tables.row_judges import RowJudge


class Parts(NamedTuple):
    """The parts of a table, and how much of each a row holds."""

    model: Any
    """A fitted RobustNMF, in units of its own."""
    weights: Array
    """Of shape (rows, n_components); NaN for a row without any number."""
    components: Array
    """Of shape (n_components, n_columns), in the units of the table."""

    @classmethod
    def of(cls, fitted: Fitted, data: Prepared) -> Parts:
        """Return what was learned from a prepared table, for all its rows and in its units."""
        weights = np.full((len(data.fitted_row), fitted.W.shape[1]), np.nan)
        weights[data.fitted_row >= 0] = fitted.W
        components = fitted.model.components_ * data.scaling.scale
        return cls(fitted.model, weights, components)


class TableJudgement(NamedTuple):
    """What was found in a table."""

    cells: Judgement
    """Flagged and missing ones."""
    diagnosis: Diagnosis
    kinds: list[str]
    """What each column holds."""
    notes: list[str]
    parts: Parts | None = None
    """Where the cells were judged by these."""
    judge: RowJudge | None = None
    """What judges other rows in the same way, if that was learned, too."""


def not_judged(table: Table, kinds: list[str]) -> list[str]:
    """Return the columns that hold no measurements, and what they hold."""
    return [
        f"{column.name} ({kind})"
        for column, kind in zip(table.columns, kinds, strict=True)
        if kind != MEASURED.name
    ]
