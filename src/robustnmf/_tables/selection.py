"""Which columns are used: all numbers, unless their owner says otherwise."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from robustnmf._common.text import first_of
from robustnmf._tables.table import TableError

# Headings that are told where a name is none of them.
_MOST_NAMED = 6


class ColumnError(TableError):
    """A column was named that the table does not have, or that cannot be used."""


def position_of(name: str, names: Sequence[str], numeric: Sequence[bool] | None = None) -> int:
    """Return the position of a column, named by its heading or by its number from 1 on.

    Parameters
    ----------
    name : str
        What the user typed.
    names : sequence of str
        All headings.
    numeric : sequence of bool, optional
        Which columns hold numbers; others are then refused.

    Returns
    -------
    int
        From 0 on.

    Examples
    --------
    >>> position_of("price", ["name", "price"]), position_of("1", ["name", "price"])
    (1, 0)
    """
    if name in names:
        position = list(names).index(name)
    elif name.isdecimal() and 1 <= int(name) <= len(names):
        position = int(name) - 1
    else:
        near = difflib.get_close_matches(name, names, n=1)
        known = first_of([repr(own) for own in names], _MOST_NAMED)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {known}"
        raise ColumnError(f"there is no column {name!r}: {hint}")
    if numeric is not None and not numeric[position]:
        raise ColumnError(
            f"column {names[position]!r} does not hold numbers only: it cannot be used"
        )
    return position


def chosen(
    names: Sequence[str], numeric: Sequence[bool], use: Sequence[str], ignore: Sequence[str]
) -> list[int]:
    """Return the positions of the columns to use.

    Parameters
    ----------
    names : sequence of str
        All headings.
    numeric : sequence of bool
        Which columns hold numbers.
    use, ignore : sequences of str
        Columns as the user named them. Without `use`, all that hold numbers are used.

    Returns
    -------
    list of int

    Examples
    --------
    >>> chosen(["id", "a", "b"], [True] * 3, use=[], ignore=["id"])
    [1, 2]
    """
    kept = {position_of(name, names, numeric) for name in use} if use else set(range(len(names)))
    left_out = {position_of(name, names) for name in ignore}
    found = [j for j in range(len(names)) if j in kept and numeric[j] and j not in left_out]
    if not found and (use or ignore):
        raise ColumnError("no column of numbers is left: use more columns or ignore fewer")
    return found
