"""How each method and each corruption looks in every figure of the study."""

from __future__ import annotations

from typing import Any

from robustnmf_studies.beyond.methods import AUTO, FIXED, NAMES, ORACLE, PURSUIT
from robustnmf_studies.common.drawing import LegendEntry

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
CORRUPTION_COLOURS = {
    "salt": "#0072B2",
    "salt_pepper": "#009E73",
    "random": "#E69F00",
    "spikes": "#CC79A7",
    "occlusion": "#222222",
}
SET_MARKERS = {"orl": "o", "lfw": "s", "digits": "^", "synthetic": "D"}


def legend_entries() -> list[LegendEntry]:
    """Return the label and the style of each method's curve."""
    return [(NAMES[name], look) for name, look in METHODS.items()]
