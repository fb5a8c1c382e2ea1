"""The parts of a table that was judged by its cells: what its rows are made of."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.progress import silent
from robustnmf._tables.fitting import PARTS, fit
from robustnmf._tables.judgement import Parts
from robustnmf._tables.prepare import prepared
from robustnmf._tables.settings import CleaningSettings
from robustnmf._tables.table import Table


class _Without:
    """A table whose flagged cells are missing."""

    def __init__(self, table: Table, mask: Callable[[slice], NDArray[np.bool_]]) -> None:
        self._table, self._mask = table, mask

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def block(self, rows: slice) -> NDArray[Any]:
        """Return some rows, without what is flagged in them."""
        block = self._table.block(rows)
        return np.where(self._mask(rows), np.nan, block).astype(block.dtype, copy=False)


def parts_of(
    table: Table, mask: Callable[[slice], NDArray[np.bool_]], settings: CleaningSettings
) -> Parts:
    """Learn the parts of a table from its cells that are not flagged.

    Parameters
    ----------
    table : Table
    mask : callable
        Given a slice of rows, returns where cells are flagged.
    settings : CleaningSettings
        How many parts, above all. Negative cells are shifted.

    Returns
    -------
    Parts
    """
    clean: Any = _Without(table, mask)
    how = replace(settings, lam=PARTS.lam, negative="shift")
    with prepared(clean, scale=how.scale, negative=how.negative) as data, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = fit(data.X, how, silent)
    return Parts.of(fitted, data)
