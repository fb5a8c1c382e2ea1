"""Judging the cells of a table by what its other cells say of them.

`learning` learns from some rows; `decide` judges any rows with that; `verdict` says how far to
trust it.
"""

from robustnmf._tables.judging.decide import REASONS, Judgement, decide, stray_cells
from robustnmf._tables.judging.learned import Learned
from robustnmf._tables.judging.learning import learn_table
from robustnmf._tables.judging.repeats import HALO
from robustnmf._tables.judging.verdict import after, before, clear_gain

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
