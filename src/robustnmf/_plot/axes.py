"""What all plots share: where to draw, and how axes look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf._common.text import shortened, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More names than this on an axis cannot be read.
MOST_NAMES = 40
# And a longer one would leave no room for the picture.
MOST_LETTERS = 40


def given_or_current(ax: Axes | None) -> Axes:
    """Return the axes given, or those that pyplot would draw into."""
    if ax is not None:
        return ax
    pyplot = import_extra("matplotlib.pyplot", "plot", "pictures need")
    axes: Axes = pyplot.gca()
    return axes


def bare(axes: Axes) -> Axes:
    """Take away the lines that say nothing."""
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def as_dense(data: Any) -> NDArray[np.float64]:
    """Return numbers, whatever holds them: an array, a frame, a sparse matrix."""
    return np.asarray(data.toarray() if hasattr(data, "toarray") else data, dtype=np.float64)


def feature_names(names: Sequence[str] | None, source: Any) -> Sequence[str] | None:
    """Return the names given, or those that a fitted model knows, or None."""
    known = getattr(source, "feature_names_in_", None)
    return names if names is not None or known is None else list(known)


def label_columns(axes: Axes, names: Sequence[str] | None, n: int) -> None:
    """Write the columns' names below the axes, where they can be read."""
    if names is None:
        return
    if len(names) != n:
        raise ValueError(f"{len(names)} names were given for {n} columns: give one for each")
    if n <= MOST_NAMES:
        # Many names only fit upright and small.
        few = n <= MOST_NAMES // 3
        style: dict[str, Any] = {"rotation": 45, "ha": "right"} if few else {"rotation": 90}
        size = "medium" if few else "x-small"
        shown = [shortened(visible(str(name)), MOST_LETTERS) for name in names]
        # A dollar in a name is money, not mathematics.
        axes.set_xticks(range(n), shown, fontsize=size, parse_math=False, **style)
        # The names say themselves what they are.
        axes.set_xlabel("")
