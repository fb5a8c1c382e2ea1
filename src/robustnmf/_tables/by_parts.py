"""Judging a table by its parts alone, at a price of noise that its owner gives.

This is the method of the paper on a table: all columns in one unit, W H for what is expected, and
every cell that the noise model calls corrupt is replaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.diagnosis import DOUBTFUL, RELIABLE, Diagnosis
from robustnmf._common.progress import Step, part
from robustnmf._tables.fitting import Fitted, fit
from robustnmf._tables.judgement import Parts, TableJudgement
from robustnmf._tables.judging import Judgement
from robustnmf._tables.prepare import Scaling, prepared
from robustnmf._tables.row_judges import RowsByParts
from robustnmf._tables.settings import CleaningSettings
from robustnmf._tables.table import Table


def judge_by_parts(table: Table, settings: CleaningSettings, progress: Step) -> TableJudgement:
    """Learn the parts of a table and judge all cells by them.

    Parameters
    ----------
    table : Table
    settings : CleaningSettings
        With a number for `lam`.
    progress : callable
        Told what begins, and the share of the work that lies behind.

    Returns
    -------
    TableJudgement
        With the parts.
    """
    progress("looking through", 0.05)
    with prepared(table, scale=settings.scale, negative=settings.negative) as data:
        progress("learning the parts", 0.15)
        fitted = fit(data.X, settings, part(partial(progress, "learning the parts"), 0.15, 0.8))
        shape = data.X.shape
    progress("judging the cells", 0.8)
    judge = RowsByParts(
        fitted.model,
        data.scaling,
        *_ranges(table, fitted, data.scaling, data.fitted_row),
        [column.decimals for column in table.columns],
    )
    cells = Judgement.joined(_judged(table, fitted, judge, data.fitted_row))
    trust = _trust(fitted.model, shape)
    parts = Parts.of(fitted, data)
    return TableJudgement(cells, trust, judge.kinds, fitted.notes, parts, judge)


def _judged(
    table: Table, fitted: Fitted, judge: RowsByParts, fitted_row: Array
) -> Iterator[Judgement]:
    index = np.int32 if table.n_rows < 2**31 else np.int64
    for rows in table.blocks():
        at = fitted_row[rows]
        known = at >= 0
        values = np.asarray(table.block(rows), dtype=float)
        expected = np.full(values.shape, np.nan)
        expected[known] = judge.scaling.back(fitted.W[at[known]] @ fitted.model.components_)
        corrupt = _corrupt(fitted, judge.scaling, at, values)
        found = judge.cells(values, expected, corrupt, known, rows.start)
        yield replace(
            found,
            rows=found.rows.astype(index),
            values=found.values.astype(table.dtype),
            expected=found.expected.astype(table.dtype),
        )


def _corrupt(fitted: Fitted, scaling: Scaling, at: Array, values: Array) -> Array:
    corrupt = np.zeros(values.shape, dtype=bool)
    known = at >= 0
    corrupt[known] = fitted.flagged[at[known]].toarray() != 0
    return corrupt | scaling.hopeless(values)


def _ranges(
    table: Table, fitted: Fitted, scaling: Scaling, fitted_row: Array
) -> tuple[Array, Array]:
    """Return the range of the cells of each column that are not called corrupt."""
    m = len(table.columns)
    low, high = np.full(m, np.inf), np.full(m, -np.inf)
    for rows in table.blocks():
        values = np.asarray(table.block(rows), dtype=float)
        values[_corrupt(fitted, scaling, fitted_row[rows], values)] = np.nan
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
