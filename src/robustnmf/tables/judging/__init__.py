"""Judging the cells of a table by what its other cells say of them.

`learning` learns from some rows; `decide` judges any rows with that; `verdict` says how far to
trust it.
"""

from robustnmf.tables.judging.decide import REASONS, Judgement, decide, stray_cells
from robustnmf.tables.judging.learned import Learned
from robustnmf.tables.judging.learning import learn_table
from robustnmf.tables.judging.repeats import HALO
from robustnmf.tables.judging.verdict import after, before, clear_gain

__all__ = [
    "HALO",
    "REASONS",
    "Judgement",
    "Learned",
    "after",
    "before",
    "clear_gain",
    "decide",
    "learn_table",
    "stray_cells",
]
