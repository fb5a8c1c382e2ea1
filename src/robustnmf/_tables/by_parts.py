"""Judging a table by its parts alone, at a price of noise that its owner gives.

This is the method of the paper on a table: all columns in one unit, W H for what is expected, and
every cell that the noise model calls corrupt is replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.diagnosis import DOUBTFUL, RELIABLE, Diagnosis
from robustnmf._tables.fitting import Fitted, Settings, fit
from robustnmf._tables.judging import REASONS, Judgement
from robustnmf._tables.prepare import Prepared, Units, prepared
from robustnmf._tables.table import Table

Array = NDArray[Any]


class Parts(NamedTuple):
    """The parts of a table, and how much of each a row holds."""

    model: Any
    """A fitted RobustNMF, in units of its own."""
    weights: Array
    """Of shape (rows, n_components); NaN for a row without any number."""
    units: Units
    components: Array
    """Of shape (n_components, n_columns), in the units of the table."""

    @classmethod
    def of(cls, fitted: Fitted, data: Prepared) -> Parts:
        """Return what was learned from a prepared table, for all its rows and in its units."""
        weights = np.full((len(data.place), fitted.W.shape[1]), np.nan)
        weights[data.place >= 0] = fitted.W
        components = fitted.model.components_ * data.units.scale
        return cls(fitted.model, weights, data.units, components)


def judge_by_parts(
    table: Table, how: Settings, progress: Callable[[str, float], None]
) -> tuple[Judgement, Diagnosis, Parts, list[str]]:
    """Learn the parts of a table and judge all cells by them.

    Parameters
    ----------
    table : Table
    how : Settings
    progress : callable
        Told what begins, and the share of the work that lies behind.

    Returns
    -------
    tuple
        The flagged and missing cells, how far to trust them, the parts, and notes.
    """
    progress("looking through", 0.05)
    with prepared(table, scale=how.scale, negative=how.negative) as data:
        progress("learning the parts", 0.15)
        fitted = fit(data.X, how, lambda share: progress("learning the parts", 0.15 + 0.65 * share))
        known = data.X.shape
    progress("judging the cells", 0.8)
    cells = Judgement.joined(_judged(table, fitted, data.units, data.place))
    return cells, _trust(fitted.model, known), Parts.of(fitted, data), fitted.notes


def _judged(table: Table, fitted: Fitted, units: Units, place: Array) -> Iterator[Judgement]:
    low, high = _ranges(table, fitted, units, place)
    for rows in table.blocks():
        at = place[rows]
        known = at >= 0
        values = np.asarray(table.block(rows), dtype=float)
        expected = np.full(values.shape, np.nan)
        expected[known] = units.back(fitted.W[at[known]] @ fitted.model.components_)
        # Where nothing holds a part, it says anything: no further than what was ever seen.
        expected = np.clip(expected, low, high)
        for j, column in enumerate(table.columns):
            if column.decimals is not None:
                expected[:, j] = np.round(expected[:, j], column.decimals)
        corrupt = _corrupt(fitted, units, at, values) & (values != expected)
        missing = np.isnan(values) & known[:, None]
        i, c = np.nonzero(corrupt | missing)
        gap = missing[i, c]
        # There may be millions: no number takes more room than it needs.
        yield Judgement(
            (i + rows.start).astype(np.int32 if table.n_rows < 2**31 else np.int64),
            c.astype(np.int32),
            values[i, c].astype(table.dtype),
            expected[i, c].astype(table.dtype),
            np.full(len(i), np.nan, dtype=np.float16),
            np.where(gap, 0.0, 1.0).astype(np.float16),
            np.where(gap, -1, REASONS.index("parts")).astype(np.int8),
            np.ones(len(i), dtype=bool),
        )


def _corrupt(fitted: Fitted, units: Units, at: Array, values: Array) -> Array:
    corrupt = np.zeros(values.shape, dtype=bool)
    known = at >= 0
    corrupt[known] = fitted.flagged[at[known]].toarray() != 0
    return corrupt | units.hopeless(values)


def _ranges(table: Table, fitted: Fitted, units: Units, place: Array) -> tuple[Array, Array]:
    """Return the range of the cells of each column that are not called corrupt."""
    m = len(table.columns)
    low, high = np.full(m, np.inf), np.full(m, -np.inf)
    for rows in table.blocks():
        values = np.asarray(table.block(rows), dtype=float)
        values[_corrupt(fitted, units, place[rows], values)] = np.nan
        low = np.fmin(low, np.fmin.reduce(values, axis=0, initial=np.inf))
        high = np.fmax(high, np.fmax.reduce(values, axis=0, initial=-np.inf))
    empty = low > high
    return np.where(empty, -np.inf, low), np.where(empty, np.inf, high)


def _trust(model: Any, shape: tuple[int, ...]) -> Diagnosis:
    """With a price of his own, the user decides; only what cannot work is told."""
    if model.n_components_ < min(shape):
        return Diagnosis(RELIABLE)
    return Diagnosis(
        DOUBTFUL,
        (
            f"{model.n_components_} parts explain any table of {shape[0]} rows and {shape[1]} "
            "columns, whatever is in it, so nothing can be found: choose a smaller -k",
        ),
    )
