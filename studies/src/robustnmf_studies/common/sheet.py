"""A table of words: the terminal, the report and the documentation print the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Sheet(NamedTuple):
    """A table, ready to be printed: its title, the head of each column, and the rows."""

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def to_markdown(sheet: Sheet) -> str:
    r"""Write a table for the documentation, without its title.

    Parameters
    ----------
    sheet : Sheet
        The table.

    Returns
    -------
    str

    Examples
    --------
    >>> print(to_markdown(Sheet("t", ("a", "b"), [("1", "2|3")])))
    | a | b |
    |---|---|
    | 1 | 2\|3 |
    """
    lines = [sheet.headings, *sheet.rows]
    text = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]
    return "\n".join([text[0], "|" + "---|" * len(sheet.headings), *text[1:]])
