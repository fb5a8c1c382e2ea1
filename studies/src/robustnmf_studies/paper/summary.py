"""The page about the reproduction in the documentation: its figures and tables, filled in.

The words of the page are written by hand; what stands between a pair of markers such as
``<!-- claims -->`` and ``<!-- /claims -->`` is computed. To fill it in again::

    python -m robustnmf_studies.paper.summary RESULTS docs/reproduction.md
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robustnmf._common.files import written_whole
from robustnmf._common.optional import import_extra
from robustnmf_studies.common.filling import copy_figures, fill_page
from robustnmf_studies.common.methods import NAMES
from robustnmf_studies.common.settings import MODES, OPTIMUM, PAPER
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.common.table import Table
from robustnmf_studies.common.verdicts import PLURAL, Numbers
from robustnmf_studies.paper import rivals
from robustnmf_studies.paper.claims import MODE_NAMES, judge, tally, to_markdown
from robustnmf_studies.paper.mosaic import draw_mosaic
from robustnmf_studies.paper.panels import FIG2, FIG3, Panel
from robustnmf_studies.paper.traces import STATED_TOLERANCE, TOLERANCES

_FIGURES = ("fig2", "fig3", "checks")
# The versions of figure 4 that a page has room for.
_SHOWN = (
    "truth",
    "polluted",
    "nmf/paper",
    "robust/paper",
    "robust/optimum",
    "refit/optimum",
    "median/reference",
)
_GREYS = 32
_MODE_ENDS = {PAPER: ", paper", OPTIMUM: ", optimum"}


def write_summary(
    results: str | os.PathLike[str],
    page: str | os.PathLike[str],
    pictures: str | os.PathLike[str] | None = None,
) -> Path:
    """Fill the computed parts of a page, and put its figures beside it.

    Parameters
    ----------
    results : path-like
        Folder of a finished reproduction.
    page : path-like
        A Markdown file with markers.
    pictures : path-like, optional
        Folder for the figures; by default ``images/reproduction`` beside the page.

    Returns
    -------
    Path
        The page.
    """
    storage, path = Storage(Path(results)), Path(page)
    numbers = storage.read_tables()
    judged = judge(numbers)
    parts = {
        "facts": _facts(storage.read_about()),
        "tally": "\n".join(
            f"- {MODE_NAMES[mode]}: {_counts(tally(judged, mode))}" for mode in MODES
        ),
        "claims": to_markdown(judged),
        "rivals": rivals.to_markdown(rivals.rivals(numbers)),
        "numbers": _numbers(numbers),
        "pictures": _picture_table(numbers.get("pictures", Table())),
        "iterations": _iterations(numbers.get("traces", Table())),
        "ranks": _ranks(numbers.get("ranks", Table())),
    }
    fill_page(path, parts)
    folder = Path(pictures) if pictures else path.parent / "images" / "reproduction"
    _write_figures(storage, numbers, folder)
    return path


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {PLURAL[verdict]}" for verdict, count in counts.items() if count)


def _facts(about: Mapping[str, Any]) -> str:
    settings = about.get("settings", {})
    versions = ", ".join(f"{name} {number}" for name, number in about.get("versions", {}).items())
    return "\n".join(
        (
            f"- data: {about.get('data')} ({about.get('faces')} faces; fingerprint "
            f"`{about.get('fingerprint')}`)",
            f"- runs: {about.get('runs')}, seed {settings.get('seed')}; "
            f"{about.get('points')} points in {about.get('seconds', 0) / 60:.0f} minutes on "
            f"{about.get('cores')} cores",
            f"- as in the paper: {settings.get('iterations')} iterations of the paper's rules; "
            f"at the optimum: until ten iterations gain less than {settings.get('tol'):g} of the "
            "objective",
            f"- versions: {versions}",
        )
    )


def _numbers(numbers: Numbers) -> str:
    faces = numbers.get("faces", Table())
    tables = [_panel(panel, faces) for panel in (*FIG2, *FIG3)]
    return "\n\n".join(table for table in tables if table)


def _panel(panel: Panel, faces: Table) -> str:
    curves = panel.curves(faces)
    if not curves:
        return ""
    places = max((series.x for series in curves.values()), key=len)
    unit = " (thousands)" if panel.y == "msre" else ""
    lines = [
        f"{panel.title}: {panel.y_label.split(' (')[0]}{unit} against {panel.x_label}",
        "",
        "| | " + " | ".join(f"{x:g}" for x in places) + " |",
        "|---|" + "---|" * len(places),
    ]
    for (method, mode), series in curves.items():
        found = dict(zip(series.x, zip(series.mean, series.spread, strict=True), strict=True))
        cells = [_cell(panel, *found[x]) if x in found else "" for x in places]
        lines.append(f"| {NAMES[method]}{_MODE_ENDS.get(mode, '')} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(panel: Panel, mean: float, spread: float) -> str:
    if panel.y == "msre":
        return f"{mean / 1000:.0f} ± {spread / 1000:.0f}"
    return f"{mean:.2f} ± {spread:.2f}"


def _picture_table(table: Table) -> str:
    images = table.unique("image")
    lines = ["| | " + " | ".join(images) + " |", "|---|" + "---|" * len(images)]
    for method, mode in dict.fromkeys((row["method"], row["mode"]) for row in table):
        rows = table.where(method=method, mode=mode)
        cells = [
            f"{rows.where(image=name).mean('psnr'):.1f} / {rows.where(image=name).mean('ssim'):.2f}"
            for name in images
        ]
        lines.append(f"| {NAMES[method]}{_MODE_ENDS.get(mode, '')} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _iterations(table: Table) -> str:
    """Tell what the paper's rules come to after more and more iterations."""
    heads = [f"precision, tolerance {100 * t:g} %" for t in TOLERANCES]
    heads += [f"recall, tolerance {100 * STATED_TOLERANCE:g} %", "MSRE (thousands)"]
    lines = ["| faces | iterations | " + " | ".join(heads) + " |", "|---|" + "---|" * 7]
    rules = table.where(solver="mu")
    for n in rules.unique("n"):
        for iteration in (20, 50, 100, 200, 500, 2000):
            rows = rules.where(n=n, iteration=iteration)
            if not len(rows):
                continue
            cells = [f"{rows.mean(f'precision_{t:g}'):.2f}" for t in TOLERANCES]
            cells.append(f"{rows.mean(f'recall_{STATED_TOLERANCE:g}'):.2f}")
            cells.append(f"{rows.mean('msre') / 1000:.0f}")
            lines.append(f"| {n:g} | {iteration} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _ranks(table: Table) -> str:
    """Tell how much the number of components matters."""
    lines = ["| k | precision | recall | MSRE of NMF | RobustNMF | RobustNMF+WNMF |"]
    lines.append("|---|" + "---|" * 5)
    for k in table.unique("k"):
        robust = table.where(k=k, method="robust")
        errors = [table.where(k=k, method=m).mean("msre") for m in ("nmf", "robust", "refit")]
        cells = [f"{robust.mean(name):.2f}" for name in ("precision", "recall")]
        cells += [f"{error / 1000:.0f}k" for error in errors]
        lines.append(f"| {k:g} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _write_figures(storage: Storage, numbers: Numbers, folder: Path) -> None:
    """Write the figures with few colours, so that the repository stays small."""
    image = import_extra("PIL.Image", "plot", "pictures need")
    copy_figures(storage.figures, {name: name for name in _FIGURES}, folder)
    pictures = storage.read_pictures()
    if pictures:
        figure = draw_mosaic(pictures, numbers["pictures"], _SHOWN, inches=1.55)
        with written_whole(folder / "fig4.png") as temporary:
            figure.savefig(temporary)
            with image.open(temporary) as picture:
                small = picture.convert("L").quantize(_GREYS)
            small.save(temporary, optimize=True)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m robustnmf_studies.paper.summary RESULTS PAGE")
    print(write_summary(sys.argv[1], sys.argv[2]))
