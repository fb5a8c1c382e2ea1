"""Text of others, such as names of columns and files, on its way to a screen or a page."""

from __future__ import annotations

import re
from collections.abc import Sequence

# What steers a terminal or turns the direction of writing, and what no encoding holds.
_HIDDEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def visible(text: str, *, keep: str = "") -> str:
    r"""Return a text with its control characters written out.

    Parameters
    ----------
    text : str
        Any.
    keep : str
        Control characters that stay, such as line ends.

    Returns
    -------
    str
        Of characters that are shown as they are.

    Examples
    --------
    >>> print(visible("flow\x1b[31m [m3/h]"))
    flow\x1b[31m [m3/h]
    """
    return _HIDDEN.sub(lambda found: _written(found[0], keep), text)


def _written(character: str, keep: str) -> str:
    return character if character in keep else character.encode("unicode_escape").decode("ascii")


def shortened(text: str, most: int) -> str:
    """Return a text of at most so many characters, with its middle left out.

    Parameters
    ----------
    text : str
        Any.
    most : int
        At least 3.

    Returns
    -------
    str

    Examples
    --------
    >>> shortened("temperature of the first sensor", 15)
    'tempera… sensor'
    """
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


def first_of(texts: Sequence[str], most: int) -> str:
    """Return the first of some texts in one line, and how many there are beside them.

    Examples
    --------
    >>> first_of(["a", "b", "c", "d"], 2)
    'a, b and 2 more'
    >>> first_of(["a", "b"], 2)
    'a, b'
    """
    shown = ", ".join(texts[:most])
    return f"{shown} and {len(texts) - most} more" if len(texts) > most else shown
