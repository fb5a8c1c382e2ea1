"""Engines: where the rows live, and how they are handed over block by block."""

from robustnmf._engines.memory import MemoryBlocks, OutsideSupport, sparse_rows, stack_rows
from robustnmf._engines.threads import single_threaded_blas

__all__ = ["MemoryBlocks", "OutsideSupport", "single_threaded_blas", "sparse_rows", "stack_rows"]
