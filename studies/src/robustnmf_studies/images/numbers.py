"""Means over the pictures, and the tables of words made from them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pandas as pd

from robustnmf_studies.common.frames import Numbers, pick, table_of, text_table
from robustnmf_studies.common.targets import NOTHING as NO_FIGURE
from robustnmf_studies.common.words import row_table, table_words
from robustnmf_studies.images import settings
from robustnmf_studies.images.methods import METHOD_NAMES, NOTHING, ORACLE, OURS, RIVALS
from robustnmf_studies.images.settings import DAMAGE_NAMES, HARD, IMPULSES, LEVELS, NATURAL

_MEASURES = {"psnr": ("PSNR (dB)", "{:.1f}"), "ssim": ("SSIM", "{:.3f}"), "f1": ("F1", "{:.3f}")}
_KINDS = [*IMPULSES, settings.LINES, settings.OCCLUSION]


def pivot(rows: pd.DataFrame, measure: str, index: str, *columns: str) -> pd.DataFrame:
    """Return the mean of a measure by index and columns; without rows, an empty frame."""
    if not len(rows):
        rows = pd.DataFrame(columns=[index, *columns, measure], dtype=float)
    return rows.pivot_table(measure, index, list(columns))


def number_tables(numbers: Numbers) -> dict[str, pd.DataFrame]:
    """Return the tables of the study, by name; those without numbers in this run are empty."""
    images = table_of(numbers, "images")
    natural = pick(images, group="natural")
    own = pick(images, method=OURS)
    return {
        **{
            f"{measure}-{kind}": _by_level(pick(natural, damage=kind), measure, kind)
            for measure in _MEASURES
            for kind in IMPULSES
        },
        "others": _others(pick(natural, damage=_KINDS[2:])),
        "seconds": _seconds(pick(natural, damage=IMPULSES)),
        "pictures": _by_picture(own, NATURAL, LEVELS),
        "hard": _by_picture(own, HARD, (0.1, 0.2)),
        "lost": _lost(pick(images, damage=_KINDS)),
        "untuned": _untuned(pick(own, group="natural")),
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
    found = pivot(rows, measure, "method", "amount")
    heads = [f"{100 * level:g} %" for level in found.columns]
    return _of_methods(f"{words}, {DAMAGE_NAMES[kind]}", heads, table_words(found, form))


def _others(rows: pd.DataFrame) -> pd.DataFrame:
    """PSNR and F1 of both damages that have no level."""
    psnr, f1 = (
        table_words(pivot(rows, measure, "method", "damage").reindex(columns=_KINDS[2:]), form)
        for measure, form in (("psnr", "{:.1f}"), ("f1", "{:.2f}"))
    )
    words = pd.concat([side[kind] for kind in _KINDS[2:] for side in (psnr, f1)], axis=1)
    heads = ("dead lines: PSNR", "F1", "occlusion: PSNR", "F1")
    words.columns = pd.RangeIndex(len(heads))
    return _of_methods("Dead lines and occlusion", heads, words.fillna(NO_FIGURE))


def _seconds(rows: pd.DataFrame) -> pd.DataFrame:
    if len(rows):
        order = [method for method in METHOD_NAMES if method != NOTHING]
        rows = rows.groupby("method")["seconds"].mean().reindex(order).dropna().reset_index()
        rows = rows.replace({"method": METHOD_NAMES})
    columns = {"method": "{method}", "seconds": "{seconds:.2f}"}
    return row_table("Seconds for a picture, on one core", rows, columns)


def _noise_heads(noises: Sequence[tuple[str, float]]) -> list[str]:
    short = dict(zip(IMPULSES, ("s&p", "random"), strict=True))
    return [f"{short[kind]} {100 * level:g} %" for kind, level in noises]


def _by_picture(own: pd.DataFrame, names: Sequence[str], levels: Sequence[float]) -> pd.DataFrame:
    """Return our own figures, picture by picture."""
    shown = [name for name in names if len(pick(own, picture=name))]
    noises = list(itertools.product(IMPULSES, levels))
    psnr, f1 = (
        pivot(own, measure, "picture", "damage", "amount").reindex(shown, columns=noises)
        for measure in ("psnr", "f1")
    )
    cells = table_words(psnr, "{:.1f}") + " · " + table_words(f1, "{:.2f}")
    changed = pivot(own, "changed", "picture", "damage").reindex(shown, columns=[settings.CLEAN])
    last = table_words(changed, "{:.3%}")[settings.CLEAN]
    rows = [(name, *cells.loc[name], last[name]) for name in shown]
    title = "PSNR (dB) · F1 of denoise_image, picture by picture"
    return text_table(title, ("picture", *_noise_heads(noises), "changed if clean"), rows)


def _lost(rows: pd.DataFrame) -> pd.DataFrame:
    """Return every case in which a rival, or doing nothing, gives the better picture."""
    if len(rows):
        case = ["picture", "damage", "amount"]
        psnr = rows.pivot_table("psnr", case, "method").reindex(columns=[OURS, *RIVALS, NOTHING])
        theirs = psnr.drop(columns=OURS)
        # What is not told apart by a twentieth of a decibel is a draw.
        psnr = psnr[theirs.max(axis=1) > psnr[OURS] + 0.05]
        theirs = theirs.loc[psnr.index]
        order = [*NATURAL, *HARD, *_KINDS]
        rows = pd.DataFrame({"ours": psnr[OURS], "best": theirs.max(axis=1)}).assign(
            rival=theirs.idxmax(axis=1).map(METHOD_NAMES),
            noise=[settings.noise_words(kind, level) for _, kind, level in psnr.index],
        )
        rows = rows.sort_index(
            key=lambda level: level.map(order.index) if level.name != "amount" else level
        )
    columns = {
        "picture": "{picture}",
        "damage": "{noise}",
        "denoise_image (dB)": "{ours:.1f}",
        "best of the others": "{rival}",
        "(dB)": "{best:.1f}",
    }
    return row_table("Where a rival is better", rows.reset_index(), columns)


def _untuned(own: pd.DataFrame) -> pd.DataFrame:
    """Return our mean F1 on the pictures that no constant was chosen on."""
    noises = list(itertools.product(IMPULSES, LEVELS))
    names = {True: "chosen on", False: "not chosen on"}
    if len(own):
        own = own.assign(choice=own["picture"].isin(settings.TUNED_ON).map(names))
    f1 = pivot(pick(own, damage=IMPULSES), "f1", "choice", "damage", "amount")
    words = table_words(f1.reindex(columns=noises), "{:.3f}").sort_index()
    lines = [(choice, *cells) for choice, *cells in words.itertuples()]
    title = "F1 on pictures that constants were chosen on, and on others"
    return text_table(title, ("", *_noise_heads(noises)), lines)
