"""The figures of the study, drawn from the tables alone."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd

from robustnmf._common.optional import import_extra
from robustnmf_studies.beyond import panels
from robustnmf_studies.beyond.gallery import draw_gallery
from robustnmf_studies.beyond.looks import legend_entries
from robustnmf_studies.beyond.settings import CORRUPTIONS, LFW, ORL
from robustnmf_studies.common.drawing import RC, Painter, Panels, draw_panels, write_figure
from robustnmf_studies.common.frames import Numbers, pick, table_of, unique_of
from robustnmf_studies.common.storage import Storage

if TYPE_CHECKING:
    from matplotlib.axes import Axes

if TYPE_CHECKING:
    pass


def faces_of(numbers: Numbers) -> str:
    """Return which faces the main part was run on."""
    return ORL if len(pick(table_of(numbers, "detect"), data=ORL)) else LFW


def draw_all(numbers: Numbers, storage: Storage) -> dict[str, Panels]:
    """Draw every figure that the numbers allow: files as PNG and SVG, and panels for the report.

    Parameters
    ----------
    numbers : mapping of DataFrame
        The tables.
    storage : Storage
        Where the files go, and where the faces to be shown are.

    Returns
    -------
    dict of lists of (description, SVG)
        The panels of each figure; figures without numbers are left out.
    """
    matplotlib = import_extra("matplotlib", "plot", "figures need")
    drawn: dict[str, Panels] = {}
    # Points lie above the grid, as lines do.
    with matplotlib.rc_context({**RC, "axes.axisbelow": True}):
        for name, painters, methods in (
            ("f1", _by_corruption(numbers, "f1"), True),
            ("wh", _by_corruption(numbers, "wh_relative"), True),
            ("other", _others(numbers), False),
            ("rank", _ranks(numbers), False),
        ):
            if painters:
                legend = legend_entries() if methods else ()
                drawn[name] = draw_panels(name, painters, 3, storage, legend)
        faces = storage.read_pictures()
        if faces:
            write_figure("faces", draw_gallery(faces), storage)
    return drawn


def _by_corruption(numbers: Numbers, measure: str) -> list[Painter]:
    """One panel for each corruption of faces, and one over the number of faces."""
    faces = faces_of(numbers)
    table = pick(table_of(numbers, "detect"), data=faces)
    painters: list[Painter] = []
    for corruption in CORRUPTIONS:
        rows = panels.sweep(table, corruption)
        if len(rows):
            painters.append(panels.against_share(rows, corruption, measure))
    sizes = panels.sizes(table)
    if len(unique_of(sizes, "n")) > 1:
        painters.append(panels.against_faces(sizes, measure))
    return painters


def _others(numbers: Numbers) -> list[Painter]:
    return _given(
        numbers,
        ("detect", "F1 below the oracle's best threshold", panels.gaps),
        ("detect", "Estimated share against true share", panels.shares),
        ("calibration", "Share of corrupt entries against probability", panels.reliability),
    )


def _ranks(numbers: Numbers) -> list[Painter]:
    return _given(
        numbers,
        ("ranks", "Rank found against true rank", panels.ranks),
        ("ranks", "Time to choose the rank, in fits", panels.rank_cost),
        ("samples", "Error with foreign samples, relative to without", panels.foreign),
    )


def _given(
    numbers: Numbers, *wanted: tuple[str, str, Callable[[Axes, pd.DataFrame], None]]
) -> list[Painter]:
    """Return the panels for which there are numbers."""
    found = [(table_of(numbers, name), words, paint) for name, words, paint in wanted]
    return [
        (words, functools.partial(_paint, paint, table))
        for table, words, paint in found
        if len(table)
    ]


def _paint(paint: Callable[[Axes, pd.DataFrame], None], table: pd.DataFrame, ax: Axes) -> None:
    paint(ax, table)
