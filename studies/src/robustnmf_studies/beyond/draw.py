"""The figures of the study, drawn from the tables alone."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pandas as pd

from robustnmf._common.optional import import_extra
from robustnmf_studies.beyond import judge, settings
from robustnmf_studies.beyond.gallery import draw_gallery
from robustnmf_studies.beyond.measures import SURE
from robustnmf_studies.beyond.methods import AUTO, FIXED, NAMES, ORACLE, PURSUIT
from robustnmf_studies.beyond.numbers import corrupt_cases, faces_of
from robustnmf_studies.beyond.settings import CORRUPTION_NAMES, CORRUPTIONS, FOREIGN_NAMES
from robustnmf_studies.common import drawing
from robustnmf_studies.common.drawing import LegendEntry, Painter, Panels, finish
from robustnmf_studies.common.frames import Numbers, means, pick, table_of, unique_of
from robustnmf_studies.common.storage import Storage

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, as in the paper's figures; auto stands out.
METHODS: dict[str, dict[str, Any]] = {
    FIXED: {"color": "#0072B2", "lw": 1.4, "marker": "o", "ms": 3.5},
    "told": {"color": "#56B4E9", "lw": 1.4, "marker": "v", "ms": 3.5},
    # It finds what λ = 0.04 finds, so both lines must show where one lies on the other.
    "refit": {"color": "#009E73", "lw": 1.4, "ls": (0, (3, 2)), "marker": "s", "ms": 2.5},
    "squared_l0": {"color": "#E69F00", "lw": 1.4, "marker": "^", "ms": 3.5},
    PURSUIT: {"color": "#CC79A7", "lw": 1.2, "ls": (0, (4, 2))},
    ORACLE: {"color": "#000000", "lw": 1.4, "ls": (0, (1, 1))},
    AUTO: {"color": "#D55E00", "lw": 2.4, "marker": "D", "ms": 4.5},
}
LEGEND: list[LegendEntry] = [(NAMES[name], look) for name, look in METHODS.items()]
_CORRUPTION_COLOURS = dict(
    zip(CORRUPTIONS, ("#0072B2", "#009E73", "#E69F00", "#CC79A7", "#222222"), strict=True)
)
_SETS: dict[str, dict[str, Any]] = {
    "orl": {"marker": "o", "color": "#D55E00"},
    "lfw": {"marker": "s", "color": "#0072B2"},
    "digits": {"marker": "^", "color": "#009E73"},
    "synthetic": {"marker": "D", "color": "#CC79A7"},
}
_BAR: dict[str, Any] = {"color": "#707070", "lw": 1.0, "ls": (0, (1, 2)), "zorder": 0}
_LABELS = {"f1": "F1", "wh_relative": "W H error / oracle's"}
_SMALL: dict[str, Any] = {"fontsize": 7}
_CORNER = _SMALL | {"loc": "upper left"}
# The pixels of salt at which the number of faces is varied.
_SIZES_PIXELS = 100


def draw_all(numbers: Numbers, storage: Storage) -> dict[str, Panels]:
    """Draw every figure that the numbers allow: as files, and its panels for the report.

    The faces to be shown are read from `storage`, where the files go.
    """
    faces = pick(table_of(numbers, "detect"), data=faces_of(numbers))
    figures = {
        "f1": (_by_corruption(faces, "f1"), 3, LEGEND),
        "wh": (_by_corruption(faces, "wh_relative"), 3, LEGEND),
        "other": (drawing.painters_of(numbers, _OTHER), 3, []),
        "rank": (drawing.painters_of(numbers, _RANK), 3, []),
    }
    matplotlib = import_extra("matplotlib", "plot", "figures need")
    # Points lie above the grid, as lines do.
    with matplotlib.rc_context({**drawing.RC, "axes.axisbelow": True}):
        pictures = storage.read_pictures()
        if pictures:
            drawing.write_figure("faces", draw_gallery(pictures), storage)
        return drawing.draw_figures(figures, storage)


def _by_corruption(faces: pd.DataFrame, measure: str) -> list[Painter]:
    """One panel for each corruption of faces, and one over the number of faces."""
    label = _LABELS[measure]
    painters: list[Painter] = []
    for kind, name in CORRUPTION_NAMES.items():
        rows = pick(faces, n=settings.SWEEP_FACES, corruption=kind)
        # Beside the sweep over the share there are numbers of pixels.
        rows = rows[rows["amount"].between(0, 1, inclusive="neither")] if len(rows) else rows
        if len(rows):
            words: Any = {"title": name.capitalize(), "xlabel": "share of corrupt pixels"}
            paint = functools.partial(_methods, rows=rows, x="amount", measure=measure, **words)
            painters.append((f"{label} against the share of {name}", paint))
    sizes = pick(faces, corruption="salt", amount=_SIZES_PIXELS)
    if len(unique_of(sizes, "n")) > 1:
        words = {"title": f"Salt, {_SIZES_PIXELS} pixels of each face", "xlabel": "faces"}
        paint = functools.partial(_methods, rows=sizes, x="n", measure=measure, **words)
        painters.append((f"{label} against the number of faces", paint))
    return painters


def _methods(ax: Axes, rows: pd.DataFrame, x: str, measure: str, **words: str) -> None:
    """Draw a line for each method along the share of corrupt pixels or the number of faces."""
    for name, look in METHODS.items():
        series = means(pick(rows, method=name), x, measure)
        if len(series):
            ax.plot(series.index, series, **look)
    ax.set(ylabel=_LABELS[measure], **words)
    if measure == "f1":
        ax.set_ylim(0, 1.03)
    else:
        _log_ticks(ax, (1, 1.2, 1.5, 2, 3, 4, 6, 10, 20, 40))
    if x == "n":
        ax.set_xscale("log")
    ticks = unique_of(rows, x)
    ax.set_xticks(ticks, [f"{tick:g}" if x == "n" else f"{100 * tick:g} %" for tick in ticks])
    ax.minorticks_off()


def _log_ticks(ax: Axes, ticks: tuple[float, ...]) -> None:
    ax.set_yscale("log")
    shown = [tick for tick in ticks if tick <= ax.get_ylim()[1]]
    ax.set_yticks(shown, [f"{tick:g}" for tick in shown])
    ax.minorticks_off()


def _gaps(ax: Axes, numbers: Numbers) -> None:
    """Draw how far F1 of auto stays below the oracle's, for every set, corruption and share."""
    found = corrupt_cases(numbers["detect"])
    for i, (data, look) in enumerate(_SETS.items()):
        own = found[found.index.get_level_values("data") == data]
        if len(own):
            kinds = own.index.get_level_values("corruption").map(CORRUPTIONS.index)
            size = 14 + 160 * own["true_share", AUTO]
            spots = {"s": size, "edgecolor": "white", "lw": 0.5, "label": settings.SET_NAMES[data]}
            colour = {"marker": look["marker"], "facecolor": look["color"]}
            ax.scatter(kinds + 0.17 * (i - 1.5), own["gap", AUTO], **spots, **colour)
    ax.axhline(judge.MOST_GAP, **_BAR)
    ax.axhline(0, color="0.8", lw=0.8, zorder=0)
    names = ["\n".join((*CORRUPTION_NAMES[kind].split(" ", 1), "")[:2]) for kind in CORRUPTIONS]
    ax.set_xticks(range(len(names)), names, size=7.5)
    words = ("Distance to the oracle (size: share)", "", "oracle's best F1 − auto's")
    finish(ax, *words, legend=_SMALL | {"ncols": 2})


def _shares(ax: Axes, numbers: Numbers) -> None:
    """Draw the share of corrupt entries that auto estimates against the true one."""
    rows = pick(numbers["detect"], method=AUTO)
    for data, look in _SETS.items():
        own = pick(rows, data=data)
        if len(own):
            x, y = own["true_share"], own["estimated_share"]
            ax.scatter(x, y, s=12, alpha=0.5, lw=0, label=settings.SET_NAMES[data], **look)
    top = max(rows["true_share"].max(), rows["estimated_share"].max(), 0.01)
    ax.plot([0, top], [0, top], **_BAR)
    words = ("Estimated share, every run", "true share of corrupt entries", "corruption_")
    finish(ax, *words, legend=_SMALL)


def _reliability(ax: Axes, numbers: Numbers) -> None:
    """Draw how often the probabilities come true; entries count alike, whatever run they are of."""
    table = numbers["calibration"]
    sums = table[["probability", "right"]].mul(table["count"], axis=0).assign(count=table["count"])
    sums = sums.groupby([table["corruption"], table["bin"]]).sum()
    mean = sums[["probability", "right"]].div(sums["count"], axis=0)
    for kind, colour in _CORRUPTION_COLOURS.items():
        if kind in mean.index:
            x, y = mean.loc[kind, "probability"], mean.loc[kind, "right"]
            label = CORRUPTION_NAMES[kind]
            ax.plot(x, y, color=colour, lw=1.6, marker="o", ms=3.5, label=label)
    ax.plot([0, 1], [0, 1], **_BAR)
    ax.axvline(SURE, **_BAR)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.03))
    words = ("Calibration of auto, all data sets", "noise_probability", "share that is corrupt")
    finish(ax, *words, legend=_CORNER)


def _ranks(ax: Axes, numbers: Numbers) -> None:
    """Draw the rank found against the true one; the number of runs as size."""
    rows = pick(numbers["ranks"], data=settings.SYNTHETIC)
    levels = unique_of(rows, "amount")
    for i, amount in enumerate(levels):
        counts = pick(rows, amount=amount).groupby(["rank", "found"], as_index=False).size()
        ax.scatter(
            counts["rank"] + 0.5 * (i - (len(levels) - 1) / 2),
            counts["found"],
            s=8 * counts["size"],
            color=("#0072B2", "#E69F00", "#D55E00", "#222222")[i % 4],
            alpha=0.8,
            lw=0,
            label=f"{100 * amount:g} % corrupt",
        )
    known = unique_of(rows, "rank")
    if known:
        ends = [known[0] - 1, known[-1] + 1]
        ax.plot(ends, ends, **_BAR)
        low, high = ([end + step for end in ends] for step in (-judge.MOST_MISS, judge.MOST_MISS))
        ax.fill_between(ends, low, high, color="0.93", lw=0, zorder=-1)
        ax.set_xticks(known)
    words = ("Rank of synthetic data (size: runs)", "true rank", "rank found")
    finish(ax, *words, legend=_CORNER)


def _rank_cost(ax: Axes, numbers: Numbers) -> None:
    """Draw how long the choice of the rank takes."""
    rows = pick(numbers["ranks"], data=settings.SYNTHETIC)
    for measure, label, colour, offset in (
        ("relative_auto", 'in fits with lam="auto"', "#D55E00", -0.2),
        ("relative_fixed", "in fits at λ = 0.04", "#0072B2", 0.2),
    ):
        x, y = rows["rank"] + offset, rows[measure]
        ax.scatter(x, y, s=9, alpha=0.5, lw=0, color=colour, label=label)
    ax.axhline(judge.MOST_RANK_FITS, **_BAR)
    _log_ticks(ax, (5, 10, 15, 30, 60, 120, 240))
    ax.set_xticks(unique_of(rows, "rank"))
    finish(ax, "Time to choose the rank", "true rank", "time, in fits", legend=_SMALL)


def _foreign(ax: Axes, numbers: Numbers) -> None:
    """Draw what foreign samples do to the components."""
    for i, kind in enumerate(FOREIGN_NAMES):
        for name, offset in ((FIXED, -0.15), (AUTO, 0.15)):
            values = pick(numbers["samples"], corruption=kind, method=name)["relative"]
            colour = METHODS[name]["color"]
            label = NAMES[name] if i == 0 else None
            ax.scatter([i + offset] * len(values), values, s=12, alpha=0.5, lw=0, color=colour)
            if len(values):
                ax.plot(i + offset, values.mean(), "_", ms=22, mew=2.5, color=colour, label=label)
    ax.axhline(judge.MOST_SPOILED, **_BAR)
    ax.axhline(1, color="0.8", lw=0.8, zorder=0)
    ax.set_xlim(-0.6, len(FOREIGN_NAMES) - 0.4)
    ax.set_xticks(range(len(FOREIGN_NAMES)), list(FOREIGN_NAMES.values()))
    words = ("5 % foreign samples", "", "error on unseen faces, with / without")
    finish(ax, *words, legend=_CORNER)


# Of two figures: the table that a panel needs, what it shows, and what draws it.
_OTHER = (
    ("detect", "F1 below the oracle's best threshold", _gaps),
    ("detect", "Estimated share against true share", _shares),
    ("calibration", "Share of corrupt entries against probability", _reliability),
)
_RANK = (
    ("ranks", "Rank found against true rank", _ranks),
    ("ranks", "Time to choose the rank, in fits", _rank_cost),
    ("samples", "Error with foreign samples, relative to without", _foreign),
)
