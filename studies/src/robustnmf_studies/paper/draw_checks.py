"""Panels beyond the paper's figures: what decides the claims that it makes in words only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from robustnmf_studies.common.drawing import finish
from robustnmf_studies.common.frames import Numbers, groups, mean_of, means, pick, table_of
from robustnmf_studies.common.problem import LAM
from robustnmf_studies.paper import settings, style
from robustnmf_studies.paper.methods import NAMES
from robustnmf_studies.paper.numbers import BARS
from robustnmf_studies.paper.settings import MANY_FACES, OPTIMUM, PAPER, PIXELS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHADES = ("#E69F00", "#56B4E9", "#0072B2", "#222222")
_DOTTED: dict[str, Any] = {"color": "0.45", "lw": 0.9, "ls": (0, (1, 2))}
_RULES = "iteration of the paper's rules"
_MEASURES = (("precision", "-"), ("recall", style.DASHED))


def _line(ax: Axes, series: pd.Series, label: str, **look: Any) -> None:
    ax.plot(series.index, series, label=label, **look)


def _shade(i: int, **more: Any) -> dict[str, Any]:
    return {"color": _SHADES[i % len(_SHADES)], "lw": 1.6, **more}


def _thresholds(ax: Axes, numbers: Numbers) -> None:
    n = numbers["curves"]["n"].max()
    rows = pick(numbers["curves"], n=n)
    for method, mode, label, more in (
        ("nmf", PAPER, "NMF, the paper's rules", {}),
        ("nmf", OPTIMUM, "NMF, at the optimum", {"ls": "-"}),
        ("pca", OPTIMUM, "PCA", {}),
        ("oracle", OPTIMUM, "WNMF told the mask", {}),
    ):
        found = pick(rows, method=method, mode=mode).groupby("threshold")[list(BARS)].mean()
        found = found.dropna(subset="precision")
        ax.plot(found["recall"], found["precision"], label=label, **style.thin(method) | more)
    robust = pick(table_of(numbers, "faces"), method="robust", pixels=PIXELS, n=n)
    for mode, label in ((PAPER, "RobustNMF, as in the paper"), (OPTIMUM, "at the optimum")):
        path = pick(robust, mode=mode)
        look = style.detector("robust", mode) | {"lw": 0.9, "ms": 3}
        x, y = (means(path, "lam", name) for name in ("recall", "precision"))
        ax.plot(x, y, label=f"{label}, over λ", **look)
        own = pick(path, lam=LAM)
        dot = [mean_of(own, "recall")], [mean_of(own, "precision")]
        ax.plot(*dot, **look | {"ms": 8, "mec": "white"})
    ax.axhline(BARS["precision"], zorder=0, **_DOTTED)
    ax.axvline(BARS["recall"], zorder=0, **_DOTTED)
    title, corner = f"Every threshold, {n:g} faces", {"fontsize": 6.8, "loc": "lower left"}
    legend = corner | {"framealpha": 0.9}
    finish(ax, title, "recall", "precision", legend=legend, xlim=(0, 1.02), ylim=(0, 1.03))


def _shrinkage(ax: Axes, numbers: Numbers) -> None:
    n = numbers["shrinkage"]["n"].max()
    rows = pick(numbers["shrinkage"], n=n, pixels=PIXELS)
    for method, name in (("robust", "RobustNMF"), ("refit", "after the refit")):
        for mode, words in settings.MODES.items():
            look = style.bold(method)
            if mode == OPTIMUM:
                look |= {"ls": style.DASHED, "mfc": "white"}
            found = means(pick(rows, method=method, mode=mode), "size", "estimate")
            _line(ax, found, f"{name}, {words}", **look)
    top = max(rows["size"], default=255)
    ax.plot([0, top], [0, top], label="the truth", **_DOTTED)
    title = f"E is too small, {n:g} faces, {PIXELS} pixels"
    axes = ("true noise (grey levels)", "estimate where found")
    finish(ax, title, *axes, legend={"fontsize": 7})


def _portion(ax: Axes, numbers: Numbers) -> None:
    for i, (pixels, rows) in enumerate(groups(numbers["portion"], "pixels")):
        f1 = means(rows, "lam", "f1")
        _line(ax, f1, f"{pixels:g} pixels", **_shade(i))
        ax.plot(f1.idxmax(), f1.max(), "o", color=_shade(i)["color"])
    style.lam_axis(ax)
    title = f"Best λ (dots), {MANY_FACES} faces"
    finish(ax, title, "λ", "F1", legend={"loc": "lower center"}, ylim=(0, 1.03))


def _objective(ax: Axes, numbers: Numbers) -> None:
    n = numbers["traces"]["n"].max()
    # Runs have data of their own, so a run can only be compared with itself.
    run = pick(numbers["traces"], n=n)["run"].min()
    best = pick(numbers["falls"], n=n, run=run)["last"].min()
    for solver, label, look in (
        ("mu", "the paper's rules", style.bold("robust")),
        ("hals", "exact noise step, HALS", style.detector("robust", OPTIMUM)),
    ):
        rows = pick(numbers["traces"], n=n, solver=solver, run=run)
        objective = means(rows, "iteration", "objective")
        _line(ax, objective[objective > best] / best - 1, label, **look)
    words = (f"Objective, {n:g} faces", "iteration", "above the best known (share)")
    finish(ax, *words, xscale="log", yscale="log")


def _early_stopping(ax: Axes, numbers: Numbers) -> None:
    rows = pick(numbers["traces"], solver="mu")
    for i, n in ((1, rows["n"].min()), (3, rows["n"].max())):
        for measure, dash in _MEASURES:
            name = f"{measure}_{settings.STATED_TOLERANCE:g}"
            found = means(pick(rows, n=n), "iteration", name)
            _line(ax, found, f"{measure}, {n:g} faces", **_shade(i, ls=dash))
    beside = {"fontsize": 7, "loc": "center left", "bbox_to_anchor": (0.0, 0.68)}
    title = "Early stopping"
    finish(ax, title, _RULES, "share", legend=beside, xscale="log", ylim=(0, 1.03))


def _tolerances(ax: Axes, numbers: Numbers) -> None:
    rows = pick(numbers["traces"], solver="mu")
    n = rows["n"].max()
    for i, tolerance in enumerate(settings.TOLERANCES):
        label = f"above {100 * tolerance:g} % of the mean" if tolerance else "not zero"
        found = means(pick(rows, n=n), "iteration", f"precision_{tolerance:g}")
        _line(ax, found, label, **_shade(i))
    title, small = f"What counts as nonzero, {n:g} faces", {"fontsize": 7}
    finish(ax, title, _RULES, "precision", legend=small, xscale="log", ylim=(0, 1.03))


def _error_by_iteration(ax: Axes, numbers: Numbers) -> None:
    rows = pick(numbers["traces"], solver="mu")
    for i, (n, own) in enumerate(groups(rows, "n"), start=1):
        _line(ax, means(own, "iteration", "msre") / 1000, f"{n:g} faces", **_shade(i))
    words = (f"Early stopping restores, too, {PIXELS} pixels", _RULES, "MSRE (thousands)")
    finish(ax, *words, xscale="log", ylim=(0, None))


def _error_by_rank(ax: Axes, numbers: Numbers) -> None:
    for method in ("nmf", "robust", "refit"):
        found = means(pick(numbers["ranks"], method=method), "k", "msre") / 1000
        _line(ax, found, NAMES[method], **style.bold(method))
    title = f"Number of components, {MANY_FACES} faces"
    finish(ax, title, "k", "MSRE (thousands)", ylim=(0, None))


def _detection_by_rank(ax: Axes, numbers: Numbers) -> None:
    rows = pick(numbers["ranks"], method="robust")
    for measure, dash in _MEASURES:
        look = style.detector("robust", OPTIMUM) | {"ls": dash}
        _line(ax, means(rows, "k", measure), measure, **look)
    title = f"RobustNMF's detection, {MANY_FACES} faces"
    finish(ax, title, "k", "share", legend={"loc": "lower left"}, ylim=(0, 1.03))


# The table that a panel needs, what it shows, and what draws it.
CHECKS = (
    ("curves", "Precision against recall for every threshold", _thresholds),
    ("shrinkage", "Estimated noise against true noise", _shrinkage),
    ("portion", "F1 against λ for several shares of corrupt pixels", _portion),
    ("traces", "Objective against iterations", _objective),
    ("traces", "Precision and recall against iterations", _early_stopping),
    ("traces", "Precision against iterations for several tolerances", _tolerances),
    ("traces", "Error against iterations", _error_by_iteration),
    ("ranks", "Error against the number of components", _error_by_rank),
    ("ranks", "Precision and recall against the number of components", _detection_by_rank),
)
