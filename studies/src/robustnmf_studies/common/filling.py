"""Pages of the documentation: words by hand, and between markers what a study found."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from robustnmf._common.files import written_whole
from robustnmf._common.optional import import_extra

# Enough that two thin lines never end up in the same colour.
_COLOURS = 256
# What a photograph in grey needs to look right on a page.
_GREYS = 32


def fill_page(page: Path, parts: Mapping[str, str]) -> None:
    """Put each part between its pair of markers in a file."""
    text = fill(page.read_text(encoding="utf-8"), parts)
    with written_whole(page) as temporary:
        temporary.write_text(text, encoding="utf-8")


def fill(text: str, parts: Mapping[str, str]) -> str:
    """Put each part between its pair of markers.

    Parameters
    ----------
    text : str
        A page.
    parts : mapping of str
        The parts by the name of their markers.

    Returns
    -------
    str
        The page with the parts in it.

    Raises
    ------
    ValueError
        If the page lacks a pair of markers.

    Examples
    --------
    >>> print(fill("<!-- a -->old<!-- /a -->", {"a": "new"}))
    <!-- a -->
    new
    <!-- /a -->
    """
    for name, part in parts.items():
        pattern = rf"<!-- {name} -->.*?<!-- /{name} -->"
        if not re.search(pattern, text, flags=re.DOTALL):
            raise ValueError(f"the page has no <!-- {name} --> and <!-- /{name} -->: add them")
        whole = f"<!-- {name} -->\n{part.strip()}\n<!-- /{name} -->"
        # Backslashes of the part mean themselves.
        text = re.sub(pattern, whole.replace("\\", r"\\"), text, flags=re.DOTALL)
    return text


def copy_figures(figures: Path, names: Mapping[str, str], folder: Path) -> None:
    """Write PNG figures into a folder, with few colours, under other names; those that exist."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, other in names.items():
        source = figures / f"{name}.png"
        if source.exists():
            _write_small(source, folder / f"{other}.png")


def _write_small(source: Path, target: Path) -> None:
    """Write a PNG picture again with few colours."""
    image = import_extra("PIL.Image", "plot", "pictures need")
    with image.open(source) as picture, written_whole(target) as temporary:
        colours = picture.convert("RGB")
        red, green, blue = colours.split()
        if red.tobytes() == green.tobytes() == blue.tobytes():
            few = red.quantize(_GREYS)
        else:
            few = colours.quantize(_COLOURS, image.Quantize.MAXCOVERAGE)
        few.save(temporary, optimize=True)
