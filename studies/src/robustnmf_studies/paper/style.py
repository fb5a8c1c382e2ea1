"""How every figure looks: one colour for each method, the same everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from robustnmf_studies.common.drawing import LegendEntry
from robustnmf_studies.paper.methods import NAMES
from robustnmf_studies.paper.settings import OPTIMUM, PAPER, REFERENCE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
DASHED = (0, (3, 1.5))
_DASHES: dict[str, Any] = {
    "keep": (0, (5, 1.5)),
    "oracle": (0, (1, 1)),
    "pcp": (0, (4, 2)),
    "median": (0, (6, 1.5, 1, 1.5)),
    "bar": (0, (1, 2)),
}
_MARKERS = {"nmf": "^", "robust": "o", "refit": "s"}


def thin(method: str) -> dict[str, Any]:
    """Return the style of a curve that is there to compare with."""
    return {"color": _COLOURS[method], "lw": 1.2, "ls": _DASHES.get(method, DASHED)}


def bold(method: str) -> dict[str, Any]:
    """Return the style of a curve that is judged.

    Examples
    --------
    >>> bold("robust")["marker"]
    'o'
    """
    return {"color": _COLOURS[method], "lw": 1.9, "marker": _MARKERS[method], "ms": 4}


def detector(method: str, mode: str) -> dict[str, Any]:
    """Return the style of a curve in figure 2, where both modes share the axes."""
    if method != "robust":
        return thin(method)
    return bold("robust") | ({"color": "#56B4E9", "marker": "s"} if mode == OPTIMUM else {})


def lam_axis(ax: Axes) -> None:
    """Make the x axis one of λ: by factors, with the numbers written out."""
    ax.set_xscale("log")
    low, high = ax.get_xlim()
    shown = [0.0025 * 2**i for i in range(7) if low <= 0.0025 * 2**i <= high]
    ax.set_xticks(shown, [f"{tick:g}" for tick in shown])
    ax.minorticks_off()


# The order of legends: what is judged first, then what it is compared with.
LEGENDS: dict[str, list[LegendEntry]] = {
    "fig2": [
        ("RobustNMF, as in the paper", detector("robust", PAPER)),
        ("RobustNMF, at the optimum", detector("robust", OPTIMUM)),
        ("residual of scikit-learn's NMF*", detector("nmf", OPTIMUM)),
        ("residual of WNMF told the mask*", detector("oracle", REFERENCE)),
        ("robust PCA (PCP)*", detector("pcp", REFERENCE)),
        ("residual of a 3×3 median filter*", detector("median", REFERENCE)),
        ("what the paper says is exceeded", thin("bar")),
    ],
    "fig3": [
        ("NMF (left: the paper's rules; right: scikit-learn)", bold("nmf")),
        (NAMES["robust"], bold("robust")),
        (NAMES["refit"], bold("refit")),
        ("scikit-learn's NMF to its end", thin("nmf")),
        *((NAMES[method], thin(method)) for method in ("keep", "oracle", "pcp", "median")),
    ],
}
