"""The panels of the study's figures: which rows make which curve, and how they are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from robustnmf_studies.beyond.decide import MOST_GAP, MOST_MISS, MOST_RANK_FITS, MOST_SPOILED
from robustnmf_studies.beyond.looks import CORRUPTION_COLOURS, METHODS, SET_MARKERS
from robustnmf_studies.beyond.measures import SURE
from robustnmf_studies.beyond.methods import AUTO, FIXED, NAMES
from robustnmf_studies.beyond.places import corrupt_places
from robustnmf_studies.beyond.settings import (
    CORRUPTION_NAMES,
    CORRUPTIONS,
    FOREIGN,
    FOREIGN_NAMES,
    SET_NAMES,
    SWEEP_FACES,
    SYNTHETIC,
)
from robustnmf_studies.common.drawing import Painter
from robustnmf_studies.common.frames import curve_of, mean_of, pick, records, unique_of, values_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BAR: dict[str, Any] = {"color": "#707070", "lw": 1.0, "ls": (0, (1, 2)), "zorder": 0}
LABELS = {"f1": "F1", "wh_relative": "W H error / oracle's"}
_SET_COLOURS = {"orl": "#D55E00", "lfw": "#0072B2", "digits": "#009E73", "synthetic": "#CC79A7"}
# The pixels of salt at which the number of faces is varied.
_SIZES_PIXELS = 100


def sweep(table: pd.DataFrame, corruption: str) -> pd.DataFrame:
    """Return the rows over the share of one corruption, with the number of faces fixed."""
    rows = pick(table, n=SWEEP_FACES, corruption=corruption)
    return rows[rows["amount"].between(0, 1, inclusive="neither")] if len(rows) else rows


def sizes(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows over the number of faces, with the corruption fixed."""
    return pick(table, corruption="salt", amount=_SIZES_PIXELS)


def against_share(rows: pd.DataFrame, corruption: str, measure: str) -> Painter:
    """Draw every method against the share of corrupt entries."""

    def paint(ax: Axes) -> None:
        _methods(ax, rows, "amount", measure)
        ax.set_title(CORRUPTION_NAMES[corruption].capitalize())
        ax.set_xlabel("share of corrupt pixels")
        ticks = unique_of(rows, "amount")
        ax.set_xticks(ticks, [f"{100 * tick:g} %" for tick in ticks])

    return f"{LABELS[measure]} against the share of {CORRUPTION_NAMES[corruption]}", paint


def against_faces(rows: pd.DataFrame, measure: str) -> Painter:
    """Draw every method against the number of faces."""

    def paint(ax: Axes) -> None:
        _methods(ax, rows, "n", measure)
        ax.set_title(f"Salt, {_SIZES_PIXELS} pixels of each face")
        ax.set(xscale="log", xlabel="faces")
        ticks = unique_of(rows, "n")
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.minorticks_off()

    return f"{LABELS[measure]} against the number of faces", paint


def _methods(ax: Axes, rows: pd.DataFrame, x: str, measure: str) -> None:
    for name, look in METHODS.items():
        series = curve_of(pick(rows, method=name), x, measure)
        if series.x:
            ax.plot(series.x, series.mean, **look)
    ax.set_ylabel(LABELS[measure])
    if measure == "f1":
        ax.set_ylim(0, 1.03)
    else:
        ax.set_yscale("log")
        top = ax.get_ylim()[1]
        ticks = [tick for tick in (1, 1.2, 1.5, 2, 3, 4, 6, 10, 20, 40) if tick <= top]
        ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        ax.minorticks_off()


def gaps(ax: Axes, detect: pd.DataFrame) -> None:
    """Draw how far F1 of auto stays below the bar, for every set, corruption and share."""
    shown = set()
    for place in corrupt_places(detect):
        at = CORRUPTIONS.index(place.corruption)
        offset = 0.17 * (list(SET_MARKERS).index(place.data) - 1.5)
        marker = SET_MARKERS[place.data]
        label = None if place.data in shown else SET_NAMES[place.data]
        shown.add(place.data)
        share = mean_of(place.rows, "true_share")
        ax.scatter(
            at + offset,
            place.gap,
            s=14 + 160 * share,
            marker=marker,
            facecolor=_SET_COLOURS[place.data],
            edgecolor="white",
            lw=0.5,
            label=label,
        )
    ax.axhline(MOST_GAP, **_BAR)
    ax.axhline(0, color="0.8", lw=0.8, zorder=0)
    ax.set_xticks(range(len(CORRUPTIONS)), [_two_lines(name) for name in CORRUPTIONS], size=7.5)
    ax.set_ylabel("oracle's best F1 − auto's")
    ax.set_title("Distance to the oracle (size: share)")
    ax.legend(fontsize=7, ncols=2)


def _two_lines(corruption: str) -> str:
    first, *rest = CORRUPTION_NAMES[corruption].split(" ")
    return "\n".join([first, " ".join(rest)])


def shares(ax: Axes, detect: pd.DataFrame) -> None:
    """Draw the share of corrupt entries that auto estimates against the true one."""
    rows = pick(detect, method=AUTO)
    for data, marker in SET_MARKERS.items():
        own = pick(rows, data=data)
        found = [(row["true_share"], row["estimated_share"]) for row in records(own)]
        if found:
            x, y = zip(*found, strict=True)
            look: dict[str, Any] = {"marker": marker, "color": _SET_COLOURS[data]}
            ax.scatter(x, y, s=12, alpha=0.5, lw=0, label=SET_NAMES[data], **look)
    top = max(*values_of(rows, "true_share"), *values_of(rows, "estimated_share"), 0.01)
    ax.plot([0, top], [0, top], **_BAR)
    ax.set(xlabel="true share of corrupt entries", ylabel="corruption_")
    ax.set_title("Estimated share, every run")
    ax.legend(fontsize=7)


def reliability(ax: Axes, calibration: pd.DataFrame) -> None:
    """Draw how often the probabilities come true."""
    for corruption, colour in CORRUPTION_COLOURS.items():
        rows = pick(calibration, corruption=corruption)
        bins = unique_of(rows, "bin")
        if not bins:
            continue
        x, y = [], []
        for start in bins:
            own = pick(rows, bin=start)
            # Entries count alike, whatever run they are from.
            weights = values_of(own, "count")
            x.append(np.average(values_of(own, "probability"), weights=weights))
            y.append(np.average(values_of(own, "right"), weights=weights))
        label = CORRUPTION_NAMES[corruption]
        ax.plot(x, y, color=colour, lw=1.6, marker="o", ms=3.5, label=label)
    ax.plot([0, 1], [0, 1], **_BAR)
    ax.axvline(SURE, **_BAR)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.03))
    ax.set(xlabel="noise_probability", ylabel="share that is corrupt")
    ax.set_title("Calibration of auto, all data sets")
    ax.legend(fontsize=7, loc="upper left")


def ranks(ax: Axes, table: pd.DataFrame) -> None:
    """Draw the rank found against the true one; the number of runs as size."""
    rows = pick(table, data=SYNTHETIC)
    levels = unique_of(rows, "amount")
    for i, amount in enumerate(levels):
        own = pick(rows, amount=amount)
        pairs = [(row["rank"], row["found"]) for row in records(own)]
        offset = 0.5 * (i - (len(levels) - 1) / 2)
        colour = ("#0072B2", "#E69F00", "#D55E00", "#222222")[i % 4]
        places = sorted(set(pairs))
        ax.scatter(
            [x + offset for x, _ in places],
            [y for _, y in places],
            s=[8 * pairs.count(place) for place in places],
            color=colour,
            alpha=0.8,
            lw=0,
            label=f"{100 * amount:g} % corrupt",
        )
    known = unique_of(rows, "rank")
    if known:
        ends = [known[0] - 1, known[-1] + 1]
        ax.plot(ends, ends, **_BAR)
        low, high = ([end + step for end in ends] for step in (-MOST_MISS, MOST_MISS))
        ax.fill_between(ends, low, high, color="0.93", lw=0, zorder=-1)
        ax.set_xticks(known)
    ax.set(xlabel="true rank", ylabel="rank found")
    ax.set_title("Rank of synthetic data (size: runs)")
    ax.legend(fontsize=7, loc="upper left")


def rank_cost(ax: Axes, table: pd.DataFrame) -> None:
    """Draw how long the choice of the rank takes."""
    for measure, label, colour, offset in (
        ("relative_auto", 'in fits with lam="auto"', "#D55E00", -0.2),
        ("relative_fixed", "in fits at λ = 0.04", "#0072B2", 0.2),
    ):
        rows = pick(table, data=SYNTHETIC)
        x = rows["rank"] + offset
        ax.scatter(x, values_of(rows, measure), s=9, alpha=0.5, lw=0, color=colour, label=label)
    ax.axhline(MOST_RANK_FITS, **_BAR)
    ax.set_yscale("log")
    ticks = [tick for tick in (5, 10, 15, 30, 60, 120, 240) if tick <= ax.get_ylim()[1]]
    ax.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.set_xticks(unique_of(pick(table, data=SYNTHETIC), "rank"))
    ax.set(xlabel="true rank", ylabel="time, in fits")
    ax.set_title("Time to choose the rank")
    ax.legend(fontsize=7)


def foreign(ax: Axes, table: pd.DataFrame) -> None:
    """Draw what foreign samples do to the components."""
    for i, kind in enumerate(FOREIGN):
        for name, offset in ((FIXED, -0.15), (AUTO, 0.15)):
            values = values_of(pick(table, corruption=kind, method=name), "relative")
            colour = METHODS[name]["color"]
            label = NAMES[name] if i == 0 else None
            ax.scatter([i + offset] * len(values), values, s=12, alpha=0.5, lw=0, color=colour)
            if values:
                ax.plot(i + offset, np.mean(values), "_", ms=22, mew=2.5, color=colour, label=label)
    ax.axhline(MOST_SPOILED, **_BAR)
    ax.axhline(1, color="0.8", lw=0.8, zorder=0)
    ax.set_xlim(-0.6, len(FOREIGN) - 0.4)
    ax.set_xticks(range(len(FOREIGN)), [FOREIGN_NAMES[kind] for kind in FOREIGN])
    ax.set_ylabel("error on unseen faces, with / without")
    ax.set_title("5 % foreign samples")
    ax.legend(fontsize=7, loc="upper left")
