"""Engines: where the rows live, and how they are handed over block by block."""

from robustnmf.engines.memory import MemoryBlocks, OutsideSupport

__all__ = ["MemoryBlocks", "OutsideSupport"]
