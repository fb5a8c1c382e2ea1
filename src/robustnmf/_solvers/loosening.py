"""HALS with missing entries held by a guess, which counts less the more the factors know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from robustnmf._core.block import BlockData, Stats, add, update_block
from robustnmf._core.components import update_components
from robustnmf._core.held import Held, hint_for
from robustnmf._core.loop import Step
from robustnmf._solvers.hals import SWEEPS_H, SWEEPS_W, Hals, Point

Array = Any

# The hint is found anew after so many passes.
EVERY = 10
# So many times the sweeps of Hals: where entries are missing, a pass costs more than its sweeps.
MORE_SWEEPS = 2


class Loosening(Hals):
    """Hals on a loss whose hold on missing entries may only loosen, so that it never rises.

    It begins with the strongest hold. Now and then the hint is lowered to what the factors
    deserve; the loss falls with it, wherever the factors are.

    Missing entries follow the factors, which makes their steps short: the more are missing, the
    shorter. So the rows are cleaned anew between W and H.
    """

    def __init__(
        self, data: BlockData, noise: Held, W: Array, H: Array, *, mean: float = 0.0
    ) -> None:
        super().__init__(data, noise, W, H, mean=mean)
        self._held, self._passes = noise, 0
        self.hint: float = noise.hint

    def step(self) -> Step:
        """Loosen the hold when it is time, then go on as Hals does."""
        self._passes += 1
        if self._passes % EVERY == 0:
            self._loosen()
        return super().step()

    def _improve(self, point: Point) -> tuple[float, Point]:
        """One pass over the rows, as that of Hals, with two bounds on the objective."""
        W, H = point
        gram = H @ H.T
        new_W = np.empty_like(W)

        def update(rows: slice, X: Array, weights: Array | None) -> Stats:
            held = self._held.at(rows)
            found, threshold, before = update_block(
                X,
                W[rows],
                H,
                gram,
                held,
                weights=weights,
                threshold=self._threshold[rows],
                sweeps=MORE_SWEEPS * SWEEPS_W,
            )
            again = held.clean(X, found @ H, weights, threshold)
            new_W[rows], self._threshold[rows] = found, again.threshold
            return Stats(found.T @ found, found.T @ again.rows, before.loss)

        total = self._data.fold(update, add)
        return total.loss, Point(new_W, update_components(H, total, MORE_SWEEPS * SWEEPS_H))

    def _loosen(self) -> None:
        W, H = self.W, self.H

        def look(rows: slice, X: Array, weights: Array | None) -> Array:
            held = self._held.at(rows)
            guess = held.guess(X, weights)
            P = W[rows] @ H
            cleaned = held.known.clean(X, P.copy(), weights, self._threshold[rows]).rows
            count = np.isnan(guess).astype(X.dtype) if weights is None else weights * ~np.isnan(X)
            G = held.levels @ held.profiles
            sums = [np.einsum("ij,ij,ij->", count, R, R) for R in (cleaned - P, cleaned - G)]
            return np.array([*sums, np.isnan(guess).sum()], dtype=np.float64)

        misfit, spread, n_known = self._data.fold(look, np.add)
        spread *= self._held.optimism
        used = int(np.count_nonzero(W) + np.count_nonzero(H))
        self.hint = min(self._held.hint, hint_for(misfit, spread, int(n_known), used))
        self._noise = self._held = replace(self._held, hint=self.hint)
