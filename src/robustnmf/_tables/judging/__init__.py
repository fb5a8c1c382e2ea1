"""Judging the cells of a table by what its other cells say of them.

`learning` learns from some rows; `decide` judges any rows with that; `verdict` says how far to
trust it.

The numbers on which a step depends are its settings, at the top of its module, or constants where
one stands alone. All were chosen on the first edition of the study of trust (``robustnmf reproduce
trust-tuning``); docs/trust.md has what they reach on the second, on which nothing was chosen.
"""

from robustnmf._tables.judging.cells import REASONS, Judgement
from robustnmf._tables.judging.decide import beyond_doubt, decide, stray_cells
from robustnmf._tables.judging.learned import Learned
from robustnmf._tables.judging.learning import learn_table
from robustnmf._tables.judging.repeats import REPEAT
from robustnmf._tables.judging.verdict import after, before, clear_gain

__all__ = [
    "REASONS",
    "REPEAT",
    "Judgement",
    "Learned",
    "after",
    "before",
    "beyond_doubt",
    "clear_gain",
    "decide",
    "learn_table",
    "stray_cells",
]
