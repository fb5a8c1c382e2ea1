"""HALS with missing entries held by a guess, which counts less the more the factors know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._core.block import Stats, add, update_block
from robustnmf._core.components import update_components
from robustnmf._core.engine import Engine, RowArray
from robustnmf._core.held import Held, hint_for
from robustnmf._core.loop import State, Step, Window
from robustnmf._kernels import weighted_squares
from robustnmf._solvers.hals import Hals
from robustnmf._solvers.on_device import Point
from robustnmf._solvers.settings import HALS, LOOSENING


class Loosening(Hals):
    """Hals on a loss whose hold on missing entries may only loosen, so that it never rises.

    It begins with the strongest hold. Now and then the hint is lowered to what the factors
    deserve; the loss falls with it, wherever the factors are.

    Missing entries follow the factors, which makes their steps short: the more are missing, the
    shorter. So the rows are cleaned anew between W and H.
    """

    # The objective may fall again with the next loosening.
    windows: ClassVar[tuple[Window, ...]] = ((LOOSENING.every, 1.0),)

    def __init__(
        self, data: Engine, noise: Held, W: RowArray, H: Array, *, mean: float = 0.0
    ) -> None:
        super().__init__(data, noise, W, H, mean=mean)
        self._held, self._passes = noise, 0
        self.hint: float = noise.hint

    def step(self) -> Step:
        """Loosen the hold when it is time, then go on as Hals does."""
        self._passes += 1
        if self._passes % LOOSENING.every == 0:
            self._loosen()
        return super().step()

    def state(self) -> State:
        """Return that of Hals, what a missing entry counts, and when that is found anew."""
        rows, arrays, numbers = super().state()
        return State(rows, arrays, numbers | {"hint": self.hint, "passes": float(self._passes)})

    def resume(self, state: State) -> None:
        """Go on from there."""
        super().resume(state)
        self._passes = int(state.numbers["passes"])
        self._hold(state.numbers["hint"])

    def _improve(self, point: Point) -> tuple[Any, Point]:
        """One pass over the rows, as that of Hals, with two bounds on the objective."""
        W, H = point
        # A name of its own: what is done to a block must not hold on to the solver and all data.
        gram, whole = H @ H.T, self._held
        kept = self._threshold
        new = self._data.room_for(W), self._data.room_for(kept)

        def update(
            rows: slice, X: Array, weights: Array | None, W: Array, threshold: Array, *own: Array
        ) -> tuple[Stats, Array, Array]:
            held = whole.with_rows(*own)
            found, threshold, before = update_block(
                X,
                W,
                H,
                gram,
                held,
                weights=weights,
                threshold=threshold,
                sweeps=LOOSENING.more_sweeps * HALS.sweeps_w,
            )
            again = held.clean(X, found @ H, weights, threshold)
            stats = Stats(found.T @ found, found.T @ again.rows, before.loss)
            return stats, found, again.threshold

        read = (W, kept, *whole.row_arrays)
        total = self._data.fold(update, add, read=read, write=new)
        new_W, self._threshold = new
        return total.loss, Point(
            new_W, update_components(H, total, LOOSENING.more_sweeps * HALS.sweeps_h)
        )

    def _loosen(self) -> None:
        (W, H), whole = self._plain, self._held

        def measure(
            rows: slice, X: Array, weights: Array | None, W: Array, threshold: Array, *own: Array
        ) -> Array:
            held = whole.with_rows(*own)
            xp = array_namespace(X)
            guess = held.guess(X, weights)
            P = W @ H
            cleaned = held.known.clean(X, xp.asarray(P, copy=True), weights, threshold).rows
            known = xp.isnan(guess)
            count = xp.astype(known if weights is None else ~xp.isnan(X), X.dtype)
            if weights is not None:
                count = weights * count
            G = held.levels @ held.profiles
            sums = [weighted_squares(count, R) for R in (cleaned - P, cleaned - G)]
            numbers = (*sums, xp.count_nonzero(known), xp.count_nonzero(W))
            return np.array([float(number) for number in numbers])

        read = (W, self._threshold, *whole.row_arrays)
        misfit, spread, n_known, used = self._data.fold(measure, np.add, read=read)
        spread *= self._held.optimism
        used += int(array_namespace(H).count_nonzero(H))
        self._hold(min(self._held.hint, hint_for(misfit, spread, int(n_known), int(used))))

    def _hold(self, hint: float) -> None:
        self.hint = hint
        self._noise = self._held = replace(self._held, hint=hint)


# Hals itself would never loosen the hold. This is said here, because a class comes after its base.
Hals.holding = Loosening
