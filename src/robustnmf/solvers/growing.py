"""The guess that missing entries are held by: learned in stages, by few components and then more.

See `robustnmf.core.growth`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from robustnmf.core.block import BlockData, BlockFunction
from robustnmf.core.growth import Stage, climb, growing_ranks
from robustnmf.core.held import Held
from robustnmf.core.init import random_start
from robustnmf.core.loop import run
from robustnmf.core.noise import NoiseModel
from robustnmf.solvers.hals import Hals
from robustnmf.solvers.loosening import Loosening
from robustnmf.solvers.sample import some_rows

Array = Any

# The first stage, one component, need not be right to the last digit; nor need the others.
FIRST_ITERATIONS, FIRST_TOLERANCE = 30, 1e-3
ITERATIONS, TOLERANCE = 30, 1e-3
# More rows than these teach the later stages nothing.
MOST_ROWS = 1000
# A row is loud when its values are this many times the usual ones.
LOUD = 1.5


class Guess(NamedTuple):
    """What missing entries are held at, and how it came about."""

    levels: Array
    """n×r."""
    stages: tuple[Stage, ...]

    @property
    def profiles(self) -> Array:
        """The right factor of the guess; r×m."""
        return self.stages[-1].components


def first_guess(data: BlockData, noise: NoiseModel, mean: float) -> Guess:
    """Return the guess of one component."""
    W, H = (np.full(s, mean**0.5, data.dtype) for s in ((data.shape[0], 1), (1, data.shape[1])))
    solver = Hals(data, noise, W, H)
    run(solver, max_iter=FIRST_ITERATIONS, tol=FIRST_TOLERANCE)
    return Guess(solver.W, (Stage(solver.H),))


def grow_guess(data: BlockData, noise: NoiseModel, n_components: int, mean: float) -> Guess:
    """Return a guess of up to half of the components that are wanted, or of all of them.

    Squares make a few loud rows count more than all others together: they have components of their
    own, which nothing holds where these rows have gaps. So the stages see loud rows turned down;
    they are then worth as many components as are wanted.

    `noise` must be convex.
    """
    first = first_guess(data, noise, mean)
    loud = _loudness(first.levels)
    ranks = growing_ranks(n_components)[1:]
    if (loud > 1).any():
        ranks.append(n_components)
    n = data.shape[0]
    rows = np.arange(n) if n <= MOST_ROWS else some_rows(n, MOST_ROWS)
    seen = data if n <= MOST_ROWS else data.sample(rows)
    seen = TurnedDown(seen, loud[rows])
    levels, stages = first.levels[rows] / loud[rows], list(first.stages)
    rng = np.random.RandomState(0)
    for rank in ranks:
        if rank == len(stages[-1].components):
            continue
        start = random_start(seen, rank, mean, rng)
        solver = Loosening(seen, Held(noise, levels, stages[-1].components), *start)
        run(solver, max_iter=ITERATIONS, tol=TOLERANCE)
        levels = solver.W
        stages.append(Stage(solver.H, solver.hint))
    if n <= MOST_ROWS:
        return Guess(levels * loud, tuple(stages))
    grown = tuple(stages)
    blocks = data.stream(lambda rows, X, weights: climb(X, grown, noise, weights))
    return Guess(np.concatenate(list(blocks)), grown)


def _loudness(sizes: Array) -> Array:
    """Return by what to divide each row so that none is far louder than the rest; n×1."""
    # Rows that hold nothing say nothing of what is usual, however many they are.
    usual = float(np.median(sizes[sizes > 0])) if (sizes > 0).any() else 1.0
    return np.maximum(sizes / (LOUD * usual), 1).astype(sizes.dtype)


class TurnedDown:
    """The rows of other data, each divided by a number of its own.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf.engines import MemoryBlocks
    >>> data = TurnedDown(MemoryBlocks(np.array([[2.0], [8.0]])), np.array([[1.0], [4.0]]))
    >>> data.map(lambda rows, X, weights: X.ravel())
    [array([2., 2.])]
    """

    def __init__(self, data: BlockData, loud: Array) -> None:
        self._data, self._loud = data, loud
        self.shape, self.dtype = data.shape, data.dtype

    def map(self, function: BlockFunction) -> list[Any]:
        """As the data do."""
        return self._data.map(self._on_quiet(function))

    def stream(self, function: BlockFunction) -> Iterator[Any]:
        """As the data do."""
        return self._data.stream(self._on_quiet(function))

    def fold(self, function: BlockFunction, merge: Callable[[Any, Any], Any]) -> Any:
        """As the data do."""
        return self._data.fold(self._on_quiet(function), merge)

    def sample(self, rows: Array) -> TurnedDown:
        """As the data do."""
        return TurnedDown(self._data.sample(rows), self._loud[rows])

    def _on_quiet(self, function: BlockFunction) -> BlockFunction:
        def work(rows: slice, X: Array, weights: Array | None) -> Any:
            return function(rows, X / self._loud[rows], weights)

        return work
