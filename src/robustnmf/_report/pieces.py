"""What reports are made of: tables, lists of facts, pictures inside the page."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape

from robustnmf._common.text import visible

# More columns than this do not fit side by side on a phone.
MOST_ON_A_PHONE = 5


def table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; on a narrow screen, one with many columns becomes a list for each row.

    Parameters
    ----------
    title : str
        Its caption; may be empty.
    head : sequence of str
        Names of the columns.
    rows : iterable of sequences of str
        The cells.

    Returns
    -------
    str
        HTML.
    """
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    top = "".join(f"<th>{_shown(cell)}</th>" for cell in head)
    wide = len(head) > MOST_ON_A_PHONE
    body = "".join("<tr>" + _cells(row, head if wide else None) + "</tr>" for row in rows)
    kind = ' class="wide"' if wide else ""
    return (
        f'<div class="scroll"><table{kind}>{caption}'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cells(row: Sequence[str], names: Sequence[str] | None) -> str:
    if names is None:
        return "".join(f"<td>{_shown(cell)}</td>" for cell in row)
    return "".join(
        f'<td data-label="{_shown(name)}">{_shown(cell)}</td>'
        for name, cell in zip(names, row, strict=True)
    )


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Return names and values, a line each.

    Parameters
    ----------
    rows : iterable of (name, value)
        In plain words.

    Returns
    -------
    str
        HTML.
    """
    cells = "".join(
        f'<tr><td>{_shown(name)}</td><td class="text">{_shown(value)}</td></tr>'
        for name, value in rows
    )
    return f'<div class="scroll"><table>{cells}</table></div>'


def embedded(content: bytes, kind: str) -> str:
    """Return the address of a picture that lies in the page itself.

    Parameters
    ----------
    content : bytes
        The picture's file.
    kind : str
        Its media type, e.g. ``"image/png"``.

    Returns
    -------
    str
        For ``src``.

    Examples
    --------
    >>> embedded(b"GIF89a", "image/gif")
    'data:image/gif;base64,R0lGODlh'
    """
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _shown(text: str) -> str:
    return escape(visible(text))
