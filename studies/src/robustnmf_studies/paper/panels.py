"""The panels of figures 2 and 3: which rows make which curve, for plots and for tables alike."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from robustnmf_studies.common.frames import Curve, curve_of, pick, unique_of
from robustnmf_studies.common.problem import LAM
from robustnmf_studies.paper.compute import FIXED
from robustnmf_studies.paper.settings import OPTIMUM, PAPER, PIXELS, REFERENCE

# Methods that λ means nothing to are drawn as level lines along it.
WITHOUT_LAM = ("nmf", "oracle", "pcp", "median")


@dataclass(frozen=True)
class Panel:
    """One set of axes.

    Attributes
    ----------
    name : str
        For file names and captions.
    title : str
        What is drawn.
    x, y : str
        Columns of the table.
    x_label, y_label : str
        Their names for readers.
    fixed : tuple of (column, value)
        What does not vary.
    methods : tuple of (method, mode)
        The curves.
    """

    name: str
    title: str
    x: str
    y: str
    x_label: str
    y_label: str
    fixed: tuple[tuple[str, float], ...]
    methods: tuple[tuple[str, str], ...]

    def curves(self, faces: pd.DataFrame) -> dict[tuple[str, str], Curve]:
        """Return the curves that the numbers hold, by method and mode."""
        rows = pick(faces, **dict(self.fixed))
        found = {}
        for method, mode in self.methods:
            own = pick(rows, method=method, mode=mode)
            series = curve_of(own, self.x, self.y)
            if self.x == "lam" and method in WITHOUT_LAM and series.x:
                level = curve_of(pick(own, lam=LAM), "lam", self.y)
                ends = unique_of(pick(rows, method="robust"), "lam")
                series = Curve(
                    [ends[0], ends[-1]], level.mean * 2, level.spread * 2, level.counts * 2
                )
            if series.x:
                found[method, mode] = series
        return found


_DETECTORS = (
    ("robust", PAPER),
    ("robust", OPTIMUM),
    ("nmf", OPTIMUM),
    ("oracle", REFERENCE),
    ("pcp", REFERENCE),
    ("median", REFERENCE),
)


def _restorers(mode: str) -> tuple[tuple[str, str], ...]:
    own = (("nmf", mode), ("robust", mode), ("refit", mode))
    kept = (("keep", OPTIMUM),) if mode == OPTIMUM else ()
    # The plain NMF of scikit-learn, run to its end, is a reference in the paper's mode, too.
    plain = (("nmf", OPTIMUM),) if mode == PAPER else ()
    return (*own, *kept, *plain, ("oracle", REFERENCE), ("pcp", REFERENCE), ("median", REFERENCE))


FIG2 = tuple(
    Panel(
        f"{y}-{name}",
        f"{y.capitalize()}, {words}",
        x,
        y,
        label,
        y,
        fixed,
        _DETECTORS,
    )
    for y in ("precision", "recall")
    for name, words, x, label, fixed in (
        ("faces", f"λ = {LAM:g}", "n", "faces", (("pixels", PIXELS), ("lam", LAM))),
        *((f"lam-{n}", f"{n} faces", "lam", "λ", (("pixels", PIXELS), ("n", n))) for n in FIXED),
    )
)

_MODE_WORDS = {PAPER: "as in the paper", OPTIMUM: "at the optimum"}
FIG3 = tuple(
    Panel(
        f"{mode}-{x}-{value}",
        f"{value} {unit}, {_MODE_WORDS[mode]}",
        x,
        "msre",
        label,
        "MSRE (thousands)",
        ((fixed, value), ("lam", LAM)),
        _restorers(mode),
    )
    for x, label, fixed, unit in (
        ("pixels", "polluted pixels in each face", "n", "faces"),
        ("n", "faces", "pixels", "pixels"),
    )
    for value in FIXED
    for mode in (PAPER, OPTIMUM)
)
