"""The numbers as tables of words."""

from __future__ import annotations

import math

import pandas as pd

from robustnmf_studies.common.frames import Numbers, mean_of, pick, table_of, text_table, unique_of
from robustnmf_studies.images.methods import METHOD_NAMES, NOTHING, OURS, RIVALS
from robustnmf_studies.images.settings import (
    CLEAN,
    DAMAGE_NAMES,
    HARD,
    IMPULSES,
    LEVELS,
    LINES,
    NATURAL,
    OCCLUSION,
    TUNED_ON,
)

_NONE = "–"
_MEASURES = {"psnr": ("PSNR (dB)", ".1f"), "ssim": ("SSIM", ".3f"), "f1": ("F1", ".3f")}


def number_sheets(numbers: Numbers) -> dict[str, pd.DataFrame]:
    """Return the tables of the study, by name; those without numbers are left out.

    Parameters
    ----------
    numbers : mapping of DataFrame
        What `robustnmf_studies.images.compute.compute` returned, of all cases.

    Returns
    -------
    dict of Sheet
    """
    images = table_of(numbers, "images")
    natural = pick(images, group="natural")
    sheets = {
        f"{measure}-{kind}": _by_level(natural, measure, kind)
        for measure in _MEASURES
        for kind in IMPULSES
    }
    sheets["others"] = _others(natural)
    sheets["seconds"] = _seconds(natural)
    sheets["pictures"] = _by_picture(images, NATURAL, LEVELS)
    sheets["hard"] = _by_picture(images, HARD, (0.1, 0.2))
    sheets["lost"] = _lost(images)
    sheets["untuned"] = _untuned(natural)
    return {name: sheet for name, sheet in sheets.items() if len(sheet)}


def _mean(rows: pd.DataFrame, measure: str, form: str) -> str:
    value = mean_of(rows, measure)
    return _NONE if math.isnan(value) else format(value, form)


def _mark_best(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Set the best figure of each column in bold; the oracle does not take part."""
    marked = [list(row) for row in rows]
    oracle = METHOD_NAMES["biharmonic"]
    for place in range(1, len(rows[0]) if rows else 0):
        figures = [(row[place], row) for row in marked if row[place] != _NONE and row[0] != oracle]
        if figures:
            best = max(float(figure) for figure, _ in figures)
            for figure, row in figures:
                if float(figure) == best:
                    row[place] = f"**{figure}**"
    return [tuple(row) for row in marked]


def _by_level(natural: pd.DataFrame, measure: str, kind: str) -> pd.DataFrame:
    words, form = _MEASURES[measure]
    levels = [level for level in LEVELS if len(pick(natural, damage=kind, amount=level))]
    rows = []
    for method, name in METHOD_NAMES.items():
        own = pick(natural, damage=kind, method=method)
        cells = [_mean(pick(own, amount=level), measure, form) for level in levels]
        if any(cell != _NONE for cell in cells):
            rows.append((name, *cells))
    heads = tuple(f"{100 * level:g} %" for level in levels)
    return text_table(f"{words}, {DAMAGE_NAMES[kind]}", ("method", *heads), _mark_best(rows))


def _others(natural: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for method, name in METHOD_NAMES.items():
        cells = []
        for kind in (LINES, OCCLUSION):
            own = pick(natural, damage=kind, method=method)
            cells += [_mean(own, "psnr", ".1f"), _mean(own, "f1", ".2f")]
        if any(cell != _NONE for cell in cells):
            rows.append((name, *cells))
    heads = ("method", "dead lines: PSNR", "F1", "occlusion: PSNR", "F1")
    return text_table("Dead lines and occlusion", heads, _mark_best(rows))


def _seconds(natural: pd.DataFrame) -> pd.DataFrame:
    rows = [
        (name, _mean(pick(natural, method=method, damage=IMPULSES), "seconds", ".2f"))
        for method, name in METHOD_NAMES.items()
        if len(pick(natural, method=method, damage=IMPULSES)) and method != "nothing"
    ]
    return text_table("Seconds for a picture, on one core", ("method", "seconds"), rows)


def _by_picture(
    images: pd.DataFrame, names: tuple[str, ...], levels: tuple[float, ...]
) -> pd.DataFrame:
    """Return our own figures, picture by picture."""
    rows = []
    for name in names:
        own = pick(images, picture=name, method=OURS)
        cells = []
        for kind in IMPULSES:
            for level in levels:
                here = pick(own, damage=kind, amount=level)
                cells.append(f"{_mean(here, 'psnr', '.1f')} · {_mean(here, 'f1', '.2f')}")
        changed = mean_of(pick(own, damage=CLEAN), "changed")
        clean = _NONE if math.isnan(changed) else f"{100 * changed:.3f} %"
        if len(own):
            rows.append((name, *cells, clean))
    heads = tuple(f"{kind} {100 * level:g} %" for kind in ("s&p", "random") for level in levels)
    title = "PSNR (dB) · F1 of denoise_image, picture by picture"
    return text_table(title, ("picture", *heads, "changed if clean"), rows)


def _lost(images: pd.DataFrame) -> pd.DataFrame:
    """Return every case in which a rival, or doing nothing, gives the better picture."""
    rivals = (*RIVALS, NOTHING)
    rows = []
    for name in (*NATURAL, *HARD):
        own = pick(images, picture=name)
        for kind in (*IMPULSES, LINES, OCCLUSION):
            for level in unique_of(pick(own, damage=kind), "amount"):
                here = pick(own, damage=kind, amount=level)
                ours = mean_of(pick(here, method=OURS), "psnr")
                means = [(mean_of(pick(here, method=other), "psnr"), other) for other in rivals]
                theirs, rival = max(means)
                # What is not told apart by a twentieth of a decibel is a draw.
                if theirs > ours + 0.05:
                    words = DAMAGE_NAMES[kind] + (f", {100 * level:g} %" if level else "")
                    rows.append((name, words, f"{ours:.1f}", METHOD_NAMES[rival], f"{theirs:.1f}"))
    heads = ("picture", "damage", "denoise_image (dB)", "best of the others", "(dB)")
    return text_table("Where a rival is better", heads, rows)


def _untuned(natural: pd.DataFrame) -> pd.DataFrame:
    """Return our mean F1 and PSNR on the pictures that no constant was chosen on."""
    others = tuple(name for name in NATURAL if name not in TUNED_ON)
    rows = []
    for words, names in (("chosen on", TUNED_ON), ("not chosen on", others)):
        own = pick(natural, picture=names, method=OURS)
        cells = [
            f"{_mean(pick(own, damage=kind, amount=level), 'f1', '.3f')}"
            for kind in IMPULSES
            for level in LEVELS
        ]
        if any(cell != _NONE for cell in cells):
            rows.append((words, *cells))
    heads = tuple(f"{kind} {100 * level:g} %" for kind in ("s&p", "random") for level in LEVELS)
    return text_table(
        "F1 on pictures that constants were chosen on, and on others", ("", *heads), rows
    )
