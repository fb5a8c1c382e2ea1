"""Reports: one HTML file that needs nothing but a browser, from the template of a study."""

from __future__ import annotations

import functools
import io
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from numpy.typing import NDArray
from PIL import Image

from robustnmf._report import embedded
from robustnmf_studies.common.frames import rows_of

# More columns than this do not fit side by side on a phone.
_MOST_ON_A_PHONE = 5


def render(study: str, about: Mapping[str, Any], context: Mapping[str, Any]) -> str:
    """Return the report of a study as HTML.

    Parameters
    ----------
    study : str
        Name of the study, whose ``report.html`` is the template. ``common/pieces.html`` has what
        templates are made of; each section is a ``{% call p.section(name, title) %}``, and one
        without content is left out.
    about : mapping
        How the numbers came about.
    context : mapping
        What the template shows; ``title`` and ``lead`` are the head of the page.
    """
    links: list[tuple[str, str]] = []
    shown = {**context, "about": about, "links": links}
    # The sections come first: only then is it known which of them have content to link to.
    body = environment().get_template(f"{study}/report.html").render(shown)
    style = files("robustnmf._report").joinpath("style.css").read_text(encoding="utf-8")
    return environment().get_template("common/page.html").render(shown, body=body, style=style)


def check_template(study: str) -> None:
    """Raise unless the study has a template that can be read."""
    environment().get_template(f"{study}/report.html")


@functools.cache
def environment() -> Environment:
    """Return what makes pages of templates; all that is not HTML of ours is escaped."""
    made = Environment(
        loader=PackageLoader("robustnmf_studies", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "rows": rows_of,
        "png": lambda path: embedded(Path(path).read_bytes(), "image/png"),
        "svg": lambda text: embedded(text.encode(), "image/svg+xml"),
        "jpeg": _jpeg,
        "dashes": _dashes,
        "sentence": _sentence,
    }
    made.globals |= {"most_on_a_phone": _MOST_ON_A_PHONE, "facts_of": facts_of}
    return made


def _jpeg(picture: NDArray[np.uint8]) -> str:
    file = io.BytesIO()
    Image.fromarray(picture).save(file, format="JPEG", quality=85)
    return embedded(file.getvalue(), "image/jpeg")


def _dashes(look: Mapping[str, Any]) -> str:
    """Return the dashes of a line as SVG has them; nothing for a line without."""
    dash = look.get("ls", "-")
    return "" if dash == "-" else ",".join(str(2 * part) for part in dash[1])


def facts_of(
    about: Mapping[str, Any], more: Sequence[tuple[str, str]] = ()
) -> list[tuple[str, str]]:
    """Return how the numbers came about, as names and values, with `more` that a study wants said.

    Examples
    --------
    >>> facts_of({"data": "faces", "settings": {"max_iter": 5}})
    [('data', 'faces'), ('max iter', '5')]
    """
    names = {
        "data": "data",
        "fingerprint": "fingerprint of the data",
        "runs": "runs",
        "points": "points",
        "finished": "finished",
        "code": "version of the code",
    }
    facts = [(words, str(about[name])) for name, words in names.items() if name in about]
    if "faces" in about:
        facts.insert(1, ("faces × pixels", f"{about['faces']} × {about['pixels']}"))
    if "seconds" in about:
        minutes = f"{about['seconds'] / 60:.1f} minutes on {about['cores']} cores"
        facts.append(("run time", minutes))
    settings = about.get("settings", {}).items()
    facts += [*more, *((name.replace("_", " "), str(value)) for name, value in settings)]
    return facts + list(about.get("versions", {}).items())


def _sentence(text: str) -> str:
    # A Greek letter is a symbol, of which the capital is another one.
    return text[:1].upper() + text[1:] if text[:1].isascii() else text
