"""Means over the pictures, and the tables of words made from them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pandas as pd

from robustnmf_studies.common.frames import Numbers, pick, table_of, text_table
from robustnmf_studies.common.targets import NOTHING as NO_FIGURE
from robustnmf_studies.common.words import in_words, table_words
from robustnmf_studies.images.methods import METHOD_NAMES, NOTHING, ORACLE, OURS, RIVALS
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

_MEASURES = {"psnr": ("PSNR (dB)", "{:.1f}"), "ssim": ("SSIM", "{:.3f}"), "f1": ("F1", "{:.3f}")}
_NOISES = list(itertools.product(IMPULSES, LEVELS))
_KINDS = (*IMPULSES, LINES, OCCLUSION)


def means(rows: pd.DataFrame, measure: str, index: list[str], columns: list[str]) -> pd.DataFrame:
    """Return the mean of a measure by index and columns; without rows, an empty frame."""
    if not len(rows):
        rows = pd.DataFrame(columns=[*index, *columns, measure], dtype=float)
    return rows.pivot_table(measure, index, columns)


def _mean_by(rows: pd.DataFrame, measure: str, by: list[str]) -> pd.Series:
    return rows.groupby(by)[measure].mean() if len(rows) else pd.Series(dtype=float)


def number_tables(numbers: Numbers) -> dict[str, pd.DataFrame]:
    """Return the tables of the study, by name; those without numbers in this run are empty."""
    images = table_of(numbers, "images")
    natural = pick(images, group="natural")
    return {
        **{
            f"{measure}-{kind}": _by_level(pick(natural, damage=kind), measure, kind)
            for measure in _MEASURES
            for kind in IMPULSES
        },
        "others": _others(pick(natural, damage=(LINES, OCCLUSION))),
        "seconds": _seconds(pick(natural, damage=IMPULSES)),
        "pictures": _by_picture(pick(images, method=OURS, picture=NATURAL), NATURAL, LEVELS),
        "hard": _by_picture(pick(images, method=OURS, picture=HARD), HARD, (0.1, 0.2)),
        "lost": _lost(pick(images, damage=_KINDS)),
        "untuned": _untuned(pick(natural, method=OURS, damage=IMPULSES)),
    }


def _of_methods(title: str, headings: Sequence[str], words: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each method, the best figures in bold; the oracle does not take part."""
    words = words.reindex([method for method in METHOD_NAMES if method in words.index])
    figures = words.drop(index=ORACLE, errors="ignore").apply(pd.to_numeric, errors="coerce")
    best = (figures == figures.max()).reindex(words.index, fill_value=False)
    words = words.mask(best, "**" + words + "**")
    rows = [(METHOD_NAMES[name], *words.loc[name]) for name in words.index]
    return text_table(title, ("method", *headings), rows)


def _by_level(rows: pd.DataFrame, measure: str, kind: str) -> pd.DataFrame:
    words, form = _MEASURES[measure]
    found = means(rows, measure, ["method"], ["amount"])
    heads = [f"{100 * level:g} %" for level in found.columns]
    return _of_methods(f"{words}, {DAMAGE_NAMES[kind]}", heads, table_words(found, form))


def _others(rows: pd.DataFrame) -> pd.DataFrame:
    """PSNR and F1 of both damages that have no level."""
    kinds = [LINES, OCCLUSION]
    both = {"psnr": "{:.1f}", "f1": "{:.2f}"}
    found = {m: means(rows, m, ["method"], ["damage"]).reindex(columns=kinds) for m in both}
    words = pd.concat({m: table_words(found[m], form) for m, form in both.items()}, axis=1)
    words = words[[(m, kind) for kind in kinds for m in both]].fillna(NO_FIGURE)
    heads = ("dead lines: PSNR", "F1", "occlusion: PSNR", "F1")
    return _of_methods("Dead lines and occlusion", heads, words)


def _seconds(rows: pd.DataFrame) -> pd.DataFrame:
    found = _mean_by(rows, "seconds", ["method"])
    lines = [
        (words, f"{found[method]:.2f}")
        for method, words in METHOD_NAMES.items()
        if method in found and method != NOTHING
    ]
    return text_table("Seconds for a picture, on one core", ("method", "seconds"), lines)


def _noise_heads(noises: Sequence[tuple[str, float]]) -> list[str]:
    short = dict(zip(IMPULSES, ("s&p", "random"), strict=True))
    return [f"{short[kind]} {100 * level:g} %" for kind, level in noises]


def _by_picture(
    own: pd.DataFrame, names: tuple[str, ...], levels: tuple[float, ...]
) -> pd.DataFrame:
    """Return our own figures, picture by picture."""
    shown = [name for name in names if len(pick(own, picture=name))]
    noises = list(itertools.product(IMPULSES, levels))
    psnr, f1 = (
        means(own, measure, ["picture"], ["damage", "amount"]).reindex(shown, columns=noises)
        for measure in ("psnr", "f1")
    )
    cells = table_words(psnr, "{:.1f}") + " · " + table_words(f1, "{:.2f}")
    changed = _mean_by(pick(own, damage=CLEAN), "changed", ["picture"])
    rows = [(name, *cells.loc[name], in_words(changed.get(name), "{:.3%}")) for name in shown]
    title = "PSNR (dB) · F1 of denoise_image, picture by picture"
    heads = ("picture", *_noise_heads(noises), "changed if clean")
    return text_table(title, heads, rows)


def _lost(rows: pd.DataFrame) -> pd.DataFrame:
    """Return every case in which a rival, or doing nothing, gives the better picture."""
    psnr = means(rows, "psnr", ["picture", "damage", "amount"], ["method"])
    psnr = psnr.reindex(columns=[OURS, *RIVALS, NOTHING])
    theirs = psnr.drop(columns=OURS)
    # What is not told apart by a twentieth of a decibel is a draw.
    lost = theirs.max(axis=1) > psnr[OURS] + 0.05
    pictures = (*NATURAL, *HARD)
    places = sorted(
        psnr.index[lost], key=lambda p: (pictures.index(p[0]), _KINDS.index(p[1]), p[2])
    )
    lines = [
        (
            place[0],
            noise_words(*place[1:]),
            f"{psnr.loc[place, OURS]:.1f}",
            METHOD_NAMES[theirs.loc[place].idxmax()],
            f"{theirs.loc[place].max():.1f}",
        )
        for place in places
    ]
    heads = ("picture", "damage", "denoise_image (dB)", "best of the others", "(dB)")
    return text_table("Where a rival is better", heads, lines)


def noise_words(kind: str, level: float) -> str:
    """Name a damage and its share."""
    return DAMAGE_NAMES[kind] + (f", {100 * level:g} %" if level else "")


def _untuned(own: pd.DataFrame) -> pd.DataFrame:
    """Return our mean F1 on the pictures that no constant was chosen on."""
    lines = []
    for words, chosen in (("chosen on", True), ("not chosen on", False)):
        rows = own[own["picture"].isin(TUNED_ON) == chosen] if len(own) else own
        f1 = _mean_by(rows, "f1", ["damage", "amount"])
        if len(f1):
            lines.append((words, *(in_words(f1.get(noise), "{:.3f}") for noise in _NOISES)))
    title = "F1 on pictures that constants were chosen on, and on others"
    return text_table(title, ("", *_noise_heads(_NOISES)), lines)
