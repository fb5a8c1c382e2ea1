"""The page about pictures in the documentation: its tables and figures, filled in.

The words of the page are written by hand; what stands between a pair of markers such as
``<!-- targets -->`` and ``<!-- /targets -->`` is computed. To fill it in again::

    python -m robustnmf_studies.images.document RESULTS docs/images.md
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robustnmf_studies.common.filling import copy_figures, fill_page
from robustnmf_studies.common.sheet import to_markdown
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.images.settings import IMPULSES, SHOWN
from robustnmf_studies.images.sheets import number_sheets
from robustnmf_studies.images.targets import MET, judge, target_sheet

# The tables of the page, by the names of `number_sheets`.
SHEETS = (
    *(f"{measure}-{kind}" for measure in ("psnr", "ssim", "f1") for kind in IMPULSES),
    "others",
    "seconds",
    "pictures",
    "hard",
    "lost",
    "untuned",
)
_NOTHING = "(not part of this run)"
FIGURES = ("images-curves", *(f"images-{name}" for name in SHOWN))


def write_page(results: str | os.PathLike[str], page: str | os.PathLike[str]) -> Path:
    """Fill the computed parts of a page, and put its figures beside it.

    Parameters
    ----------
    results : path-like
        Folder of a finished study.
    page : path-like
        A Markdown file with markers. The figures go to ``images/denoise`` beside it.

    Returns
    -------
    Path
        The page.
    """
    storage, path = Storage(Path(results)), Path(page)
    images = storage.read_tables()["images"]
    sheets = number_sheets(images)
    judged = judge(images)
    met = sum(found.verdict == MET for found in judged)
    parts = {
        "facts": _facts(storage.read_about()),
        "tally": f"{met} of {len(judged)}",
        "targets": to_markdown(target_sheet(judged)),
        **{name: to_markdown(sheets[name]) if name in sheets else _NOTHING for name in SHEETS},
    }
    fill_page(path, parts)
    copy_figures(
        storage.figures,
        {name: name.removeprefix("images-") for name in FIGURES},
        path.parent / "images" / "denoise",
    )
    return path


def _facts(about: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in about.get("versions", {}).items())
    settings = about.get("settings", {})
    return "\n".join(
        (
            f"- data: {about.get('data')}, fingerprint `{about.get('fingerprint')}`",
            f"- seed {settings.get('seed')}; {about.get('points')} cases in "
            f"{about.get('seconds', 0) / 60:.0f} minutes on {about.get('cores')} cores",
            f"- versions: {versions}",
        )
    )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m robustnmf_studies.images.document RESULTS PAGE")
    print(write_page(*sys.argv[1:]))
