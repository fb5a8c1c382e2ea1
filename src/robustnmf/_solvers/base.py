"""What most solvers say of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from robustnmf._common.arrays import Array
from robustnmf._core.loop import Solver


class BaseSolver:
    """All of a `Solver` but its constructor, `W`, `H` and `step`: it can do nothing special."""

    penalties: ClassVar[tuple[str, ...] | None] = None
    takes_head_start: ClassVar[bool] = False
    first_hint: ClassVar[float | None] = None
    holding: ClassVar[type[Solver] | None] = None
    keeps_noise: ClassVar[bool] = False
    hint: float | None = None

    def noise(self) -> Iterator[Array]:
        """Refuse: E is the exact one of the factors."""
        raise TypeError(f"{type(self).__name__} keeps no noise of its own")
