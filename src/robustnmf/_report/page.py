"""The page around a report's sections: its head, its style, its links."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import NamedTuple

from robustnmf._common.text import visible


class Section(NamedTuple):
    """A part of a report; one without HTML is left out."""

    name: str
    """For links to it."""
    title: str
    html: str


def page(title: str, lead: str, sections: Sequence[Section], *, top: str = "", foot: str) -> str:
    """Return a whole HTML page.

    Parameters
    ----------
    title : str
        In plain words.
    lead : str
        HTML below the title: what this is.
    sections : sequence of Section
        Each gets a heading, and a link below the title.
    top : str
        HTML before the first section.
    foot : str
        HTML of the last line.

    Returns
    -------
    str
        HTML with its style in it.

    Examples
    --------
    >>> "<h2>Numbers</h2>" in page("Report", "", [Section("n", "Numbers", "<p>1</p>")], foot="")
    True
    """
    title = visible(title)
    shown = [section for section in sections if section.html]
    links = "".join(f'<a href="#{s.name}">{escape(s.title)}</a>' for s in shown)
    body = "".join(
        f'<section id="{s.name}"><h2>{escape(s.title)}</h2>{s.html}</section>' for s in shown
    )
    style = files("robustnmf._report").joinpath("style.css").read_text(encoding="utf-8")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
<header><div>
<h1>{escape(title)}</h1>
<p>{lead}</p>
<nav>{links}</nav>
</div></header>
<main>
{top}
{body}
<footer>{foot}</footer>
</main>
</body>
</html>
"""
