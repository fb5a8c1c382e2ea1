"""Tables of Arrow, and Parquet files: columns in batches, read as rows.

Who gives one has imported pyarrow, so nothing is imported here to tell them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array

Give = Callable[[int], Iterator[Any]]
"""Gives record batches of at most so many rows, in order, and begins anew each time."""


class ArrowTable:
    """What some Arrow object is to us: columns of numbers, some rows at a time.

    Parameters
    ----------
    name : str
        What to call it in errors.
    schema : pyarrow.Schema
    n_rows : int
    give : callable

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = ArrowTable.of(pa.table({"a": [1, None, 3], "b": [0.5, 1.5, 2.5]}))
    >>> table.shape, table.dtype
    ((3, 2), dtype('float64'))
    >>> next(table.read(2))
    array([[1. , 0.5],
           [nan, 1.5]])
    """

    def __init__(self, name: str, schema: Any, n_rows: int, give: Give) -> None:
        self.shape = (n_rows, len(schema))
        dtypes = [_dtype(name, field) for field in schema]
        self.dtype = np.result_type(*dtypes) if dtypes else np.dtype(float)
        # Of no rows: scikit-learn asks it for the names of features.
        self.header = schema.empty_table()
        self._give = give

    @staticmethod
    def of(X: Any, name: str = "X") -> ArrowTable | None:
        """Return what an Arrow object is to us, or None for all else."""
        arrow = sys.modules.get("pyarrow")
        if arrow is None:
            return None
        if isinstance(X, arrow.RecordBatch):
            X = arrow.Table.from_batches([X])
        if isinstance(X, arrow.Table):
            return ArrowTable(name, X.schema, X.num_rows, lambda n: iter(X.to_batches(n)))
        dataset, parquet = (sys.modules.get(f"pyarrow.{name}") for name in ("dataset", "parquet"))
        if dataset is not None and isinstance(X, dataset.Dataset):
            return ArrowTable(name, X.schema, X.count_rows(), lambda n: _scanned(X, n))
        if parquet is not None and isinstance(X, parquet.ParquetFile):
            n_rows = X.metadata.num_rows
            return ArrowTable(name, X.schema_arrow, n_rows, lambda n: X.iter_batches(n))
        return None

    def read(self, n_rows: int) -> Iterator[Array]:
        """Give all rows, at most so many at a time; NaN where a value is missing."""
        for batch in self._give(n_rows):
            if batch.num_rows:
                yield _matrix(batch, self.dtype)


def _scanned(dataset: Any, n_rows: int) -> Iterator[Any]:
    # What Arrow reads ahead is held in memory, and others work meanwhile in any case.
    ahead = {"batch_readahead": 1, "fragment_readahead": 1}
    batches: Iterator[Any] = dataset.to_batches(batch_size=n_rows, **ahead)
    return batches


def _dtype(name: str, field: Any) -> np.dtype:
    """Return what a column is as numbers, or say that it is none."""
    types, kind = sys.modules["pyarrow"].types, field.type
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        return np.dtype(kind.to_pandas_dtype())
    if types.is_decimal(kind):
        return np.dtype(float)
    raise TypeError(
        f"{name}: column {field.name!r} holds {kind}, not numbers; leave it out, for example by "
        "Table.select(names), or of a data set by Dataset.replace_schema(schema)"
    )


def _matrix(batch: Any, dtype: np.dtype) -> Array:
    """Return the columns of a batch side by side, each of them in one piece."""
    if dtype.kind != "f" and any(column.null_count for column in batch.columns):
        dtype = np.dtype(float)
    # To make rows of columns is left to the threads that work on blocks.
    columns = np.empty((batch.num_columns, batch.num_rows), dtype)
    for into, column in zip(columns, batch.columns, strict=True):
        into[:] = _numbers(column)
    return columns.T


def _numbers(column: Any) -> Array:
    """Return a column as numbers, with NaN for those that are missing."""
    types = sys.modules["pyarrow"].types
    if types.is_decimal(column.type):
        column = column.cast("float64")
    elif types.is_boolean(column.type):
        # With missing ones it would be an array of objects.
        column = column.cast("uint8")
    numbers: Array = column.to_numpy(zero_copy_only=False)
    return numbers
