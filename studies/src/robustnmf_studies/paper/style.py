"""How every figure looks: one colour for each method, the same everywhere."""

from __future__ import annotations

from typing import Any

from robustnmf_studies.paper.methods import NAMES
from robustnmf_studies.paper.settings import OPTIMUM, PAPER

# Okabe and Ito's colours, which stay apart for colour-blind readers, too.
_COLOURS = {
    "nmf": "#D55E00",
    "robust": "#0072B2",
    "refit": "#009E73",
    "keep": "#56B4E9",
    "oracle": "#000000",
    "pcp": "#CC79A7",
    "median": "#E69F00",
    "pca": "#8C564B",
    "bar": "#707070",
}
_DASHES: dict[str, Any] = {
    "keep": (0, (5, 1.5)),
    "oracle": (0, (1, 1)),
    "pcp": (0, (4, 2)),
    "median": (0, (6, 1.5, 1, 1.5)),
    "bar": (0, (1, 2)),
}
_MARKERS = {"nmf": "^", "robust": "o", "refit": "s"}

# The order of legends: what is judged first, then what it is compared with.
_FIG2 = (
    ("robust", PAPER, "RobustNMF, as in the paper"),
    ("robust", OPTIMUM, "RobustNMF, at the optimum"),
    ("nmf", "best", "residual of scikit-learn's NMF*"),
    ("oracle", "reference", "residual of WNMF told the mask*"),
    ("pcp", "reference", "robust PCA (PCP)*"),
    ("median", "reference", "residual of a 3×3 median filter*"),
    ("bar", "reference", "what the paper says is exceeded"),
)
_FIG3 = (
    ("nmf", PAPER, "NMF (left: the paper's rules; right: scikit-learn)"),
    ("robust", PAPER, NAMES["robust"]),
    ("refit", PAPER, NAMES["refit"]),
    ("nmf", "best", "scikit-learn's NMF to its end"),
    ("keep", OPTIMUM, NAMES["keep"]),
    ("oracle", "reference", NAMES["oracle"]),
    ("pcp", "reference", NAMES["pcp"]),
    ("median", "reference", NAMES["median"]),
)
LEGENDS = {"fig2": _FIG2, "fig3": _FIG3}


def line(method: str, mode: str, *, main: bool) -> dict[str, Any]:
    """Return the style of a curve.

    Parameters
    ----------
    method, mode : str
        Whose curve it is.
    main : bool
        Whether it is judged, or there to compare with: those are thin and have no markers.

    Returns
    -------
    dict
        For ``Axes.plot``.

    Examples
    --------
    >>> line("robust", "paper", main=True)["marker"]
    'o'
    """
    colour = _COLOURS[method]
    if not main:
        return {"color": colour, "lw": 1.2, "ls": _DASHES.get(method, (0, (3, 1.5)))}
    style: dict[str, Any] = {"color": colour, "lw": 1.9, "marker": _MARKERS[method], "ms": 4}
    return style


def detector(method: str, mode: str) -> dict[str, Any]:
    """Return the style of a curve in figure 2, where both modes share the axes."""
    if method != "robust":
        return line(method, mode, main=False)
    if mode == OPTIMUM:
        return {"color": "#56B4E9", "lw": 1.9, "marker": "s", "ms": 4}
    return line(method, mode, main=True)


def restorer(method: str, mode: str, axes_mode: str) -> dict[str, Any]:
    """Return the style of a curve in figure 3, where each mode has its own axes."""
    main = method in _MARKERS and mode == axes_mode
    return line(method, mode, main=main)
