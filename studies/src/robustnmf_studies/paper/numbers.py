"""The numbers behind the figures: as curves, and as tables of words for report and page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from robustnmf_studies.common import frames
from robustnmf_studies.common.frames import Curve, Numbers, pick, table_of, text_table
from robustnmf_studies.common.problem import LAM
from robustnmf_studies.common.verdicts import change
from robustnmf_studies.common.words import row_table
from robustnmf_studies.paper import settings
from robustnmf_studies.paper.methods import NAMES
from robustnmf_studies.paper.settings import FIXED, MODES, OPTIMUM, PAPER, PIXELS, REFERENCE

# What the paper says its detection exceeds.
BARS = {"precision": 0.9, "recall": 0.5}
# Methods that λ means nothing to are drawn as level lines along it.
_WITHOUT_LAM = ("nmf", "oracle", "pcp", "median")
# Iterations of the paper's rules at which a page tells what they come to.
_ITERATIONS = (20, 50, 100, 200, 500, 2000)
_RIVALS = {
    ("nmf", OPTIMUM): "scikit-learn's NMF",
    ("pcp", REFERENCE): "robust PCA (PCP)",
    ("median", REFERENCE): "3×3 median filter",
    ("keep", OPTIMUM): "RobustNMF, unsuspected pixels kept as measured",
    ("oracle", REFERENCE): "WNMF that is told the mask (oracle)",
}


def plain_methods(
    numbers: Numbers, table: str, mode: str
) -> Iterator[tuple[str, int, pd.DataFrame]]:
    """Yield the rows of NMF and PCA at each number of faces: in words, the number, the rows."""
    for name in ("NMF", "PCA"):
        for n in FIXED:
            rows = pick(table_of(numbers, table), method=name.lower(), mode=mode, n=n)
            if len(rows):
                yield f"{name}, {n} faces", n, rows


@dataclass(frozen=True)
class Panel:
    """One set of axes of figure 2 or 3: column `y` along column `x`, the others `fixed`."""

    title: str
    x: str
    y: str
    x_label: str
    y_label: str
    fixed: Mapping[str, float]
    # The curves, by method and mode.
    methods: tuple[tuple[str, str], ...]

    def curves(self, faces: pd.DataFrame) -> dict[tuple[str, str], Curve]:
        """Return the curves that the numbers hold, by method and mode."""
        rows = pick(faces, **self.fixed)
        found = {}
        for method, mode in self.methods:
            own = pick(rows, method=method, mode=mode)
            if self.x == "lam" and method in _WITHOUT_LAM and len(own):
                ends = frames.unique_of(pick(rows, method="robust"), "lam")
                own = pd.concat([own.assign(lam=end) for end in {ends[0], ends[-1]}])
            series = frames.curve_of(own, self.x, self.y)
            if series.x:
                found[method, mode] = series
        return found


_REFERENCES = (("oracle", REFERENCE), ("pcp", REFERENCE), ("median", REFERENCE))
_DETECTORS = (("robust", PAPER), ("robust", OPTIMUM), ("nmf", OPTIMUM), *_REFERENCES)
# The plain NMF of scikit-learn, run to its end, is a reference in the paper's mode, too.
_MORE = {PAPER: ("nmf", OPTIMUM), OPTIMUM: ("keep", OPTIMUM)}
_RESTORERS = {
    mode: (("nmf", mode), ("robust", mode), ("refit", mode), _MORE[mode], *_REFERENCES)
    for mode in MODES
}

_ALONG: tuple[tuple[str, str, str, Mapping[str, float]], ...] = (
    (f"λ = {LAM:g}", "n", "faces", {"lam": LAM}),
    *((f"{n} faces", "lam", "λ", {"n": n}) for n in FIXED),
)
FIG2 = tuple(
    Panel(f"{y.capitalize()}, {words}", x, y, label, y, {"pixels": PIXELS, **fixed}, _DETECTORS)
    for y in BARS
    for words, x, label, fixed in _ALONG
)
FIG3 = tuple(
    Panel(
        f"{value} {unit}, {MODES[mode]}",
        x,
        "msre",
        label,
        "MSRE (thousands)",
        {fixed: value, "lam": LAM},
        _RESTORERS[mode],
    )
    for x, label, fixed, unit in (
        ("pixels", "polluted pixels in each face", "n", "faces"),
        ("n", "faces", "pixels", "pixels"),
    )
    for value in FIXED
    for mode in MODES
)


def panel_tables(numbers: Numbers) -> list[pd.DataFrame]:
    """Return a table for each panel of figures 2 and 3 that there are numbers for."""
    faces = table_of(numbers, "faces")
    found = ((panel, panel.curves(faces)) for panel in (*FIG2, *FIG3))
    return [_panel_table(panel, curves) for panel, curves in found if curves]


def _panel_table(panel: Panel, curves: dict[tuple[str, str], Curve]) -> pd.DataFrame:
    scale, form = (1000, ".0f") if panel.y == "msre" else (1, ".2f")
    # Methods that know no λ have a single value, which the table of figure 2's first panel holds.
    points = max((curve.x for curve in curves.values()), key=len)
    rows = []
    for (method, mode), curve in curves.items():
        cells = {
            x: f"{mean / scale:{form}}" + (f" ± {spread / scale:{form}}" if count > 1 else "")
            for x, mean, spread, count in zip(*curve, strict=True)
        }
        rows.append((_name(method, mode), *(cells.get(x, "") for x in points)))
    title = f"{panel.title}: {panel.y_label} against {panel.x_label}"
    return text_table(title, ("", *(f"{x:g}" for x in points)), rows)


def _name(method: str, mode: str) -> str:
    return NAMES[method] + {PAPER: ", paper", OPTIMUM: ", optimum"}.get(mode, "")


def picture_table(numbers: Numbers) -> pd.DataFrame:
    """Return the quality of all pictures, by method."""
    pictures = table_of(numbers, "pictures")
    rows = []
    if len(pictures):
        own = pictures.fillna({"mode": ""}).groupby(["method", "mode"], sort=False)
        for (method, mode), found in own:
            mean = found.groupby("image")[["psnr", "ssim"]].mean()
            cells = (f"{psnr:.2f} / {ssim:.3f}" for psnr, ssim in mean.to_numpy())
            rows.append((_name(method, mode), *cells))
    images = frames.unique_of(pictures, "image")
    return text_table("Pictures: PSNR in dB / SSIM", ("method", *images), rows)


def iteration_table(numbers: Numbers) -> pd.DataFrame:
    """Return what the paper's rules come to after more and more iterations."""
    found = pick(table_of(numbers, "traces"), solver="mu", iteration=_ITERATIONS)
    if len(found):
        found = found.groupby(["n", "iteration"], as_index=False).mean(numeric_only=True)
        found["error"] = found["msre"] / 1000
    columns = {"faces": "{n:g}", "iterations": "{iteration:g}"}
    stated = ("recall", settings.STATED_TOLERANCE)
    shares = [*(("precision", t) for t in settings.TOLERANCES), stated]
    for i, (measure, tolerance) in enumerate(shares):
        found = found.rename(columns={f"{measure}_{tolerance:g}": f"share{i}"})
        columns[f"{measure}, tolerance {100 * tolerance:g} %"] = f"{{share{i}:.2f}}"
    return row_table("Early stopping", found, columns | {"MSRE (thousands)": "{error:.0f}"})


def rank_table(numbers: Numbers) -> pd.DataFrame:
    """Return how much the number of components matters."""
    ranks = table_of(numbers, "ranks")
    if len(ranks):
        error = ranks.pivot_table(index="k", columns="method", values="msre") / 1000
        ranks = pick(ranks, method="robust").groupby("k")[list(BARS)].mean().join(error)
    columns = {
        "k": "{k:g}",
        "precision": "{precision:.2f}",
        "recall": "{recall:.2f}",
        "MSRE of NMF": "{nmf:.0f}k",
        "RobustNMF": "{robust:.0f}k",
        "RobustNMF+WNMF": "{refit:.0f}k",
    }
    return row_table("Number of components", ranks.reset_index(), columns)


def rival_table(numbers: Numbers) -> pd.DataFrame:
    """Compare every reference with the better of RobustNMF and RobustNMF+WNMF at the optimum.

    For each, in how many cases it is better, and by how much in the middle.
    """
    faces = pick(table_of(numbers, "faces"), lam=LAM)
    pictures = table_of(numbers, "pictures")
    rows = []
    for (method, mode), name in _RIVALS.items():
        # What keeps clean pixels finds the very same noise as RobustNMF, being RobustNMF.
        detection = pd.DataFrame() if method == "keep" else faces
        comparisons = (
            _compare(detection, method, mode, "f1", lambda gap: f"{gap:+.2f}"),
            _compare(faces, method, mode, "msre", change),
            _compare(pictures, method, mode, "psnr", lambda gap: f"{gap:+.1f} dB"),
        )
        rows.append((name, *comparisons))
    headings = ("finding noise (F1)", "restoring faces (MSRE)", "denoising pictures (PSNR)")
    return text_table("", ("method", *headings), rows)


def _compare(
    table: pd.DataFrame, method: str, mode: str, measure: str, words: Callable[[float], str]
) -> str:
    """Say in how many cases a method is better, and by how much; of errors, which share."""
    rows = pick(table, method=method, mode=mode)
    if not len(rows):
        return "–"
    case = ["image"] if "image" in rows else ["n", "pixels"]
    theirs, *ours = (
        found.groupby(case, sort=False)[measure].mean()
        for found in (rows, *(pick(table, method=m, mode=OPTIMUM) for m in ("robust", "refit")))
    )
    error = measure == "msre"
    own = pd.concat(ours, axis=1).agg("min" if error else "max", axis=1).reindex(theirs.index)
    gaps = theirs / own - 1 if error else theirs - own
    won = (gaps < 0 if error else gaps > 0).sum()
    # Of an even number of cases, the middle is one of the two.
    closest = gaps.iloc[(gaps - gaps.median()).abs().argmin()]
    return f"better in {won} of {len(gaps)}; median {words(closest)}".replace("-", "−")
