"""HALS with missing entries held by a guess, which counts less the more the factors know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from robustnmf.core.block import BlockData
from robustnmf.core.held import Held, hint_for
from robustnmf.core.loop import Step
from robustnmf.solvers.hals import Hals

Array = Any

# The hint is found anew after so many passes.
EVERY = 10


class Loosening(Hals):
    """Hals on a loss whose hold on missing entries may only loosen, so that it never rises.

    It begins with the strongest hold. Now and then the hint is lowered to what the factors
    deserve; the loss falls with it, wherever the factors are.
    """

    def __init__(
        self, data: BlockData, noise: Held, W: Array, H: Array, *, mean: float = 0.0
    ) -> None:
        super().__init__(data, noise, W, H, mean=mean)
        self._held, self._passes = noise, 0
        self.hint = noise.hint

    def step(self) -> Step:
        """Loosen the hold when it is time, then go on as Hals does."""
        self._passes += 1
        if self._passes % EVERY == 0:
            self._loosen()
        return super().step()

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
        used = int(np.count_nonzero(W) + np.count_nonzero(H))
        self.hint = min(self._held.hint, hint_for(misfit, spread, int(n_known), used))
        self._noise = self._held = replace(self._held, hint=self.hint)
