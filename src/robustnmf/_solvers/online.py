"""Components that learn from one batch of rows after the other: online NMF with a noise model.

J. Mairal, F. Bach, J. Ponce, G. Sapiro, "Online learning for matrix factorization and sparse
coding", JMLR 11, 2010. R. Zhao and V. Y. F. Tan, "Online nonnegative matrix factorization with
outliers", IEEE Trans. Signal Processing 65, 2017, have a noise term in it, at another price.

The rows of a batch are explained by the components as they are. What the components need of the
rows are sums (WᵀW, WᵀX̂), to which the batch adds its own. HALS sweeps on the sums then give the
next components. What was added long ago belongs to components of long ago, so the sums forget.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._common.places import on_host
from robustnmf._core.block import Stats, update_block
from robustnmf._core.components import update_components
from robustnmf._core.engine import Engine
from robustnmf._core.growth import Stage, climb
from robustnmf._core.held import HOLD, Held, hint_for
from robustnmf._core.noise import NoiseModel
from robustnmf._core.rows import solve_rows
from robustnmf._solvers.settings import HALS, ONLINE


class Sums(NamedTuple):
    """All that is kept of the rows so far; what is old counts less."""

    gram: Array
    """WᵀW; k×k."""
    cross: Array
    """WᵀX̂, X̂ being the cleaned rows; k×m."""
    shares: Array
    """Each row's W, divided by the sum of its WH; k."""
    rows: float = 0.0
    """How many rows, ..."""
    patterned: float = 0.0
    """... how many of them in which anything was found, ..."""
    known: float = 0.0
    """... how many known entries, ..."""
    used: float = 0.0
    """... how many numbers of W that are not zero."""
    loss: float = 0.0
    """The objective, each row at the components that it met."""
    misfit: float = 0.0
    """Squares of what the factors leave of the known entries, ..."""
    spread: float = 0.0
    """... and of what the typical sample leaves."""

    @staticmethod
    def of_nothing(n_components: int, n_features: int) -> Sums:
        """Return the sums of no rows."""
        k, m = n_components, n_features
        return Sums(np.zeros((k, k)), np.zeros((k, m)), np.zeros(k))

    def plus(self, more: Sums) -> Sums:
        """Return the sums of both."""
        parts: Any = zip(self, more, strict=True)
        return Sums(*(a + b for a, b in parts))

    def faded(self, share: float) -> Sums:
        """Return what is left of them when only a share is remembered."""
        parts: Any = self
        return Sums(*(share * part for part in parts))

    def in_unit(self, w: int, h: int) -> Sums:
        """Return the sums for W·2^w and H·2^h."""
        return self._replace(
            gram=np.ldexp(self.gram, 2 * w),
            cross=np.ldexp(self.cross, 2 * w + h),
            shares=np.ldexp(self.shares, -h),
            loss=float(np.ldexp(self.loss, 2 * (w + h))),
            misfit=float(np.ldexp(self.misfit, 2 * (w + h))),
            spread=float(np.ldexp(self.spread, 2 * (w + h))),
        )

    def usual_weights(self) -> Array:
        """Return the usual W: the root of its mean square; k."""
        squares: Array = np.diag(self.gram) / max(self.rows, 1e-300)
        return np.sqrt(squares)

    def typical_sample(self, H: Array) -> Array:
        """Return what a sample usually looks like, whatever its size; m."""
        pattern: Array = self.shares @ H
        return pattern / max(self.patterned, 1e-300)

    def hint(self, H: Array) -> float:
        """Return what a missing entry should count, beside a known one."""
        used = self.used + np.count_nonzero(H)
        if self.known <= used:
            return HOLD.most_hint
        return hint_for(self.misfit, self.spread, self.known, used)


class Hold(NamedTuple):
    """How missing entries are held while W is found; see `robustnmf._core.growth`."""

    stages: tuple[Stage, ...]
    """The first one is the typical sample."""
    hint: float


def batch_sums(data: Engine, noise: NoiseModel, H: Array, usual: Array, hold: Hold) -> Sums:
    """Explain the rows of a batch by the components, and sum up what they tell.

    What is given and what is returned are arrays of NumPy's, wherever the rows are.

    Parameters
    ----------
    data : Engine
        The rows.
    noise : NoiseModel
        What may be wrong with them.
    H : array, k×m
    usual : array, k
        Where the W of a row begins; no row looks at another one's.
    hold : Hold
        What holds missing entries.
    """
    gram = H @ H.T
    sizes_of_parts = H.sum(axis=1, dtype=np.float64)
    typical = hold.stages[0].components[0]
    pattern = (H @ typical).astype(np.float64)
    length = max(float(typical @ typical), 1e-300)
    parts, parts_gram, first = (data.beside(A) for A in (H, gram, usual))
    stages = (Stage(data.beside(components), hint) for components, hint in hold.stages)
    held = hold._replace(stages=tuple(stages))

    def explain(rows: slice, X: Array, weights: None) -> Sums:
        missing = array_namespace(X).isnan(X)
        n_missing = int(array_namespace(X).count_nonzero(missing))
        if n_missing:
            W, stats, misfit, spread = _explained_with_gaps(X, parts, noise, held, missing)
        else:
            W, stats = _explained(X, parts, parts_gram, noise, first)
        W, square, cross = (on_host(A) for A in (W, stats.gram, stats.cross))
        loss = float(stats.loss)
        if not n_missing:
            # ‖WH‖² less its projections on the typical sample, without W H itself.
            apart = np.sum(square * gram) - pattern @ square @ pattern / length
            misfit, spread = loss, loss + max(float(apart), 0.0)
        sizes = (W @ sizes_of_parts)[:, None]
        return Sums(
            square.astype(np.float64, copy=False),
            cross.astype(np.float64, copy=False),
            np.divide(W, sizes, out=np.zeros(W.shape), where=sizes > 0).sum(axis=0),
            float(len(W)),
            float(np.count_nonzero(sizes)),
            float(X.shape[0] * X.shape[1] - n_missing),
            float(np.count_nonzero(W)),
            loss,
            misfit,
            spread,
        )

    found: Sums = data.fold(explain, Sums.plus)
    return found


def _explained(
    X: Array, H: Array, gram: Array, noise: NoiseModel, usual: Array
) -> tuple[Array, Stats]:
    """Return a block's W and its sums."""
    xp = array_namespace(X)
    threshold = xp.zeros_like(X[:, 0])
    W: Array | None = None
    if not noise.is_hard(H.shape[1]):
        begin = xp.astype(usual[None, :], X.dtype)
        W, losses = xp.repeat(begin, X.shape[0], axis=0), []
        for _ in range(ONLINE.most_rounds):
            W, threshold, stats = update_block(
                X, W, H, gram, noise, weights=None, threshold=threshold, sweeps=HALS.sweeps_w
            )
            losses.append(float(stats.loss))
            if still_to_fall(losses) <= ONLINE.settled * losses[-1]:
                return W, stats
    # Rounds that begin afar may end anywhere, or take very many.
    W = solve_rows(X, H, noise, start=W)
    cleaned = noise.clean(X, W @ H, None, threshold)
    return W, Stats(W.T @ W, W.T @ cleaned.rows, xp.sum(cleaned.loss))


def still_to_fall(losses: list[float]) -> float:
    """Return by how much losses will still fall if each fall is the same share of the last.

    Examples
    --------
    >>> still_to_fall([9.0, 5.0, 3.0])
    2.0
    >>> still_to_fall([9.0, 5.0]), still_to_fall([9.0, 5.0, 5.0])
    (inf, 0.0)
    """
    if len(losses) < 3:
        return math.inf
    before, last = losses[-3] - losses[-2], losses[-2] - losses[-1]
    if last <= 0:
        return 0.0
    return math.inf if last >= before else last * last / (before - last)


def _explained_with_gaps(
    X: Array, H: Array, noise: NoiseModel, hold: Hold, missing: Array
) -> tuple[Array, Stats, float, float]:
    """Return the same, and what the factors and the typical sample leave of the known entries."""
    xp = array_namespace(X)
    threshold = xp.zeros_like(X[:, 0])
    typical = hold.stages[0].components
    guess = climb(X, hold.stages, noise, None)
    held = Held(noise, guess, hold.stages[-1].components, hold.hint)
    W = solve_rows(X, H, held)
    P, G = W @ H, solve_rows(X, typical, noise) @ typical
    known = noise.clean(X, xp.asarray(P, copy=True), None, threshold)
    misfit, spread = (float(xp.sum((known.rows - A)[~missing] ** 2)) for A in (P, G))
    cleaned = held.clean(X, P, None, threshold).rows
    stats = Stats(W.T @ W, W.T @ cleaned, xp.sum(known.loss))
    return W, stats, misfit, spread


def improved_components(H: Array, sums: Sums) -> Array:
    """Return better components for the rows that the sums tell of."""
    return update_components(H, Stats(sums.gram, sums.cross, sums.loss), HALS.sweeps_h)
