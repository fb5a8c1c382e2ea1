"""How a table is cleaned: every setting, its default and its check, in one place.

`clean_table` and ``robustnmf clean`` take their defaults from here, so they cannot differ. Loads
nothing, so that the help of the command line can show them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from robustnmf._common.checks import (
    check_choice,
    check_count,
    check_positive,
    check_seed,
    count_or_auto,
    is_auto,
)
from robustnmf._core.penalties import PENALTIES

SCALES = ("auto", "columns", "none")
NEGATIVES = ("judge", "refuse", "shift", "missing")


@dataclass(frozen=True)
class CleaningSettings:
    """How a table is cleaned.

    A default is that of `robustnmf.RobustNMF` for the parameter of the same name, unless what is
    said of it names `RobustNMF` and the reason why it differs.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        How many parts to learn. `RobustNMF` takes 10; a table may have fewer columns than that, so
        here the number is inferred.
    lam : float or "auto", default="auto"
        How cells are judged: ``"auto"`` by the cells that go with them; at a price of noise by the
        table's parts alone, where smaller flags more. `RobustNMF` takes 0.04, as the paper does; a
        table is seldom a sum of parts, so here that has to be asked for.
    penalty : {"squared_l1", "squared_l0"}, default="squared_l1"
        What noise costs.
    scale : {"auto", "columns", "none"}, default="auto"
        Whether columns are brought to one unit before their parts are learned; ``"auto"`` does so
        if their usual sizes differ more than tenfold.
    negative : {"judge", "refuse", "shift", "missing"}, default="judge"
        What negative cells are: judged like any others (with a number for `lam` they cannot be, and
        are refused), refused, part of a column that is shifted up, or all wrong.
    fill_missing : bool, default=True
        Whether missing cells get their expected value.
    max_iter : int, default=500
        The most iterations.
    random_state : int, RandomState or None, default=0
        Seeds the start. `RobustNMF` takes None, which differs from fit to fit; the same file has to
        give the same clean file every time.

    Raises
    ------
    TypeError, ValueError
        If a value means nothing; the message names the parameter, the value and what it may be.

    Examples
    --------
    >>> CleaningSettings(scale="colums")
    Traceback (most recent call last):
    ValueError: scale must be one of 'auto', 'columns', 'none'; got 'colums'
    """

    n_components: Any = "auto"
    lam: Any = "auto"
    penalty: str = "squared_l1"
    scale: str = "auto"
    negative: str = "judge"
    fill_missing: bool = True
    max_iter: int = 500
    random_state: Any = 0

    def __post_init__(self) -> None:
        count_or_auto("n_components", self.n_components)
        if not self.judged_by_cells:
            check_positive("lam", self.lam, "Try 0.04, or 'auto' to judge cells by one another.")
        check_choice("penalty", self.penalty, PENALTIES)
        check_choice("scale", self.scale, SCALES)
        check_choice("negative", self.negative, NEGATIVES)
        check_choice("fill_missing", self.fill_missing, (True, False))
        check_count("max_iter", self.max_iter)
        check_seed(self.random_state)

    @property
    def judged_by_cells(self) -> bool:
        """Whether cells are judged by one another, and not by the table's parts."""
        return is_auto(self.lam)
