"""Judging a table by its other cells: read some rows, learn, then go through all rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.diagnosis import gravest
from robustnmf._common.progress import Step, part
from robustnmf._tables.judgement import TableJudgement
from robustnmf._tables.judging import (
    REPEAT,
    Judgement,
    Learned,
    after,
    before,
    beyond_doubt,
    clear_gain,
    decide,
    learn_table,
    stray_cells,
)
from robustnmf._tables.judging.columns import Columns
from robustnmf._tables.row_judges import RowsByCells
from robustnmf._tables.table import Table


@dataclass(frozen=True)
class SampleSettings:
    """From which rows of a large table is learned.

    No study chose them: what is learned hardly changes with more, while the time does.
    """

    # No more cells than this, ...
    cells: int = 500_000
    # ... but at least so many rows.
    rows: int = 2000
    # Rows are taken in runs of this many, so that most have their neighbours beside them.
    run: int = 64


SAMPLE = SampleSettings()


def judge_by_witnesses(
    table: Table, negative_wrong: bool, progress: Step, *, keep: bool = False
) -> TableJudgement:
    """Judge all cells of a table by the cells that go with them.

    Parameters
    ----------
    table : Table
    negative_wrong : bool
        Whether negative cells are wrong whatever the others say.
    progress : callable
        Told what begins, and the share of the work that lies behind.
    keep : bool, default=False
        Whether to learn, too, what judges other rows one by one.

    Returns
    -------
    TableJudgement
    """
    names = [column.name for column in table.columns]
    decimals = [column.decimals for column in table.columns]
    rows = rows_to_learn_from(*table.shape)
    progress("learning", 0.1)
    sample = _without_negative(_read(table, rows), negative_wrong)
    learned = learn_table(sample, names, decimals, part(partial(progress, "learning"), 0.1, 0.6))
    notes = []
    if len(rows) < table.n_rows:
        notes.append(f"learned from {len(rows):,} of {table.n_rows:,} rows; all were judged")
    trust = before(learned)
    if learned is None:
        columns = Columns.of(sample, names)
        strays = Judgement.joined(
            stray_cells(columns, np.asarray(table.block(block), dtype=float), block.start)
            for block in table.blocks()
        )
        return TableJudgement(strays, trust, [kind.name for kind in columns.kinds], notes)
    parts, cells = [], 0
    for block in table.blocks():
        progress("judging the cells", 0.6 + 0.3 * block.start / table.n_rows)
        found, known = _judge_block(table, learned, block, not trust.trusted, negative_wrong)
        parts.append(found)
        cells += known
    everything = Judgement.joined(parts)
    trust = gravest(trust, after(learned, everything, names, cells))
    clear = clear_gain(learned, everything)
    if not trust.trusted:
        # What came out is not credible as a whole, so only what is beyond doubt is done.
        everything = beyond_doubt(everything)
    elif not clear:
        sure = beyond_doubt(everything)
        left = int(everything.replaced.sum() - sure.replaced.sum())
        what = "1 odd cell is" if left == 1 else f"{left} odd cells are"
        notes.append(f"{what} flagged only: too few to tell mistakes from what is merely unusual")
        everything = sure
    judge = None
    if keep:
        progress("learning to judge other rows", 0.9)
        # Rows that come one by one have none beside them.
        alone = learn_table(sample, names, decimals, lambda share: None, beside=False)
        assert alone is not None
        cautious = not (clear and gravest(trust, before(alone)).trusted)
        judge = RowsByCells(alone.for_new_rows(), cautious, negative_wrong)
    kinds = [kind.name for kind in learned.columns.kinds]
    return TableJudgement(everything, trust, kinds, notes, judge=judge)


def rows_to_learn_from(n: int, m: int) -> Array:
    """Return the numbers of the rows to learn from: all, or runs of rows at even steps.

    Examples
    --------
    >>> len(rows_to_learn_from(500, 10)), len(rows_to_learn_from(10_000_000, 10))
    (500, 49984)
    """
    most = max(SAMPLE.rows, SAMPLE.cells // m)
    if n <= most:
        return np.arange(n)
    runs = max(1, most // SAMPLE.run)
    starts = np.linspace(0, n - SAMPLE.run, runs).astype(np.int64)
    return (starts[:, None] + np.arange(SAMPLE.run)).ravel()


def _read(table: Table, rows: Array) -> Array:
    parts = []
    for block in table.blocks():
        inside = rows[(rows >= block.start) & (rows < block.stop)] - block.start
        if len(inside):
            parts.append(np.asarray(table.block(block), dtype=np.float64)[inside])
    return np.concatenate(parts)


def _judge_block(
    table: Table, learned: Learned, block: slice, cautious: bool, negative_wrong: bool
) -> tuple[Judgement, int]:
    """Judge some rows, with a few on either side in sight."""
    first = max(0, block.start - REPEAT.halo)
    stop = min(block.stop + REPEAT.halo, table.n_rows)
    X = np.asarray(table.block(slice(first, stop)), dtype=float)
    seen = _without_negative(X, negative_wrong)
    found = decide(learned, seen, first, cautious)
    found = found.only((found.rows >= block.start) & (found.rows < block.stop))
    own = X[block.start - first : block.stop - first]
    known = int((~np.isnan(own[:, learned.columns.used[learned.columns.judged]])).sum())
    return found.with_values(X, first) if negative_wrong else found, known


def _without_negative(X: Array, wrong: bool) -> Array:
    return np.where(X < 0, np.nan, X) if wrong else X
