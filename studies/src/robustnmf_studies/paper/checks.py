"""Panels beyond the paper's figures: what decides the claims that it makes in words only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from robustnmf_studies.common.drawing import Painter
from robustnmf_studies.common.frames import (
    Numbers,
    curve_of,
    mean_of,
    pick,
    table_of,
    unique_of,
    values_of,
)
from robustnmf_studies.common.problem import LAM
from robustnmf_studies.paper import style
from robustnmf_studies.paper.methods import NAMES
from robustnmf_studies.paper.settings import OPTIMUM, PAPER, PIXELS, RANK_FACES
from robustnmf_studies.paper.traces import STATED_TOLERANCE, TOLERANCES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHADES = ("#E69F00", "#56B4E9", "#0072B2", "#222222")


def check_panels(numbers: Numbers) -> list[Painter]:
    """Return the panels for which there are numbers, each with its description.

    Parameters
    ----------
    numbers : mapping of DataFrame
        The tables.

    Returns
    -------
    list of (description, painter)
        The painter takes the axes to draw into.
    """
    panels: list[Painter] = []

    def add(table: str, words: str, paint: Callable[[Axes, Numbers], None]) -> None:
        if len(table_of(numbers, table)):
            panels.append((words, lambda ax: paint(ax, numbers)))

    add("curves", "Precision against recall for every threshold", _thresholds)
    add("shrinkage", "Estimated noise against true noise", _shrinkage)
    add("portion", "F1 against λ for several shares of corrupt pixels", _portion)
    add("traces", "Objective against iterations", _objective)
    add("traces", "Precision and recall against iterations", _early_stopping)
    add("traces", "Precision against iterations for several tolerances", _tolerances)
    add("traces", "Error against iterations", _error_by_iteration)
    add("ranks", "Error against the number of components", _error_by_rank)
    add("ranks", "Precision and recall against the number of components", _detection_by_rank)
    return panels


def _thresholds(ax: Axes, numbers: Numbers) -> None:
    rows = numbers["curves"]
    n = unique_of(rows, "n")[-1]
    for method, mode, label in (
        ("nmf", PAPER, "NMF, the paper's rules"),
        ("nmf", OPTIMUM, "NMF, at the optimum"),
        ("pca", OPTIMUM, "PCA"),
        ("oracle", OPTIMUM, "WNMF told the mask"),
    ):
        found = pick(rows, n=n, method=method, mode=mode)
        precision, recall = (curve_of(found, "threshold", y) for y in ("precision", "recall"))
        at = dict(zip(recall.x, recall.mean, strict=True))
        look = style.line(method, mode, main=False)
        if (method, mode) == ("nmf", OPTIMUM):
            look["ls"] = "-"
        ax.plot([at[x] for x in precision.x], precision.mean, label=label, **look)
    robust = pick(table_of(numbers, "faces"), method="robust", pixels=PIXELS, n=n)
    for mode, label in ((PAPER, "RobustNMF, as in the paper"), (OPTIMUM, "at the optimum")):
        path = pick(robust, mode=mode)
        look = style.detector("robust", mode) | {"lw": 0.9, "ms": 3}
        x, y = (curve_of(path, "lam", name).mean for name in ("recall", "precision"))
        ax.plot(x, y, label=f"{label}, over λ", **look)
        own = pick(path, lam=LAM)
        ax.plot(
            [mean_of(own, "recall")],
            [mean_of(own, "precision")],
            **(look | {"ms": 8, "mec": "white"}),
        )
    ax.axhline(0.9, color="0.45", lw=0.9, ls=(0, (1, 2)), zorder=0)
    ax.axvline(0.5, color="0.45", lw=0.9, ls=(0, (1, 2)), zorder=0)
    ax.set(xlim=(0, 1.02), ylim=(0, 1.03), xlabel="recall", ylabel="precision")
    ax.set_title(f"Every threshold, {n:g} faces")
    ax.legend(loc="lower left", fontsize=6.8, framealpha=0.9)


def _shrinkage(ax: Axes, numbers: Numbers) -> None:
    rows = numbers["shrinkage"]
    n = unique_of(rows, "n")[-1]
    rows = pick(rows, n=n, pixels=PIXELS)
    for method, mode, label in (
        ("robust", PAPER, "RobustNMF, as in the paper"),
        ("robust", OPTIMUM, "RobustNMF, at the optimum"),
        ("refit", PAPER, "after the refit, as in the paper"),
        ("refit", OPTIMUM, "after the refit, at the optimum"),
    ):
        found = curve_of(pick(rows, method=method, mode=mode), "size", "estimate")
        look = style.line(method, mode, main=True)
        if mode == OPTIMUM:
            look |= {"ls": (0, (3, 1.5)), "mfc": "white"}
        ax.plot(found.x, found.mean, label=label, **look)
    top = max(unique_of(rows, "size"), default=255)
    ax.plot([0, top], [0, top], color="0.45", lw=0.9, ls=(0, (1, 2)), label="the truth")
    ax.set(xlabel="true noise (grey levels)", ylabel="estimate where found")
    ax.set_title(f"E is too small, {n:g} faces, {PIXELS} pixels")
    ax.legend(fontsize=7)


def _portion(ax: Axes, numbers: Numbers) -> None:
    from robustnmf_studies.paper.figures import lam_axis

    rows = numbers["portion"]
    for colour, pixels in zip(_SHADES, unique_of(rows, "pixels"), strict=False):
        curve = curve_of(pick(rows, pixels=pixels), "lam", "f1")
        ax.plot(curve.x, curve.mean, color=colour, lw=1.6, label=f"{pixels:g} pixels")
        top = curve.mean.index(max(curve.mean))
        ax.plot(curve.x[top], curve.mean[top], "o", color=colour)
    ax.set_ylim(0, 1.03)
    lam_axis(ax)
    ax.set(xlabel="λ", ylabel="F1")
    ax.set_title("Best λ (dots), 100 faces")
    ax.legend(fontsize=7.5, loc="lower center")


def _objective(ax: Axes, numbers: Numbers) -> None:
    rows = numbers["traces"]
    n = unique_of(rows, "n")[-1]
    # Runs have data of their own, so a run can only be compared with itself.
    run = unique_of(pick(rows, n=n), "run")[0]
    best = min(values_of(pick(numbers["falls"], n=n, run=run), "last"))
    for solver, label, look in (
        ("mu", "the paper's rules", style.line("robust", PAPER, main=True)),
        ("hals", "exact noise step, HALS", style.detector("robust", OPTIMUM)),
    ):
        curve = curve_of(pick(rows, n=n, solver=solver, run=run), "iteration", "objective")
        kept = [(x, f / best - 1) for x, f in zip(curve.x, curve.mean, strict=True) if f > best]
        ax.plot(*zip(*kept, strict=True), label=label, **look)
    ax.set(xscale="log", yscale="log", xlabel="iteration", ylabel="above the best known (share)")
    ax.set_title(f"Objective, {n:g} faces")
    ax.legend(fontsize=7.5)


def _early_stopping(ax: Axes, numbers: Numbers) -> None:
    rows = pick(numbers["traces"], solver="mu")
    counts = unique_of(rows, "n")
    for colour, n in zip((_SHADES[1], _SHADES[3]), (counts[0], counts[-1]), strict=True):
        for measure, dash in (("precision", "-"), ("recall", (0, (3, 1.5)))):
            name = f"{measure}_{STATED_TOLERANCE:g}"
            curve = curve_of(pick(rows, n=n), "iteration", name)
            label = f"{measure}, {n:g} faces"
            ax.plot(curve.x, curve.mean, color=colour, ls=dash, lw=1.6, label=label)
    ax.set_ylim(0, 1.03)
    ax.set(xscale="log", xlabel="iteration of the paper's rules", ylabel="share")
    ax.set_title("Early stopping")
    ax.legend(fontsize=7, loc="center left", bbox_to_anchor=(0.0, 0.68))


def _tolerances(ax: Axes, numbers: Numbers) -> None:
    rows = pick(numbers["traces"], solver="mu")
    n = unique_of(rows, "n")[-1]
    for colour, tolerance in zip(_SHADES, TOLERANCES, strict=True):
        curve = curve_of(pick(rows, n=n), "iteration", f"precision_{tolerance:g}")
        label = f"above {100 * tolerance:g} % of the mean" if tolerance else "not zero"
        ax.plot(curve.x, curve.mean, color=colour, lw=1.6, label=label)
    ax.set_ylim(0, 1.03)
    ax.set(xscale="log", xlabel="iteration of the paper's rules", ylabel="precision")
    ax.set_title(f"What counts as nonzero, {n:g} faces")
    ax.legend(fontsize=7)


def _error_by_iteration(ax: Axes, numbers: Numbers) -> None:
    rows = pick(numbers["traces"], solver="mu")
    counts = unique_of(rows, "n")
    for colour, n in zip(_SHADES[1:], counts, strict=False):
        curve = curve_of(pick(rows, n=n), "iteration", "msre")
        thousands = [value / 1000 for value in curve.mean]
        ax.plot(curve.x, thousands, color=colour, lw=1.6, label=f"{n:g} faces")
    ax.set(xscale="log", xlabel="iteration of the paper's rules", ylabel="MSRE (thousands)")
    ax.set_ylim(bottom=0)
    ax.set_title(f"Early stopping restores, too, {PIXELS} pixels")
    ax.legend(fontsize=7.5)


def _error_by_rank(ax: Axes, numbers: Numbers) -> None:
    rows = numbers["ranks"]
    for method in ("nmf", "robust", "refit"):
        curve = curve_of(pick(rows, method=method), "k", "msre")
        thousands = [value / 1000 for value in curve.mean]
        look = style.line(method, OPTIMUM, main=True)
        ax.plot(curve.x, thousands, label=NAMES[method], **look)
    ax.set(xlabel="k", ylabel="MSRE (thousands)")
    ax.set_ylim(bottom=0)
    ax.set_title(f"Number of components, {RANK_FACES} faces")
    ax.legend(fontsize=7.5)


def _detection_by_rank(ax: Axes, numbers: Numbers) -> None:
    rows = pick(numbers["ranks"], method="robust")
    for measure, dash in (("precision", "-"), ("recall", (0, (3, 1.5)))):
        curve = curve_of(rows, "k", measure)
        look = style.detector("robust", OPTIMUM) | {"ls": dash}
        ax.plot(curve.x, curve.mean, label=measure, **look)
    ax.set_ylim(0, 1.03)
    ax.set(xlabel="k", ylabel="share")
    ax.set_title(f"RobustNMF's detection, {RANK_FACES} faces")
    ax.legend(fontsize=7.5, loc="lower left")
