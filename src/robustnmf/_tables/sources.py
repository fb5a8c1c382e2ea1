"""From whatever holds a table to a `Table`: frames, arrays, names of files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._tables.arrays import ArrayTable
from robustnmf._tables.frames import PandasTable, PolarsTable
from robustnmf._tables.table import Changes, Table, structured

_KINDS = "a pandas or polars DataFrame, a 2-D array, the name of a file, or a Table"


def as_table(data: Any) -> Table:
    """Return the table that something holds.

    Parameters
    ----------
    data : DataFrame, array, str, Path or Table

    Returns
    -------
    Table

    Examples
    --------
    >>> as_table(np.ones((3, 2))).shape
    (3, 2)
    """
    if isinstance(data, Table):
        return data
    if isinstance(data, str | os.PathLike):
        from robustnmf._tables.formats import read_table

        return read_table(data)
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return PandasTable(data)
    if polars is not None and isinstance(data, polars.DataFrame):
        return PolarsTable(data)
    if isinstance(data, np.ndarray) and not isinstance(data, np.ma.MaskedArray):
        return GivenArray(data)
    raise TypeError(f"data must be {_KINDS}; got {type(data).__name__}{_advice(data)}")


def _advice(data: Any) -> str:
    """Return how to make a table of what is nearly one."""
    if isinstance(data, np.ma.MaskedArray):
        return ": pass X.filled(numpy.nan)"
    if isinstance(data, list | tuple):
        return ": pass numpy.asarray(X)"
    for method, words in (("collect", "X.collect()"), ("to_frame", "X.to_frame()")):
        if hasattr(data, method):
            return f": pass {words}"
    return ": pass X.toarray()" if hasattr(data, "toarray") else ""


class GivenArray(ArrayTable):
    """An array that its owner holds, and gets back as one.

    Parameters
    ----------
    data : ndarray
        Never modified.
    """

    def repaired(self, changes: Changes) -> NDArray[Any]:
        """Return a copy of the array with some cells changed, in its own type."""
        new = np.array(self.data)
        for rows in self.blocks():
            new[rows] = self.changed(rows, changes)
        return new

    def like_data(
        self, make: Callable[[slice], NDArray[Any]], dtype: np.dtype[Any]
    ) -> NDArray[Any]:
        """Return numbers that go with the cells as an array of the same shape."""
        whole = np.zeros(self.data.shape, dtype=dtype)
        for rows in self.blocks():
            whole[rows, self.positions] = make(rows)
        return whole

    def listed(
        self, rows: NDArray[Any], columns: NDArray[Any], more: Mapping[str, Sequence[Any]]
    ) -> NDArray[Any]:
        """Return some cells, by two numbers from 0 on, as a structured array."""
        return structured({"row": rows, "column": np.asarray(self.positions)[columns], **more})
