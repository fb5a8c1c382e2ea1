"""Tables: a frame, an array or a file in, the same with only the wrong cells changed out."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from robustnmf._tables.cleaning import clean_table
    from robustnmf._tables.formats import read_table, write_table
    from robustnmf._tables.model import TableModel
    from robustnmf._tables.result import Cell, CleaningResult
    from robustnmf._tables.table import Table, TableError

__all__ = [
    "Cell",
    "CleaningResult",
    "Table",
    "TableError",
    "TableModel",
    "clean_table",
    "read_table",
    "write_table",
]
_HOMES = {
    "cleaning": ("clean_table",),
    "formats": ("read_table", "write_table"),
    "model": ("TableModel",),
    "result": ("Cell", "CleaningResult"),
    "table": ("Table", "TableError"),
}


def __getattr__(name: str) -> Any:
    # The command line's --help lists the formats, and must not wait for the numerics.
    for module, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"robustnmf._tables.{module}"), name)
    raise AttributeError(f"module 'robustnmf.tables' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
