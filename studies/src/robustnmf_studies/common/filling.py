"""Pages of the documentation: words by hand, and between markers what a study found."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from PIL import Image

from robustnmf._common.files import written_whole
from robustnmf_studies.common.storage import write_text

# Enough that two thin lines never end up in the same colour.
_COLOURS = 256
# What a photograph in grey needs to look right on a page.
_GREYS = 32


def fill_page(page: Path, parts: Mapping[str, str]) -> None:
    """Put each part between its pair of markers in a file."""
    write_text(page, fill(page.read_text(encoding="utf-8"), parts))


def fill(text: str, parts: Mapping[str, str]) -> str:
    """Put each part between the pair of markers of its name; raise where the page lacks them.

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
        if (figures / f"{name}.png").exists():
            with Image.open(figures / f"{name}.png") as picture:
                few = _with_few_colours(picture)
            with written_whole(folder / f"{other}.png") as temporary:
                few.save(temporary, optimize=True)


def _with_few_colours(picture: Image.Image) -> Image.Image:
    colours = picture.convert("RGB")
    red, green, blue = (band.tobytes() for band in colours.split())
    if red == green == blue:
        return colours.getchannel("R").quantize(_GREYS)
    return colours.quantize(_COLOURS, Image.Quantize.MAXCOVERAGE)
