"""What given components make of data: W, E and the loss, block by block."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from robustnmf._common.arrays import Array
from robustnmf._core.engine import Engine
from robustnmf._core.growth import Stage, climb
from robustnmf._core.held import HOLD, Held, hint_for
from robustnmf._core.noise import NoiseModel, NoNoise
from robustnmf._core.objective import row_losses
from robustnmf._core.rows import solve_clean, solve_rows
from robustnmf._engines import engine_for, sparse_rows, stack_rows
from robustnmf._fitting.data import Summary, comfortable_exponent

# Less than a solver takes: to solve each sample by itself needs more arrays beside the block.
INFERENCE_ENTRIES = 2**15


class Inferred(NamedTuple):
    """The data as the model sees them, in the user's units."""

    W: Array
    E: sparse.csr_array
    misfit: float
    """‖X − WH − E‖² over the known entries, each counted by its weight."""
    penalty: float
    replaceable: sparse.csr_array
    """Not zero where an entry is to be replaced by its prediction."""

    @property
    def objective(self) -> float:
        """The objective at W, H and E."""
        return self.misfit + self.penalty


class Learned(Protocol):
    """What a fit leaves, in the user's units; it explains any data."""

    @property
    def components(self) -> Array:
        """H; k×m."""

    def infer(
        self, X: Any, summary: Summary, weights: Any = None, start: Array | None = None
    ) -> Inferred:
        """Solve for each row's W and E; a near W as start saves time."""

    def bounded(self, X: Array, P: Array, corrupt: Array) -> Array:
        """Return the predictions P of some rows within the bounds of what is plausible."""


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

    def held(self, fitted: Any, n_known: int) -> LearnedComponents:
        """Return the same with what is needed to hold missing entries, learned from the fit."""
        W, H = (A.astype(np.float64, copy=False) for A in (fitted.W, fitted.H))
        typical = typical_sample(W, H)
        if fitted.hint is not None:
            return self._replace(typical=typical, hint=fitted.hint, stages=fitted.stages[1:])
        misfit = fitted.trace.last
        # ‖WH‖² less its projections on the typical sample, row by row, without W H itself.
        squares = np.einsum("ij,ij->i", W @ (H @ H.T), W)
        along = (W @ (H @ typical)) ** 2 / max(float(typical @ typical), 1e-300)
        apart = float(np.maximum(squares - along, 0).sum()) * n_known / (len(W) * H.shape[1])
        used = int(np.count_nonzero(W) + np.count_nonzero(H))
        hint = hint_for(misfit, misfit + apart, n_known, used)
        return self._replace(typical=typical, hint=hint)

    def infer(
        self, X: Any, summary: Summary, weights: Any = None, start: Array | None = None
    ) -> Inferred:
        """Solve for each row's W and E, given the components; a near W as start saves time."""
        units = Units(summary, self.components)
        data = units.blocks(X, weights, block_entries=INFERENCE_ENTRIES)
        noise = units.noise(self.noise)
        H = units.components(self.components)
        screen = self.screening_components
        screen = None if screen is None else units.components(screen)
        typical = self.typical if self.typical is not None else self.components.mean(axis=0)
        stages = (
            Stage(units.components(typical[None])),
            *(Stage(units.components(H), hint) for H, hint in self.stages),
        )

        def solve(rows: slice, X: Array, weights: Array | None) -> sparse.csr_array:
            begin = None if start is None else units.weights(start[rows])
            if screen is None:
                W = solve_rows(X, H, _hold(X, noise, weights, stages, self.hint), weights, begin)
                P = W @ H
                E = noise.noise(X, P)
            else:
                W, P, E = _screen_then_solve(
                    X, H, screen, _hold(X, noise, None, stages, self.hint), begin
                )
            all_W[rows] = W
            misfit, penalty = row_losses(X, P, E, noise, weights)
            losses[rows] = np.stack([misfit, penalty], axis=1)
            return sparse_rows(E)

        all_W = np.empty((X.shape[0], len(H)), dtype=units.dtype)
        losses = np.empty((X.shape[0], 2))
        E = stack_rows(data.stream(solve), X.shape[1])
        misfit, penalty = losses.sum(axis=0)
        E = units.noise_back(E)
        return Inferred(
            units.weights_back(all_W),
            E,
            units.objective_back(misfit),
            units.objective_back(penalty),
            replaceable=E,
        )

    def bounded(self, X: Array, P: Array, corrupt: Array) -> Array:
        """Return the predictions as they are."""
        return P


def typical_sample(W: Array, H: Array) -> Array:
    """Return the mean sample, each counted by its pattern and not by its size.

    Examples
    --------
    >>> import numpy as np
    >>> typical_sample(np.array([[1.0, 0.0], [0.0, 50.0], [0.0, 0.0]]), np.array([[1, 3], [3, 1]]))
    array([0.5, 0.5])
    """
    sizes = W @ H.sum(axis=1)
    shares = np.divide(W, sizes[:, None], out=np.zeros_like(W), where=sizes[:, None] > 0)
    return shares.sum(axis=0, dtype=np.float64) @ H / max(np.count_nonzero(sizes), 1)


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
    model: NoiseModel = Held(NoNoise(), W, screen) if np.isnan(X).any() else NoNoise()
    W = solve_clean(X - E, H, corrupt, W, model)
    P = W @ H
    return W, P, np.where(corrupt, X - P, 0)


def _hold(
    X: Array, noise: NoiseModel, weights: Array | None, stages: tuple[Stage, ...], hint: float
) -> NoiseModel:
    """Return the noise model with missing entries held at what the stages say of the row.

    The first of them is the typical sample.
    """
    missing = np.isnan(X) if weights is None else np.isnan(X) | (weights == 0)
    if not missing.any():
        return noise
    return Held(noise, climb(X, stages, noise, weights), stages[-1].components, hint)


class Units:
    """Between the user's unit and one in which squares neither overflow nor vanish.

    Data are multiplied by 2^x and components by 2^h; W then comes out multiplied by 2^(x−h).
    """

    def __init__(self, summary: Summary, components: Array | None = None) -> None:
        self.dtype = summary.working_dtype
        self._result = summary.dtype
        self._x = summary.exponent
        # Without components both factors take half of the scale of the data.
        self._h = self._x // 2
        if components is not None:
            self._h = comfortable_exponent(float(components.max(initial=0)), self.dtype)

    def blocks(self, X: Any, weights: Any = None, **size: int) -> Engine:
        """Return the data in blocks, in working units; their size as for `engine_for`."""
        return engine_for(X, weights, dtype=self.dtype, exponent=self._x, **size)

    def noise(self, noise: NoiseModel) -> NoiseModel:
        """Return the noise model for working units."""
        return noise.rescaled(2.0**self._x)

    def mean(self, summary: Summary) -> float:
        """Return the mean of the data in working units."""
        return float(np.ldexp(summary.mean, self._x))

    @property
    def factor(self) -> float:
        """What the user's data are multiplied by."""
        return 2.0**self._x

    def components(self, H: Array) -> Array:
        """H into working units."""
        return np.ascontiguousarray(np.ldexp(H.astype(self.dtype, copy=False), self._h))

    def components_back(self, H: Array) -> Array:
        """H into the user's units."""
        return np.ascontiguousarray(np.ldexp(self._wide(H), -self._h), dtype=self._result)

    def weights(self, W: Array) -> Array:
        """W into working units."""
        return np.ascontiguousarray(np.ldexp(W.astype(self.dtype, copy=False), self._x - self._h))

    def moved(self, W: Array, H: Array, to: Units) -> tuple[Array, Array]:
        """Both from these working units into others, which may be of another precision."""
        W, H = W.astype(to.dtype, copy=False), H.astype(to.dtype, copy=False)
        power = to._h - self._h
        return np.ldexp(W, to._x - self._x - power), np.ldexp(H, power)

    def weights_back(self, W: Array) -> Array:
        """W into the user's units; overwrites it."""
        W = self._wide(W)
        return np.ldexp(W, self._h - self._x, out=W).astype(self._result, copy=False)

    def noise_back(self, E: sparse.csr_array) -> sparse.csr_array:
        """E into the user's units; overwrites it."""
        data = self._wide(E.data)
        E.data = np.ldexp(data, -self._x, out=data).astype(self._result, copy=False)
        return E

    def _wide(self, A: Array) -> Array:
        """Return A in a precision that holds it in either unit."""
        return A.astype(np.promote_types(self.dtype, self._result), copy=False)

    def objective(self, value: float) -> float:
        """Turn a sum of squares into working units."""
        return float(np.ldexp(value, 2 * self._x))

    def objective_back(self, value: float) -> float:
        """Turn a sum of squares into the user's units."""
        return float(np.ldexp(value, -2 * self._x))
