"""Engines: where the rows live, and how they are handed over block by block."""

from robustnmf._engines.choice import adopted, engine_for
from robustnmf._engines.memory import OutsideSupport
from robustnmf._engines.sources import in_order, source_of
from robustnmf._engines.stacking import RowStack, sparse_rows, stack_rows
from robustnmf._engines.threads import single_threaded_blas

__all__ = [
    "OutsideSupport",
    "RowStack",
    "adopted",
    "engine_for",
    "in_order",
    "single_threaded_blas",
    "source_of",
    "sparse_rows",
    "stack_rows",
]
