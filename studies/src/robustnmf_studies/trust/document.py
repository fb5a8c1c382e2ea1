"""The page about trust in the documentation: its tables, filled in.

The words of the page are written by hand; what stands between a pair of markers such as
``<!-- targets -->`` and ``<!-- /targets -->`` is computed. To fill it in again::

    python -m robustnmf_studies.trust.document RESULTS docs/trust.md
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robustnmf_studies.common.filling import fill_page
from robustnmf_studies.common.sheet import Sheet, to_markdown
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.common.table import Table
from robustnmf_studies.trust.matrix_sheets import matrix_sheets
from robustnmf_studies.trust.matrix_targets import judge_matrices
from robustnmf_studies.trust.sheets import lost_words, table_sheets
from robustnmf_studies.trust.targets import MET, UNKNOWN, judge_tables, target_sheet

# The tables of the page, by the names of `table_sheets` and `matrix_sheets`.
SHEETS = (
    "methods",
    "rates",
    "kinds",
    "families",
    "families-repair",
    "tables",
    "lost",
    "clean",
    "barren",
    "verdicts",
    "matrix-kinds",
    "matrix-sets",
    "matrix-verdicts",
    "matrix-lost",
    "clean-matrices",
    "missing",
)
_NOTHING = "(not part of this run)"
# A page that lists every place is read by nobody; the report has them all.
_MOST_ROWS = {"lost": 40, "matrix-lost": 40}


def write_page(results: str | os.PathLike[str], page: str | os.PathLike[str]) -> Path:
    """Fill the computed parts of a page.

    Parameters
    ----------
    results : path-like
        Folder of a finished study.
    page : path-like
        A Markdown file with markers.

    Returns
    -------
    Path
        The page.
    """
    storage, path = Storage(Path(results)), Path(page)
    numbers = storage.read_tables()
    sheets = {**table_sheets(numbers), **matrix_sheets(numbers)}
    judged = [*judge_tables(numbers), *judge_matrices(numbers)]
    measured = [found for found in judged if found.verdict != UNKNOWN]
    parts = {
        "facts": _facts(storage.read_about()),
        "tally": f"{sum(found.verdict == MET for found in measured)} of {len(measured)}",
        "targets": to_markdown(target_sheet(judged)),
        "behind": lost_words(numbers.get("tables", Table())),
        **{name: _part(name, sheets) for name in SHEETS},
    }
    fill_page(path, parts)
    return path


def _part(name: str, sheets: Mapping[str, Sheet]) -> str:
    if name not in sheets:
        return _NOTHING
    sheet = sheets[name]
    most = _MOST_ROWS.get(name, len(sheet.rows))
    text = to_markdown(sheet._replace(rows=list(sheet.rows)[:most]))
    more = len(sheet.rows) - most
    return f"{text}\n\nand {more} more, all of them in the report." if more > 0 else text


def _facts(about: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in about.get("versions", {}).items())
    settings = about.get("settings", {})
    lines = [
        f"- data: {about.get('data')}, fingerprint `{about.get('fingerprint')}`",
        f"- seed {settings.get('seed')}; {about.get('points')} cases in "
        f"{about.get('seconds', 0) / 60:.0f} minutes on {about.get('cores')} cores",
        f"- versions: {versions}",
    ]
    return "\n".join([*lines, *(f"- {note}" for note in about.get("notes", []))])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m robustnmf_studies.trust.document RESULTS PAGE")
    print(write_page(*sys.argv[1:]))
