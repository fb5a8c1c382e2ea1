"""The guess that missing entries are held by: learned in stages, by few components and then more.

See `robustnmf._core.growth`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._common.places import on_host
from robustnmf._core.engine import BlockFunction, Engine, RowArray
from robustnmf._core.growth import Stage, climb, growing_ranks
from robustnmf._core.held import Held
from robustnmf._core.init import random_start
from robustnmf._core.loop import NO_KEEPER, Keeper, run
from robustnmf._core.loudness import loudness
from robustnmf._core.noise import NoiseModel
from robustnmf._solvers.hals import Hals
from robustnmf._solvers.loosening import Loosening
from robustnmf._solvers.sample import some_rows
from robustnmf._solvers.settings import GROWING


class Guess(NamedTuple):
    """What missing entries are held at, and how it came about."""

    levels: RowArray
    """n×r, as the engine of the data keeps it."""
    stages: tuple[Stage, ...]
    optimism: float = 1.0
    """As in `Held`."""

    @property
    def profiles(self) -> Array:
        """The right factor of the guess; r×m."""
        return self.stages[-1].components

    def extended(self, data: Engine, W: RowArray, H: Array) -> tuple[RowArray, Array]:
        """Return a start that begins with the guess, and has what is left of W and H, much smaller.

        Examples
        --------
        >>> import numpy as np
        >>> from robustnmf._engines import engine_for
        >>> guess = Guess(np.array([[5.0]]), (Stage(np.array([[1.0, 2.0]])),))
        >>> guess.extended(engine_for(np.ones((1, 2))), np.full((1, 2), 3.0), np.full((2, 2), 3.0))
        (array([[5. , 0.3]]), array([[1. , 2. ],
               [0.3, 0.3]]))
        """
        r, xp = self.profiles.shape[0], array_namespace(H)

        def join(levels: Array, W: Array) -> Array:
            return xp.concat([levels, GROWING.rest * W[:, r:]], axis=1)

        return (
            data.combine(join, self.levels, W),
            xp.concat([self.profiles, GROWING.rest * H[r:, :]], axis=0),
        )


def first_guess(data: Engine, noise: NoiseModel, mean: float, keeper: Keeper = NO_KEEPER) -> Guess:
    """Return the guess of one component."""

    def level(rows: slice) -> Array:
        return np.full((rows.stop - rows.start, 1), mean**0.5, data.dtype)

    H = data.beside(np.full((1, data.shape[1]), mean**0.5, data.dtype))
    solver = Hals(data, noise, data.make(level), H)
    run(solver, max_iter=GROWING.iterations, tol=GROWING.tolerance, keeper=keeper)
    return Guess(solver.W, (Stage(solver.H),))


def grow_guess(
    data: Engine,
    noise: NoiseModel,
    n_components: int,
    mean: float,
    keeper: Keeper = NO_KEEPER,
) -> Guess:
    """Return a guess of half of the components that are wanted, or of as many.

    Squares make a few loud rows count more than all others together: they have components of their
    own, which nothing holds where these rows have gaps. So the stages see loud rows turned down.
    Where there are any, a last stage has as many components as are wanted, because a fit to the
    rows as they are would not find them. Its error is no measure of what it knows: it may just not
    have settled, and the fit that follows would find nothing to add. That is judged by the stage
    before.

    `noise` must be convex. `keeper` keeps the one fit of all rows.
    """
    first = first_guess(data, noise, mean, keeper)
    loud = loudness(data.collect(first.levels), GROWING.loud)
    ranks = growing_ranks(n_components)[1:]
    if n_components > 1 and (loud > 1).any():
        ranks.append(n_components)
    if not ranks:
        return first
    n, rng = data.shape[0], np.random.RandomState(0)
    rows = np.arange(n) if n <= GROWING.most_rows else some_rows(n, GROWING.most_rows)
    some = data if n <= GROWING.most_rows else data.sample(rows)
    seen = Seen(some, loud[rows], rng.random_sample(some.shape) < GROWING.hidden)
    guess = Guess(some.keep(data.take(first.levels, rows) / loud[rows]), first.stages)
    unseen, _ = seen.squares(guess.levels, guess.profiles)
    for rank in ranks:
        W, H = random_start(seen, rank, mean, rng)
        start = guess.extended(seen, W, H)
        held = Held(noise, guess.levels, guess.profiles, optimism=guess.optimism)
        solver = Loosening(seen, held, *start)
        run(solver, max_iter=GROWING.iterations, tol=GROWING.tolerance)
        W = solver.W
        here, usual = seen.squares(W, solver.H)
        unseen = here if rank < n_components else unseen
        stages = (*guess.stages, Stage(solver.H, float(solver.hint)))
        guess = Guess(W, stages, max(unseen / usual, 1.0) if usual > 0 else 1.0)
    if n <= GROWING.most_rows:
        levels = data.combine(operator.mul, guess.levels, data.keep(loud))
        return guess._replace(levels=levels)
    r, stages = guess.profiles.shape[0], guess.stages
    levels = data.make(lambda rows: np.empty((rows.stop - rows.start, r), data.dtype))

    def explain(rows: slice, X: Array, weights: Array | None) -> tuple[None, Array]:
        return None, climb(X, stages, noise, weights)

    data.fold(explain, lambda _, __: None, write=(levels,))
    return guess._replace(levels=levels)


def _trimmed_square(errors: Array) -> float:
    """Return the mean square of the smaller errors; 0 if there are none."""
    smaller = np.sort(errors)[: math.ceil(GROWING.smaller * len(errors))].astype(np.float64)
    return float(np.mean(smaller**2)) if len(smaller) else 0.0


class Seen:
    """The rows of other data, each divided by a number of its own, and without some entries.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf._engines import engine_for
    >>> data, hidden = engine_for(np.array([[2.0, 1.0], [8.0, 4.0]])), np.eye(2) == 1
    >>> data = Seen(data, np.array([[1.0], [4.0]]), hidden)
    >>> data.map(lambda rows, X, weights: X)[0]
    array([[nan,  1.],
           [ 2., nan]])
    >>> data.squares(np.ones((2, 1)), np.array([[1.0, 0.0]]))
    (1.0, 1.0)
    """

    def __init__(self, data: Engine, loud: Array, hidden: Array) -> None:
        self._data = data
        # Where blocks of the rows are, too; with all of them, not with some.
        self._loud, self._hidden = data.beside(loud), data.beside(hidden)
        self.shape, self.dtype = data.shape, data.dtype

    def __getattr__(self, name: str) -> Any:
        # What is kept for the rows is kept where the rows are.
        return getattr(self._data, name)

    def map(self, function: BlockFunction) -> list[Any]:
        """As the data do."""
        return self._data.map(self._blinded(function))

    def stream(self, function: BlockFunction, read: Sequence[Any] = ()) -> Iterator[Any]:
        """As the data do."""
        return self._data.stream(self._blinded(function), read)

    def fold(
        self, function: BlockFunction, merge: Callable[[Any, Any], Any], **kept: Sequence[Any]
    ) -> Any:
        """As the data do."""
        return self._data.fold(self._blinded(function), merge, **kept)

    def sample(self, rows: Array) -> Seen:
        """As the data do."""
        loud, hidden = on_host(self._loud), on_host(self._hidden)
        return Seen(self._data.sample(rows), loud[rows], hidden[rows])

    def squares(self, W: RowArray, H: Array) -> tuple[float, float]:
        """Return the mean squared errors at hidden entries and at seen ones.

        Only the smaller ones count, because some of the entries may be corrupt.
        """
        loud, all_hidden = self._loud, self._hidden

        def errors(rows: slice, X: Array, weights: Array | None, W: Array) -> tuple[Array, Array]:
            xp = array_namespace(X)
            R = xp.abs(X / loud[rows, ...] - W @ H)
            known = ~xp.isnan(R) if weights is None else ~xp.isnan(R) & (weights > 0)
            hidden = all_hidden[rows, ...]
            return on_host(R[known & hidden]), on_host(R[known & ~hidden])

        found = self._data.stream(errors, (W,))
        hidden, seen = map(np.concatenate, zip(*found, strict=True))
        return _trimmed_square(hidden), _trimmed_square(seen)

    def _blinded(self, function: BlockFunction) -> BlockFunction:
        loud, hidden = self._loud, self._hidden

        def work(rows: slice, X: Array, weights: Array | None, *kept: Array) -> Any:
            xp = array_namespace(X)
            quiet = X / loud[rows, ...]
            quiet = xp.where(hidden[rows, ...], xp.full_like(quiet, xp.nan), quiet)
            return function(rows, quiet, weights, *kept)

        return work
