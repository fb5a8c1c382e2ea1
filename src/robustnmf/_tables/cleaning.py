"""Cleaning a table: judge every cell, say why, and replace only what is clearly wrong."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from os import PathLike
from typing import Any

from robustnmf._common.checks import is_auto
from robustnmf._common.diagnosis import TrustWarning
from robustnmf._common.progress import Step, silent
from robustnmf._common.text import first_of
from robustnmf._saving import check_target
from robustnmf._tables.by_witnesses import judge_by_witnesses
from robustnmf._tables.checks import check_table
from robustnmf._tables.judgement import TableJudgement, not_judged
from robustnmf._tables.model import TableModel, judge_by_model
from robustnmf._tables.result import CleaningResult
from robustnmf._tables.room import require_parts
from robustnmf._tables.settings import CleaningSettings
from robustnmf._tables.sources import as_table
from robustnmf._tables.table import Table

# Columns that are told one by one.
_MOST_TOLD = 12


def clean_table(
    data: Any,
    *,
    use: str | Sequence[Any] = (),
    ignore: str | Sequence[Any] = (),
    index: Any = None,
    n_components: Any = CleaningSettings.n_components,
    lam: Any = CleaningSettings.lam,
    penalty: str = CleaningSettings.penalty,
    scale: str = CleaningSettings.scale,
    negative: str = CleaningSettings.negative,
    fill_missing: bool = CleaningSettings.fill_missing,
    max_iter: int = CleaningSettings.max_iter,
    random_state: Any = CleaningSettings.random_state,
    model: Any = None,
    save_model: str | PathLike[str] | None = None,
    progress: Step | None = None,
) -> CleaningResult:
    """Find the wrong cells of a table, and replace those that are surely wrong.

    Each cell is judged by the cells that go with it; with a number for `lam`, by the table's parts
    alone. What is only suspicious is flagged and left as it is. Columns that hold no numbers are
    carried along.

    Parameters
    ----------
    data : pandas or polars DataFrame, array of shape (n_rows, n_columns), str, Path or Table
        The cells; a str or Path names a file, which is read as `read_table` does. NaN, None and
        missing values of nullable types are missing cells. Never modified.
    use, ignore : str or sequence of str
        Columns to use, and to leave alone, by their name or their number from 1 on. By default all
        that hold numbers are used.
    index : str, optional
        The column that names the rows. By default the first one, if it holds words or counts rows.
    n_components : int or "auto", default="auto"
        How many parts to learn. `RobustNMF` takes 10; here the number is inferred.
    lam : float or "auto", default="auto"
        How cells are judged: ``"auto"`` by one another, at a price of noise by the table's parts
        alone, where smaller flags more. `RobustNMF` takes 0.04, as the paper does.
    penalty : {"squared_l1", "squared_l0"}, default="squared_l1"
        What noise costs, with a number for `lam`.
    scale : {"auto", "columns", "none"}, default="auto"
        Whether columns are brought to one unit before their parts are learned; ``"auto"`` does so
        if their usual sizes differ more than tenfold.
    negative : {"judge", "refuse", "shift", "missing"}, default="judge"
        What negative cells are: judged like any others (with a number for `lam` they cannot be, and
        are refused), refused, part of a column that is shifted up, or all wrong.
    fill_missing : bool, default=True
        Whether missing cells get their expected value.
    max_iter : int, default=500
        The most iterations.
    random_state : int, RandomState or None, default=0
        Seeds the start. `RobustNMF` takes None, which differs from fit to fit; the same table
        should give the same answer.
    model : TableModel, str or path-like, optional
        What was learned of another table, or the file it was saved to: nothing is learned from this
        one, and each row is judged by itself. Columns are found by their names, in any order. All
        that says how cells are judged is in it, so no other setting but `fill_missing` may differ
        from its default.
    save_model : str or path-like, optional
        The file to which to save what was learned, to judge other tables by it.
    progress : callable, optional
        Called as ``progress(what, share)`` before each step.

    Returns
    -------
    CleaningResult
        `data`, the repaired data of the kind that was given; `mask`, where cells are flagged;
        `changes`, why; `diagnosis`, how far to trust it; `report()`, a page that shows it all.

    Raises
    ------
    TypeError
        If the data are of no known kind.
    ValueError
        If a setting means nothing.
    TableError
        If the table cannot be cleaned; the message says why.

    Warns
    -----
    TrustWarning
        If the result should not be relied on without looking; `CleaningResult.diagnosis` says why.
        Then only what is beyond doubt is replaced.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> sizes = rng.gamma(3, 10, (60, 1)).round()
    >>> cells = sizes * [1, 2, 3, 4, 5] + rng.normal(0, 0.3, (60, 5))
    >>> df = pd.DataFrame(cells.round(1), columns=list("abcde"))
    >>> df.insert(0, "shop", [f"shop {i}" for i in range(60)])
    >>> df.loc[3, "d"] *= 10
    >>> result = clean_table(df)
    >>> print(result)
    1 of 300 cells replaced, 0 more flagged; reliable
    >>> result.changes.drop(columns="probability")
       row column   value  expected                    reason  replaced
    0    3      d  2161.0     216.1  point in the wrong place      True
    >>> float(result.data.loc[3, "d"])
    216.1
    >>> result.mask.loc[3].tolist()
    [False, False, False, False, True, False]
    """
    settings = CleaningSettings(
        n_components=n_components,
        lam=lam,
        penalty=penalty,
        scale=scale,
        negative=negative,
        fill_missing=fill_missing,
        max_iter=max_iter,
        random_state=random_state,
    )
    if model is not None:
        _refuse_beside_model(settings, use=use, ignore=ignore, save_model=save_model)
        model = model if isinstance(model, TableModel) else TableModel.load(model)
    if save_model is not None:
        check_target(save_model)
    table = as_table(data)
    if use or ignore or index is not None:
        table = copy(table)
        table.select(_names(use), _names(ignore), None if index is None else str(index))
    tell = progress or silent
    if model is not None:
        result = _judged_by(model, table, settings, tell)
    else:
        result = _judged(table, settings, tell, save_model)
    if not result.diagnosis.trusted:
        warnings.warn(
            f"{result.diagnosis}; only what is beyond doubt is replaced, all else is flagged",
            TrustWarning,
            stacklevel=2,
        )
    return result


def _names(columns: Any) -> list[str]:
    return [columns] if isinstance(columns, str) else [str(column) for column in columns]


def _refuse_beside_model(settings: CleaningSettings, **others: Any) -> None:
    """Refuse what a model says already."""
    own = vars(replace(settings, fill_missing=CleaningSettings.fill_missing))
    given = [name for name, value in own.items() if value != getattr(CleaningSettings, name)]
    given += [name for name, value in others.items() if value]
    if given:
        raise ValueError(
            f"model says how cells are judged, and of which columns: leave out {given[0]}"
        )


def _judged(
    table: Table, settings: CleaningSettings, tell: Step, save_model: Any
) -> CleaningResult:
    if not is_auto(settings.n_components):
        require_parts(table.shape, settings.n_components)
    tell("looking through", 0.05)
    notes = [*table.notes, *check_table(table, settings.negative)]
    if settings.judged_by_cells:
        keep = save_model is not None
        found = judge_by_witnesses(table, settings.negative == "missing", tell, keep=keep)
        notes += _about_columns(table, found.kinds)
    else:
        # The factorization loads scikit-learn, for which those who need none must not wait.
        from robustnmf._tables.by_parts import judge_by_parts

        found = judge_by_parts(table, settings, tell)
    if save_model is not None:
        TableModel.of(table, found).save(save_model)
    return _result(table, settings, found, notes)


def _judged_by(
    model: TableModel, table: Table, settings: CleaningSettings, tell: Step
) -> CleaningResult:
    tell("looking through", 0.05)
    notes = list(table.notes)
    table, found = judge_by_model(table, model, tell)
    return _result(table, settings, found, notes)


def _result(
    table: Table, settings: CleaningSettings, found: TableJudgement, notes: list[str]
) -> CleaningResult:
    result = CleaningResult(
        table,
        settings,
        found.diagnosis,
        found.cells,
        found.kinds,
        found.parts,
        [*notes, *found.notes],
    )
    return result.without_fixed()


def _about_columns(table: Table, kinds: list[str]) -> list[str]:
    """Say which columns are not judged, and why."""
    alone = not_judged(table, kinds)
    if not alone:
        return []
    return [f"not judged, as they hold no measurements: {first_of(alone, _MOST_TOLD)}"]
