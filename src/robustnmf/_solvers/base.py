"""What most solvers say of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from robustnmf._common.arrays import Array
from robustnmf._core.loop import Solver, State, Window


class BaseSolver:
    """All of a `Solver` but its constructor, `W`, `H` and `step`: it can do nothing special."""

    penalties: ClassVar[tuple[str, ...] | None] = None
    takes_head_start: ClassVar[bool] = False
    first_hint: ClassVar[float | None] = None
    holding: ClassVar[type[Solver] | None] = None
    keeps_noise: ClassVar[bool] = False
    resumes: ClassVar[bool] = False
    overwrites: ClassVar[bool] = False
    # Extrapolated steps come in waves, so one small decrease proves nothing; ten of them do, or
    # five that are so small that ten would be far below the tolerance. By the second way fits end a
    # millionth higher on average, after up to a fifth fewer passes (faces, digits, made-up data).
    windows: ClassVar[tuple[Window, ...]] = ((10, 1.0), (5, 1 / 8))
    hint: float | None = None
    unread: int = 1

    def noise(self) -> Iterator[Array]:
        """Refuse: E is the exact one of the factors."""
        raise TypeError(f"{type(self).__name__} keeps no noise of its own")

    def go_back(self, steps: int) -> None:
        """Stay: no step is taken before the one before is read."""
        assert steps == 0

    def state(self) -> State:
        """Refuse: what it knows cannot be put away."""
        raise TypeError(f"{type(self).__name__} has no state that can be kept")

    def resume(self, state: State) -> None:
        """Refuse, too."""
        raise TypeError(f"{type(self).__name__} cannot go on from a state")
