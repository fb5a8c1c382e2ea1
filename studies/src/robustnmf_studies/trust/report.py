"""The report of the study: one HTML file that needs nothing but a browser."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from robustnmf._report import table
from robustnmf_studies.common.page import settings_html, write_page
from robustnmf_studies.common.sheet import Sheet
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.common.table import Table
from robustnmf_studies.trust.matrix_sheets import matrix_sheets
from robustnmf_studies.trust.sheets import lost_words, table_sheets
from robustnmf_studies.trust.targets import Judged, Numbers, target_sheet

TITLE = "Results people can trust, on data nobody tuned on"
_LEAD = (
    "Real tables and matrices that ship inside packages, spoiled at known places in many ways, "
    "cleaned by robustnmf with nothing to choose and by its rivals."
)
SEEDS = "The errors of a case follow from the seed and the name of the case."


def write_report(
    storage: Storage, numbers: Numbers, judged: list[Judged], about: Mapping[str, Any]
) -> Path:
    """Write ``report.html``.

    Parameters
    ----------
    storage : Storage
        Where it goes.
    numbers : mapping of Table
        The numbers.
    judged : list of Judged
        The targets.
    about : mapping
        How the numbers came about.

    Returns
    -------
    Path
    """
    lost = f"<p>{escape(lost_words(numbers.get('tables', Table())))}</p>"
    notes = "".join(f"<p>{escape(note)}</p>" for note in about.get("notes", []))
    return write_page(
        storage,
        TITLE,
        _LEAD,
        _html(target_sheet(judged)),
        [
            ("tables", "Tables", lost + "".join(map(_html, table_sheets(numbers).values()))),
            ("matrices", "Matrices", "".join(map(_html, matrix_sheets(numbers).values()))),
            ("about", "How the numbers came about", notes + settings_html(about, [], SEEDS)),
        ],
        about,
    )


def _html(sheet: Sheet) -> str:
    # Bold is for the documentation; a page has no asterisks.
    rows = [tuple(cell.replace("**", "") for cell in row) for row in sheet.rows]
    return table(sheet.title, sheet.headings, rows)
