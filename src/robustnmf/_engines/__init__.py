"""Engines: where the rows live, and how they are handed over block by block."""

from robustnmf._engines.axes import Written, flattened, lies_elsewhere
from robustnmf._engines.batches import batches, in_any_order, rows_of
from robustnmf._engines.choice import adopted, answered_later, engine_for
from robustnmf._engines.dask import Outline
from robustnmf._engines.masked import Unflagged
from robustnmf._engines.placed import Placed, in_numbers, on_host_rows, placed
from robustnmf._engines.sources import source_of, stored
from robustnmf._engines.stacking import (
    RowStack,
    dense,
    entries_of,
    joined,
    sparse_entries,
    sparse_rows,
    stack_rows,
    stacked,
)
from robustnmf._engines.threads import closed_after, single_threaded_blas

__all__ = [
    "Outline",
    "Placed",
    "RowStack",
    "Unflagged",
    "Written",
    "adopted",
    "answered_later",
    "batches",
    "closed_after",
    "dense",
    "engine_for",
    "entries_of",
    "flattened",
    "in_any_order",
    "in_numbers",
    "joined",
    "lies_elsewhere",
    "on_host_rows",
    "placed",
    "rows_of",
    "single_threaded_blas",
    "source_of",
    "sparse_entries",
    "sparse_rows",
    "stack_rows",
    "stacked",
    "stored",
]
