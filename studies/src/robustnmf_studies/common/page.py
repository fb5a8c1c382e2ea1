"""The frame that the reports of all studies share."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf._report import Section, embedded, facts, page
from robustnmf_studies.common.drawing import LegendEntry
from robustnmf_studies.common.storage import Storage


def write_page(
    storage: Storage,
    title: str,
    lead: str,
    top: str,
    sections: Sequence[tuple[str, str, str]],
    about: Mapping[str, Any],
) -> Path:
    """Write ``report.html``.

    Parameters
    ----------
    storage : Storage
        Where it goes.
    title, lead : str
        Plain words for the head of the page.
    top : str
        HTML before the first section.
    sections : sequence of (name, title, HTML)
        Those without HTML are left out.
    about : mapping
        How the numbers came about.

    Returns
    -------
    Path
        The file.
    """
    foot = (
        f"Written by robustnmf {escape(str(about.get('versions', {}).get('robustnmf', '')))}. "
        "All verdicts are computed from the numbers in this folder."
    )
    parts = [Section(*section) for section in sections]
    return storage.write_text("report.html", page(title, escape(lead), parts, top=top, foot=foot))


def legend_html(entries: Sequence[LegendEntry]) -> str:
    """Return what the lines of a figure mean, one legend for all its panels."""
    items = []
    for label, look in entries:
        dash = look.get("ls", "-")
        pattern = "" if dash == "-" else ",".join(str(2 * part) for part in dash[1])
        dashes = f' stroke-dasharray="{pattern}"' if pattern else ""
        dot = f'<circle cx="19" cy="6" r="4" fill="{look["color"]}"/>' if "marker" in look else ""
        items.append(
            f'<li><svg viewBox="0 0 38 12" aria-hidden="true"><line x1="0" x2="38" y1="6" y2="6" '
            f'stroke="{look["color"]}" stroke-width="2.4"{dashes}/>{dot}</svg>{escape(label)}</li>'
        )
    return f'<ul class="legend">{"".join(items)}</ul>' if items else ""


def panels_html(panels: Sequence[tuple[str, str]], *, two: bool = False) -> str:
    """Return panels side by side, as many as the screen is wide for.

    Parameters
    ----------
    panels : sequence of (description, SVG)
        What each says to someone who cannot see it, and the picture.
    two : bool, default=False
        At most two in a row.

    Returns
    -------
    str
    """
    figures = "".join(f"<figure>{_image(words, svg)}</figure>" for words, svg in panels)
    return f'<div class="panels{" two" if two else ""}">{figures}</div>'


def _image(words: str, svg: str) -> str:
    # As pictures, not as part of the page: the names inside them would clash with one another.
    source = embedded(svg.encode(), "image/svg+xml")
    return f'<img style="width:100%" alt="{escape(words)}" src="{source}">'


def jpeg(picture: NDArray[np.uint8]) -> str:
    """Return a picture as the address that an ``img`` element shows."""
    image = import_extra("PIL.Image", "plot", "pictures need")
    file = io.BytesIO()
    image.fromarray(picture).save(file, format="JPEG", quality=85)
    return embedded(file.getvalue(), "image/jpeg")


def settings_html(about: Mapping[str, Any], more: Sequence[tuple[str, str]], seeds: str) -> str:
    """Return how the numbers came about.

    Parameters
    ----------
    about : mapping
        What `robustnmf_studies.common.resume.run_missing` wrote down.
    more : sequence of (name, value)
        What else the study wants said.
    seeds : str
        How the random choices follow from the seed.

    Returns
    -------
    str
    """
    rows: list[tuple[str, str]] = [
        ("data", str(about.get("data", ""))),
        ("faces × pixels", f"{about.get('faces', '?')} × {about.get('pixels', '?')}"),
        ("fingerprint of the data", str(about.get("fingerprint", ""))),
        ("runs", str(about.get("runs", ""))),
        ("points", str(about.get("points", ""))),
        ("run time", f"{about.get('seconds', 0) / 60:.1f} minutes on {about.get('cores')} cores"),
        ("finished", str(about.get("finished", ""))),
        *more,
    ]
    rows += [
        (name.replace("_", " "), str(value)) for name, value in about.get("settings", {}).items()
    ]
    rows += [(name, version) for name, version in about.get("versions", {}).items()]
    return f'{facts(rows)}<p class="soft">{escape(seeds)}</p>'
