"""Multiplicative rules: the paper's own for RobustNMF, and WNMF.

B. Shen, L. Si, R. Ji, B. Liu, "Robust nonnegative matrix factorization via L1 norm regularization",
eq. 8 and 9. S. Zhang, W. Wang, J. Ford, F. Makedon, "Learning from incomplete ratings using
non-negative matrix factorization", SDM 2006 (WNMF).

These are here to reproduce the paper and to be compared with. They are slow, keep E whole in
memory, and zeros never recover, so all factors must start positive.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from robustnmf._core.block import BlockData
from robustnmf._core.held import Held
from robustnmf._core.loop import Step
from robustnmf._core.noise import NoiseModel, SquaredL1
from robustnmf._kernels import kernels_for, observed_residual, ratio

Array = Any

# Ep never becomes exactly zero under the paper's rule, so "E is nonzero" needs a tolerance: this
# share of the mean of the data, about one grey level of a picture with 256 of them.
NONZERO = 0.01
# Ep and En start at this share of the mean: positive, and small beside the data.
FIRST_NOISE = 0.1


class _Sums(NamedTuple):
    top: Array
    bottom: Array
    loss: float


def _add(total: _Sums, more: _Sums) -> _Sums:
    return _Sums(*(a + b for a, b in zip(total, more, strict=True)))


class _Multiplicative:
    """The shared frame: one pass updates W (and E) row by row, then H from the sums."""

    keeps_noise = False
    hint: float | None = None

    def __init__(
        self, data: BlockData, noise: NoiseModel, W: Array, H: Array, *, mean: float
    ) -> None:
        self._data, self._noise = data, noise
        self._objective = np.inf
        self.W, self.H = W.copy(), H.copy()

    def step(self) -> Step:
        """Apply the rules once to all factors."""
        top, bottom, objective = self._data.fold(self._update_rows, _add)
        self.H = self.H * ratio(top, self._denominator(bottom))
        before, self._objective = self._objective, objective
        # In exact arithmetic the rules never raise the objective. When its fall is down to rounding
        # there is nothing left to gain, and the run ends before rounding can lift it.
        rounding = 4 * np.finfo(self._data.dtype).eps * objective
        return Step(min(before, objective), exhausted=before - objective <= rounding)

    def _update_rows(self, rows: slice, X: Array, weights: Array | None) -> _Sums:
        raise NotImplementedError

    def _denominator(self, bottom: Array) -> Array:
        """What the summed `bottom` means for H."""
        raise NotImplementedError


class MultiplicativeRobust(_Multiplicative):
    """The paper's algorithm: E = Ep − En, all factors updated by eq. 8 and 9."""

    keeps_noise = True

    def __init__(
        self, data: BlockData, noise: NoiseModel, W: Array, H: Array, *, mean: float
    ) -> None:
        super().__init__(data, noise, W, H, mean=mean)
        if not isinstance(noise, SquaredL1):
            raise TypeError("the paper's rule exists for SquaredL1 only")
        self._lam = noise.price
        self._nonzero = NONZERO * mean
        self._positive = np.full(data.shape, FIRST_NOISE * mean, dtype=data.dtype)
        self._negative = self._positive.copy()
        self._project()

    def noise(self, rows: slice) -> Array:
        """E = Ep − En, with what is within the tolerance for "nonzero" set to zero."""
        E = self._positive[rows] - self._negative[rows]
        E[np.abs(E) <= self._nonzero] = 0
        return E

    def _project(self) -> None:
        """Make the start obey X − E ≥ 0, and E = 0 where X is missing."""

        def project(rows: slice, X: Array, weights: Array | None) -> None:
            for part in (self._positive, self._negative):
                part[rows][np.isnan(X)] = 0
            np.fmin(self._positive[rows], X + self._negative[rows], out=self._positive[rows])

        self._data.map(project)

    def _update_rows(self, rows: slice, X: Array, weights: Array | None) -> _Sums:
        W, H = self.W[rows], self.H
        Ep, En = self._positive[rows], self._negative[rows]
        rule = kernels_for(X).paper_rule
        Ep[:], En[:], top, bottom, cleaned, loss = rule(X, W @ H, Ep, En, self._lam)
        new_W = W * ratio(top @ H.T, bottom @ H.T)
        self.W[rows] = new_W
        return _Sums(new_W.T @ cleaned, new_W.T @ new_W, float(loss.sum()))

    def _denominator(self, bottom: Array) -> Array:
        return bottom @ self.H


class MultiplicativeWeighted(_Multiplicative):
    """WNMF: Lee and Seung's rules with each entry counted by its weight."""

    def _update_rows(self, rows: slice, X: Array, weights: Array | None) -> _Sums:
        W, H = self.W[rows], self.H
        if isinstance(self._noise, Held):
            X, weights = self._noise.at(rows).filled(X, weights)
        seen = ~np.isnan(X)
        q = seen.astype(X.dtype) if weights is None else weights * seen
        P = W @ H
        R = observed_residual(X, P)
        loss = float(np.einsum("ij,ij,ij->", q, R, R, dtype=np.float64))
        qX = q * np.where(seen, X, 0)
        new_W = W * ratio(qX @ H.T, (q * P) @ H.T)
        self.W[rows] = new_W
        return _Sums(new_W.T @ qX, new_W.T @ (q * (new_W @ H)), loss)

    def _denominator(self, bottom: Array) -> Array:
        return bottom
