"""A guess at missing entries that grows: 1, 2, 3, 5, … components, each stage held by the last.

What few components say of an entry that nobody saw is crude but sound; what many say is fine where
known entries hold them, and worth nothing elsewhere. Each stage adds what the data support, because
wherever they support nothing, it is held at what the stage before says.
"""

from __future__ import annotations

from typing import NamedTuple

from robustnmf._common.arrays import Array
from robustnmf._core.held import HOLD, Held
from robustnmf._core.noise import NoiseModel
from robustnmf._core.rows import solve_rows


class Stage(NamedTuple):
    """Components, and how strongly the stage before holds missing entries while W is found."""

    components: Array
    """r×m."""
    hint: float = HOLD.most_hint


def growing_ranks(n_components: int) -> list[int]:
    """Return the numbers of components below a given one, each about half of the next.

    Examples
    --------
    >>> growing_ranks(10)
    [1, 2, 3, 5]
    >>> growing_ranks(1)
    [1]
    """
    ranks = [max(1, -(-n_components // 2))]
    while ranks[0] > 1:
        ranks.insert(0, -(-ranks[0] // 2))
    return ranks


def climb(X: Array, stages: tuple[Stage, ...], noise: NoiseModel, weights: Array | None) -> Array:
    """Return the W of the last stage; the answer of a row depends on it alone.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf._core.noise import NoNoise
    >>> stages = Stage(np.array([[1.0, 1.0, 1.0]])), Stage(np.eye(3), hint=0.1)
    >>> climb(np.array([[2.0, 4.0, np.nan]]), stages, NoNoise(), None)
    array([[2., 4., 3.]])
    """
    first, *others = stages
    W, H = solve_rows(X, first.components, noise, weights), first.components
    for stage in others:
        W = solve_rows(X, stage.components, Held(noise, W, H, stage.hint), weights)
        H = stage.components
    return W
