"""The report of the study: one HTML file that needs nothing but a browser."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robustnmf._report import embedded, table
from robustnmf_studies.common.page import legend_html, panels_html, settings_html, write_page
from robustnmf_studies.common.sheet import Sheet
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.common.table import Table
from robustnmf_studies.images.sheets import number_sheets
from robustnmf_studies.images.targets import Judged, target_sheet

TITLE = "Pictures without their corrupt pixels"
_LEAD = (
    "robustnmf.image.denoise_image beside the alternatives, on photographs that come with "
    "scikit-image: PSNR, SSIM and F1 of the corrupt pixels found."
)
SEEDS = "The noise of a case follows from the seed and the name of the case."


def write_report(
    storage: Storage,
    images: Table,
    judged: list[Judged],
    drawn: Mapping[str, Any],
    about: Mapping[str, Any],
) -> Path:
    """Write ``report.html``.

    Parameters
    ----------
    storage : Storage
        Where it goes, and where the figures are.
    images : Table
        The numbers.
    judged : list of Judged
        The targets.
    drawn : mapping
        What `robustnmf_studies.images.figures.draw_all` returned.
    about : mapping
        How the numbers came about.

    Returns
    -------
    Path
    """
    numbers = "".join(_table(sheet) for sheet in number_sheets(images).values())
    pictures = "".join(
        f'<figure><img style="width:100%" alt="{name}" '
        f'src="{embedded((storage.figures / f"{name}.png").read_bytes(), "image/png")}"></figure>'
        for name in drawn["galleries"]
    )
    curves = legend_html(drawn["legend"]) + panels_html(drawn["curves"], two=True)
    return write_page(
        storage,
        TITLE,
        _LEAD,
        _table(target_sheet(judged)),
        [
            ("curves", "Quality and detection", curves),
            ("pictures", "To look at", pictures),
            ("numbers", "All numbers", numbers),
            ("about", "How the numbers came about", settings_html(about, [], SEEDS)),
        ],
        about,
    )


def _table(sheet: Sheet) -> str:
    # Bold is for the documentation; a page has no asterisks.
    rows = [tuple(cell.replace("**", "") for cell in row) for row in sheet.rows]
    return table(sheet.title, sheet.headings, rows)
