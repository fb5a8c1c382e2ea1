"""The page about the study in the documentation: its tables and figures, filled in.

The words of the page are written by hand; what stands between a pair of markers such as
``<!-- targets -->`` and ``<!-- /targets -->`` is computed. To fill it in again::

    python -m robustnmf_studies.beyond.document RESULTS docs/beyond.md
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robustnmf_studies.beyond.sheets import number_sheets
from robustnmf_studies.beyond.targets import judge, tally, target_sheet
from robustnmf_studies.common.filling import copy_figures, fill_page
from robustnmf_studies.common.sheet import to_markdown
from robustnmf_studies.common.storage import Storage

FIGURES = ("f1", "wh", "other", "rank", "faces")
# The tables of the page, by the names of `number_sheets`.
SHEETS = (
    "f1",
    "wh",
    "noise",
    "restored",
    "seconds",
    "other-f1",
    "other-wh",
    "auto",
    "flagged",
    "ranks",
    "real-ranks",
    "samples",
)
_NOTHING = "(not part of this run)"


def write_page(results: str | os.PathLike[str], page: str | os.PathLike[str]) -> Path:
    """Fill the computed parts of a page, and put its figures beside it.

    Parameters
    ----------
    results : path-like
        Folder of a finished study.
    page : path-like
        A Markdown file with markers. The figures go to ``images/beyond`` beside it.

    Returns
    -------
    Path
        The page.
    """
    storage, path = Storage(Path(results)), Path(page)
    numbers = storage.read_tables()
    judged = judge(numbers)
    counts = tally(judged)
    sheets = number_sheets(numbers)
    parts = {
        "facts": _facts(storage.read_about()),
        "tally": ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count),
        "targets": to_markdown(target_sheet(judged)),
        **{name: to_markdown(sheets[name]) if name in sheets else _NOTHING for name in SHEETS},
    }
    fill_page(path, parts)
    copy_figures(
        storage.figures, {name: name for name in FIGURES}, path.parent / "images" / "beyond"
    )
    return path


def _facts(about: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in about.get("versions", {}).items())
    return "\n".join(
        (
            f"- data: {about.get('data')} ({about.get('faces')} faces; fingerprint "
            f"`{about.get('fingerprint')}`), 100 faces of scikit-image (LFW), scikit-learn's "
            "digits, synthetic data",
            f"- runs: up to {about.get('runs')}, seed {about.get('settings', {}).get('seed')}; "
            f"{about.get('points')} cases in {about.get('seconds', 0) / 60:.0f} minutes on "
            f"{about.get('cores')} cores",
            f"- versions: {versions}",
        )
    )


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m robustnmf_studies.beyond.document RESULTS PAGE")
    print(write_page(*sys.argv[1:]))
