"""Multiplicative rules: the paper's own for RobustNMF, and WNMF.

B. Shen, L. Si, R. Ji, B. Liu, "Robust nonnegative matrix factorization via L1 norm regularization",
eq. 8 and 9. S. Zhang, W. Wang, J. Ford, F. Makedon, "Learning from incomplete ratings using
non-negative matrix factorization", SDM 2006 (WNMF).

These are here to reproduce the paper and to be compared with. They are slow, keep two numbers for
each entry, and zeros never recover, so all factors must start positive.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._common.places import on_host, widest
from robustnmf._core.engine import Engine, RowArray
from robustnmf._core.held import Held
from robustnmf._core.loop import State, Step
from robustnmf._core.noise import NoiseModel, SquaredL1
from robustnmf._kernels import kernels_for, observed_residual, ratio, weighted_squares
from robustnmf._solvers.base import BaseSolver
from robustnmf._solvers.settings import RULE


class _Sums(NamedTuple):
    top: Array
    bottom: Array
    loss: Any


def _add(total: _Sums, more: _Sums) -> _Sums:
    return _Sums(total.top + more.top, total.bottom + more.bottom, total.loss + more.loss)


def _copy(A: Array) -> Array:
    return array_namespace(A).asarray(A, copy=True)


class _Multiplicative(BaseSolver):
    """The shared frame: one pass updates W (and E) row by row, then H from the sums."""

    resumes: ClassVar[bool] = True
    # A second E would double what it keeps in memory.
    overwrites: ClassVar[bool] = True

    def __init__(
        self, data: Engine, noise: NoiseModel, W: RowArray, H: Array, *, mean: float
    ) -> None:
        self._data, self._noise = data, noise
        self._objective = np.inf
        # A copy: the start stays as it is.
        self._W, self.H = data.combine(_copy, data.keep(W)), _copy(H)

    @property
    def W(self) -> RowArray:
        """The W so far; n×k."""
        return self._W

    def step(self) -> Step:
        """Apply the rules once to all factors."""
        kept = self._kept()
        top, bottom, objective = self._data.fold(
            self._update_rows, _add, read=(*kept, *self._noise.row_arrays), write=kept
        )
        self.H = self.H * ratio(top, self._denominator(bottom))
        objective = float(objective)
        before, self._objective = self._objective, objective
        # In exact arithmetic the rules never raise the objective. When its fall is down to rounding
        # there is nothing left to gain, and the run ends before rounding can lift it.
        rounding = 4 * np.finfo(self._data.dtype).eps * objective
        return Step(min(before, objective), exhausted=before - objective <= rounding)

    def state(self) -> State:
        """Return the factors, and E where there is one."""
        rows = {str(i): A for i, A in enumerate(self._kept())}
        return State(rows, {"H": on_host(self.H)}, {"objective": self._objective})

    def resume(self, state: State) -> None:
        """Go on from there."""
        self._go_on(*(state.rows[name] for name in sorted(state.rows)))
        self.H = self._data.beside(state.arrays["H"])
        self._objective = state.numbers["objective"]

    def _kept(self) -> tuple[RowArray, ...]:
        """What belongs to the rows."""
        return (self._W,)

    def _go_on(self, W: RowArray, *others: RowArray) -> None:
        """Take back what `_kept` returned."""
        self._W = W

    def _update_rows(
        self, rows: slice, X: Array, weights: Array | None, *kept: Array
    ) -> tuple[_Sums, *tuple[Array, ...]]:
        """Return a block's sums, and what is to be kept of it."""
        raise NotImplementedError

    def _denominator(self, bottom: Array) -> Array:
        """What the summed `bottom` means for H."""
        raise NotImplementedError


class MultiplicativeRobust(_Multiplicative):
    """The paper's algorithm: E = Ep − En, all factors updated by eq. 8 and 9."""

    penalties: ClassVar[tuple[str, ...] | None] = ("squared_l1",)
    keeps_noise: ClassVar[bool] = True

    def __init__(
        self, data: Engine, noise: NoiseModel, W: RowArray, H: Array, *, mean: float
    ) -> None:
        super().__init__(data, noise, W, H, mean=mean)
        if not isinstance(noise, SquaredL1):
            raise TypeError("the paper's rule exists for SquaredL1 only")
        self._lam = noise.price
        self._nonzero = RULE.nonzero * mean
        m, level = data.shape[1], RULE.first_noise * mean

        def start(rows: slice) -> Array:
            return np.full((rows.stop - rows.start, m), level, dtype=data.dtype)

        self._parts = data.make(start), data.make(start)
        self._project()

    def noise(self) -> Iterator[Array]:
        """Give E = Ep − En by blocks, with what is within the tolerance for "nonzero" set to 0."""

        def difference(rows: slice, X: Array, weights: Array | None, Ep: Array, En: Array) -> Array:
            E = Ep - En
            xp = array_namespace(E)
            return xp.where(xp.abs(E) <= self._nonzero, xp.zeros_like(E), E)

        return self._data.stream(difference, self._parts)

    def _project(self) -> None:
        """Make the start obey X − E ≥ 0, and E = 0 where X is missing."""

        def project(
            rows: slice, X: Array, weights: Array | None, Ep: Array, En: Array
        ) -> tuple[None, Array, Array]:
            xp = array_namespace(X)
            missing = xp.isnan(X)
            Ep, En = (xp.where(missing, xp.zeros_like(part), part) for part in (Ep, En))
            return None, xp.where(missing, Ep, xp.minimum(Ep, X + En)), En

        self._data.fold(project, lambda _, __: None, read=self._parts, write=self._parts)

    def _kept(self) -> tuple[RowArray, ...]:
        return self._W, *self._parts

    def _go_on(self, W: RowArray, *others: RowArray) -> None:
        self._W, self._parts = W, (others[0], others[1])

    def _update_rows(
        self, rows: slice, X: Array, weights: Array | None, *kept: Array
    ) -> tuple[_Sums, *tuple[Array, ...]]:
        (W, Ep, En), H = kept, self.H
        rule = kernels_for(X).paper_rule
        Ep, En, top, bottom, cleaned, loss = rule(X, W @ H, Ep, En, self._lam)
        W = W * ratio(top @ H.T, bottom @ H.T)
        return _Sums(W.T @ cleaned, W.T @ W, array_namespace(X).sum(loss)), W, Ep, En

    def _denominator(self, bottom: Array) -> Array:
        return bottom @ self.H


class MultiplicativeWeighted(_Multiplicative):
    """WNMF: Lee and Seung's rules with each entry counted by its weight."""

    first_hint: ClassVar[float | None] = RULE.hint

    def _update_rows(
        self, rows: slice, X: Array, weights: Array | None, *kept: Array
    ) -> tuple[_Sums, *tuple[Array, ...]]:
        (W, *own), H = kept, self.H
        if isinstance(self._noise, Held):
            X, weights = self._noise.with_rows(*own).filled(X, weights)
        xp = array_namespace(X)
        seen = ~xp.isnan(X)
        q = xp.astype(seen, X.dtype)
        q = q if weights is None else weights * q
        P = W @ H
        R = observed_residual(X, P)
        loss = weighted_squares(q, R, widest(X))
        qX = q * xp.where(seen, X, xp.zeros_like(X))
        new_W = W * ratio(qX @ H.T, (q * P) @ H.T)
        return _Sums(new_W.T @ qX, new_W.T @ (q * (new_W @ H)), loss), new_W

    def _denominator(self, bottom: Array) -> Array:
        return bottom
