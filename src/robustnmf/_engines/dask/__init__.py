"""Rows in the partitions of a Dask array or data frame, wherever its scheduler has them.

Dask itself is imported only where somebody has given data of it.
"""

from robustnmf._engines.dask.data import Outline
from robustnmf._engines.dask.engine import DaskEngine

__all__ = ["DaskEngine", "Outline"]
