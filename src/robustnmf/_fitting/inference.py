"""What given components make of data: W, E and the loss, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._common.bits import packed
from robustnmf._common.places import on_host
from robustnmf._core.engine import Engine, RowArray
from robustnmf._core.growth import Stage, climb
from robustnmf._core.held import HOLD, Held, hint_for
from robustnmf._core.noise import NoiseModel, NoNoise
from robustnmf._core.objective import row_losses
from robustnmf._core.rows import solve_clean, solve_rows
from robustnmf._engines import dense, entries_of, placed
from robustnmf._fitting.data import Summary
from robustnmf._fitting.explained import EVERYTHING, Explained, Inferred, Keep, collect
from robustnmf._fitting.factorize import Factors
from robustnmf._fitting.units import Units

# Less than a solver takes: to solve each sample by itself needs more arrays beside the block.
INFERENCE_ENTRIES = 2**15


class Learned(Protocol):
    """What a fit leaves, in the user's units; it explains any data."""

    @property
    def components(self) -> Array:
        """H; k×m."""

    def infer(
        self, X: Any, summary: Summary, weights: Any = None, *, keep: Keep = EVERYTHING
    ) -> Inferred:
        """Solve for each row's W and E, and keep some of it in memory."""

    def explain(self, X: Any, summary: Summary, weights: Any = None) -> Iterator[Explained]:
        """Do the same a block at a time, in the order of the rows."""

    def bounded(self, X: Array, P: Array, corrupt: Array) -> Array:
        """Return the predictions P of some rows within the bounds of what is plausible."""

    def moved(self, put: Callable[[Array], Array]) -> Learned:
        """Return the same with its arrays elsewhere."""


class LearnedComponents(NamedTuple):
    """Components and a noise model, in the user's units."""

    components: Array
    """H; k×m."""
    noise: NoiseModel
    screening_components: Array | None = None
    """Components that decide which entries are corrupt, where that is done in a step before."""
    typical: Array | None = None
    """What a sample usually looks like, whatever its size; m. Missing entries are held by it."""
    hint: float = HOLD.most_hint
    """What a missing entry counts, held like that."""
    stages: tuple[Stage, ...] = ()
    """How a guess at missing entries grows from the typical sample, if that was learned."""

    def held(self, fitted: Factors, n_known: int) -> LearnedComponents:
        """Return the same with what is needed to hold missing entries, learned from the fit."""
        data, W = fitted.data, fitted.W
        H = on_host(fitted.H).astype(np.float64, copy=False)
        usual = typical_sample(data, W, H)
        typical = data.beside(usual)
        if fitted.hint is not None:
            return self._replace(typical=typical, hint=fitted.hint, stages=fitted.stages[1:])
        misfit = fitted.trace.last
        # ‖WH‖² less its projections on the typical sample, row by row, without W H itself.
        gram, pattern = H @ H.T, H @ usual
        length = max(float(usual @ usual), 1e-300)

        def distance(W: Array) -> Array:
            W = W.astype(np.float64)
            squares = np.einsum("ij,ij->i", W @ gram, W)
            along = (W @ pattern) ** 2 / length
            return np.array([np.maximum(squares - along, 0).sum(), np.count_nonzero(W)])

        apart, used = data.sum_rows(distance, np.add, W)
        apart *= n_known / (data.shape[0] * H.shape[1])
        hint = hint_for(misfit, misfit + apart, n_known, int(used) + int(np.count_nonzero(H)))
        return self._replace(typical=typical, hint=hint)

    def moved(self, put: Callable[[Array], Array]) -> LearnedComponents:
        """Return the same with its arrays elsewhere."""
        screen, typical = self.screening_components, self.typical
        return self._replace(
            components=put(self.components),
            screening_components=None if screen is None else put(screen),
            typical=None if typical is None else put(typical),
            stages=tuple(Stage(put(H), hint) for H, hint in self.stages),
        )

    def infer(
        self,
        X: Any,
        summary: Summary,
        weights: Any = None,
        start: RowArray | None = None,
        keep: Keep = EVERYTHING,
        out: Any = None,
    ) -> Inferred:
        """Solve for each row's W and E, given the components.

        `start` is a W that is near, which saves time; an engine for the same data made it. W is
        written to `out`, if that is given.
        """
        data, solve, read = self._solving(X, summary, weights, start)
        if keep.nothing:
            misfit, penalty = data.fold(lambda *block: _sums(solve(*block)), np.add, read=read)
            return Inferred.summed(self.components, float(misfit), float(penalty))
        shares = data.stream(lambda *block: keep.of(solve(*block)), read)
        return collect(shares, X.shape, out)

    def screened(self, X: Any, summary: Summary, start: RowArray) -> tuple[RowArray, RowArray]:
        """Solve for each row's W, and pack flags of its corrupt entries.

        Engines for the same data keep both; one of them made the start.
        """
        data, solve, read = self._solving(X, summary, None, start)
        n_bytes = -(-X.shape[1] // 8)
        flags = data.make(lambda rows: np.empty((rows.stop - rows.start, n_bytes), np.uint8))
        W = data.room_for(start)

        def screen(*block: Any) -> tuple[None, Array, Array]:
            found = solve(*block)
            return None, found.W, packed(dense(found.E) != 0)

        data.fold(screen, lambda _, __: None, read=read, write=(W, flags))
        return W, flags

    def explain(self, X: Any, summary: Summary, weights: Any = None) -> Iterator[Explained]:
        """Do the same a block at a time, in the order of the rows."""
        data, solve, _ = self._solving(X, summary, weights, None)
        return data.stream(solve)

    def _solving(
        self, X: Any, summary: Summary, weights: Any, start: RowArray | None
    ) -> tuple[Engine, Callable[..., Explained], tuple[RowArray, ...]]:
        """Return the data, how a block is solved, and what that reads beside them."""
        units = Units(summary, self.components)
        noise = units.noise(self.noise)
        H = units.components(self.components)
        screen = self.screening_components
        screen = None if screen is None else units.components(screen)
        xp = array_namespace(self.components)
        typical = self.typical
        if typical is None:
            typical = xp.mean(self.components, axis=0)
        stages = (
            Stage(units.components(typical[None, :])),
            *(Stage(units.components(H), hint) for H, hint in self.stages),
        )

        hint = self.hint

        def solve(rows: slice, X: Array, weights: Array | None, *start: Array) -> Explained:
            begin = units.weights(start[0]) if start else None
            if screen is None:
                W = solve_rows(X, H, _hold(X, noise, weights, stages, hint), weights, begin)
                P = W @ H
                E = noise.noise(X, P)
            else:
                W, P, E = _screen_then_solve(
                    X, H, screen, _hold(X, noise, None, stages, hint), begin
                )
            losses = row_losses(X, P, E, noise, weights)
            return units.explained(rows, X, W, entries_of(E), *losses)

        blocks = units.blocks(X, weights, block_entries=_at_once(X, H.shape[0]))
        return blocks, solve, () if start is None else (start,)

    def bounded(self, X: Array, P: Array, corrupt: Array) -> Array:
        """Return the predictions as they are."""
        return P


def _at_once(X: Any, n_components: int) -> int:
    """Return how many entries are solved at a time.

    On a device all rows of a block are, with k×k numbers for each; in memory one after the other.
    """
    if placed(X) is None:
        return INFERENCE_ENTRIES
    n_features = X.shape[1]
    return INFERENCE_ENTRIES * n_features // max(n_features, n_components**2)


def _sums(block: Explained) -> Array:
    """Return what adds up of a block."""
    return np.array(block.sums)


def typical_sample(data: Engine, W: RowArray, H: Array) -> Array:
    """Return the mean sample, each counted by its pattern and not by its size.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf._engines import engine_for
    >>> W, H = np.array([[1.0, 0.0], [0.0, 50.0], [0.0, 0.0]]), np.array([[1.0, 3.0], [3.0, 1.0]])
    >>> typical_sample(engine_for(W @ H), W, H)
    array([0.5, 0.5])
    """
    sizes_of_parts = H.sum(axis=1)

    def patterns(W: Array) -> Array:
        W = W.astype(np.float64)
        sizes = (W @ sizes_of_parts)[:, None]
        shares = np.divide(W, sizes, out=np.zeros_like(W), where=sizes > 0)
        return np.append(shares.sum(axis=0), np.count_nonzero(sizes))

    found = data.sum_rows(patterns, np.add, W)
    return found[:-1] @ H / max(found[-1], 1)


def _screen_then_solve(
    X: Array,
    H: Array,
    screen: Array,
    noise: NoiseModel,
    begin: Array | None,
) -> tuple[Array, Array, Array]:
    """RobustNMF+WNMF: one set of components finds the noise, the other explains the rest."""
    W = solve_rows(X, screen, noise, start=begin)
    E = noise.noise(X, W @ screen)
    corrupt = E != 0
    xp = array_namespace(X)
    gaps = bool(xp.any(xp.isnan(X)))
    model: NoiseModel = Held(NoNoise(), W, screen) if gaps else NoNoise()
    W = solve_clean(X - E, H, corrupt, W, model)
    P = W @ H
    return W, P, xp.where(corrupt, X - P, xp.zeros_like(P))


def _hold(
    X: Array, noise: NoiseModel, weights: Array | None, stages: tuple[Stage, ...], hint: float
) -> NoiseModel:
    """Return the noise model with missing entries held at what the stages say of the row.

    The first of them is the typical sample.
    """
    xp = array_namespace(X)
    missing = xp.isnan(X) if weights is None else xp.isnan(X) | (weights == 0)
    if not xp.any(missing):
        return noise
    return Held(noise, climb(X, stages, noise, weights), stages[-1].components, hint)
