"""What was learned of a table, kept to judge other rows by it."""

from __future__ import annotations

import os
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.diagnosis import Diagnosis
from robustnmf._common.progress import Step
from robustnmf._common.text import first_of
from robustnmf._saving import RefusedError, load_parts, opened, save_parts
from robustnmf._tables.checks import cell_name
from robustnmf._tables.judgement import TableJudgement
from robustnmf._tables.judging import Judgement
from robustnmf._tables.numerals import NumberFormat
from robustnmf._tables.row_judges import RowJudge, RowsByCells
from robustnmf._tables.saved import BY_CELLS, BY_PARTS, fields_of
from robustnmf._tables.styles import Style
from robustnmf._tables.table import Table, TableError

# Columns that are told one by one.
_MOST_TOLD = 6


@dataclass(frozen=True)
class TableModel:
    """What was learned of a table: its columns, and how cells are judged.

    `clean_table` with `save_model` saves one, and with `model` takes one.

    Attributes
    ----------
    names : list of str
        The headings of the columns that are judged by one another.
    headings : list of str
        Those of all columns of the table, in their order.
    decimals : list of int or None
        How many decimals each column has.
    styles, formats : lists of Style and of NumberFormat
        How each writes its numbers.
    judge : RowJudge
    trust : Diagnosis
        How far what was learned can be trusted.
    n_rows : int
        Of the table.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from pathlib import Path
    >>> from robustnmf.tables import TableModel, clean_table
    >>> rng = np.random.default_rng(0)
    >>> rows = rng.gamma(3, 10, (90, 1)) * [1, 2, 3, 4] + rng.normal(0, 0.3, (90, 4))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = clean_table(rows[:80], save_model=Path(folder) / "m.robustnmf")
    ...     model = TableModel.load(Path(folder) / "m.robustnmf")
    >>> model.names, model.n_rows
    (['column 1', 'column 2', 'column 3', 'column 4'], 80)
    >>> rows[85, 2] *= 100
    >>> print(clean_table(rows[85:86], model=model))
    1 of 4 cells replaced, 0 more flagged; reliable
    """

    names: list[str]
    headings: list[str]
    decimals: list[int | None]
    styles: list[Style]
    formats: list[NumberFormat]
    judge: RowJudge
    trust: Diagnosis
    n_rows: int

    @classmethod
    def of(cls, table: Table, found: TableJudgement) -> TableModel:
        """Return what was learned of a table."""
        if found.judge is None:
            raise TableError(
                "there is no model to save: no column holds measurements that others could be "
                "judged by"
            )
        styles, formats = zip(*table.styles, strict=True)
        return cls(
            [column.name for column in table.columns],
            table.names,
            [column.decimals for column in table.columns],
            list(styles),
            list(formats),
            found.judge,
            found.diagnosis,
            table.n_rows,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save it to a file, which holds numbers and words and nothing that could be run."""
        kind = BY_CELLS if isinstance(self.judge, RowsByCells) else BY_PARTS
        save_parts(path, kind, fields_of(kind), self)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> TableModel:
        """Load what `save`, or `clean_table` with `save_model`, saved.

        Raises
        ------
        ValueError
            If the file is damaged, or no model of a table; the message says what to do.
        OSError
            If it cannot be read at all.
        """
        with opened(path) as found:
            if found.kind not in (BY_CELLS, BY_PARTS):
                raise RefusedError(
                    "it is no model of a table, as `robustnmf clean --save-model` and "
                    "`clean_table(..., save_model=...)` write it"
                )
            parts = load_parts(found, fields_of(found.kind))
        return cls(**parts)


def judge_by_model(table: Table, model: TableModel, progress: Step) -> tuple[Table, TableJudgement]:
    """Judge all rows of a table by what was learned of another, each by itself.

    Returns
    -------
    table : Table
        The same with the columns of the model alone; the others are carried along.
    judgement : TableJudgement
    """
    table = _matched(table, model)
    order = {column.name: j for j, column in enumerate(table.columns)}
    at = np.array([order[name] for name in model.names])
    parts = []
    for rows in table.blocks():
        progress("judging the cells", 0.1 + 0.8 * rows.start / table.n_rows)
        block = np.asarray(table.block(rows), dtype=float)
        if np.isinf(block).any():
            i, j = np.argwhere(np.isinf(block))[0]
            raise TableError(
                f"{cell_name(table, rows.start + i, j)} is infinite: correct it, or leave it empty"
            )
        parts.append(_in_order(model.judge.judge(block[:, at], rows.start), at))
    kinds = [model.judge.kinds[c] for c in np.argsort(at)]
    notes = [f"judged by what was learned from {model.n_rows:,} other rows, each row by itself"]
    more = sorted(set(table.carried) - set(model.headings))
    notes = [f"judged by what was learned from {model.n_rows:,} other rows, each row by itself"]
    if more:
        notes.append(
            f"not judged, as the model knows nothing of them: {first_of(more, _MOST_TOLD)}"
        )
    return table, TableJudgement(Judgement.joined(parts), model.trust, kinds, notes)


def _matched(table: Table, model: TableModel) -> Table:
    """Return the table with the columns of the model alone."""
    absent = [name for name in model.names if name not in table.names]
    if absent:
        raise TableError(
            f"there is no column {absent[0]!r}, which the model was learned from; there are "
            f"{first_of([repr(name) for name in table.names], _MOST_TOLD)}: rename it, or learn "
            "from a table like this one"
        )
    carried = set(table.carried)
    columns = zip(model.names, model.decimals, model.styles, model.formats, strict=True)
    for name, decimals, style, number_format in columns:
        if name in carried:
            table = table.with_empty(name, decimals, (style, number_format))
    table = copy(table)
    table.select(model.names, [], None)
    return table


def _in_order(found: Judgement, at: Array) -> Judgement:
    """Return cells with the positions that their columns have in a table."""
    columns = at[found.columns].astype(found.columns.dtype)
    order = np.lexsort((columns, found.rows))
    pieces: dict[str, Any] = {**vars(found), "columns": columns}
    return Judgement(**{name: piece[order] for name, piece in pieces.items()})
