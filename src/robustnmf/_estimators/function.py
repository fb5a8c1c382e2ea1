"""`robust_nmf`: the algorithm as a function, with its iterates as the solver left them."""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace
from scipy import sparse

from robustnmf._common.arrays import Array
from robustnmf._common.bits import packed
from robustnmf._common.checks import AUTO
from robustnmf._common.places import Place, on_host
from robustnmf._core.engine import RowArray
from robustnmf._core.noise import NoiseModel
from robustnmf._engines import dense, engine_for, stacked
from robustnmf._estimators.progress import Progress
from robustnmf._estimators.refit import refit_clean
from robustnmf._estimators.request import Request
from robustnmf._estimators.robust import RobustNMF
from robustnmf._fitting.data import Summary
from robustnmf._fitting.factorize import Factors, factorize, warn_unconverged
from robustnmf._fitting.units import Units


def robust_nmf(
    X: Any,
    n_components: int | str = 10,
    *,
    lam: float | str = 0.04,
    penalty: str = "squared_l1",
    solver: str = "hals",
    refit: str | None = None,
    init: Any = "random",
    n_init: int = 1,
    max_iter: int = 500,
    tol: float = 1e-4,
    random_state: Any = None,
    verbose: int = 0,
) -> tuple[Any, Any, Any, int]:
    """Factorize X ≈ W H + E and return the factors as the solver left them.

    `RobustNMF` learns the same components, but then solves each sample's W and E to the optimum.
    This function does not: with ``solver="mu"`` and a small `max_iter` it returns exactly what the
    paper's algorithm has after that many iterations, its own E included.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Nonnegative data; NaN means missing.
    n_components, lam, penalty, solver, refit, init, n_init, max_iter, tol, random_state, verbose :
        As in `RobustNMF`.

    Returns
    -------
    W : ndarray of shape (n_samples, n_components)
    H : ndarray of shape (n_components, n_features)
    E : csr_array of shape (n_samples, n_features)
        With ``solver="mu"``, entries up to 1 % of the mean of X count as zero: under the paper's
        rule none ever becomes exactly zero.
    n_iter : int
        Iterations in all, those of the refit included.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> clean = rng.exponential(size=(200, 3)) @ rng.exponential(size=(3, 100))
    >>> X = np.where(rng.random(clean.shape) < 0.05, clean + 20, clean)
    >>> W, H, E, n_iter = robust_nmf(X, 3, refit="wnmf", random_state=0)
    >>> bool(abs(X - E.toarray() - clean).max() < 0.1)
    True
    """
    model = RobustNMF(
        n_components,
        lam=lam,
        penalty=penalty,
        solver=solver,
        refit=refit,
        init=init,
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
        random_state=random_state,
        verbose=verbose,
    )
    options, rank, noise_model = Request.of(model)
    if noise_model is AUTO or rank is AUTO:
        W = model.fit_transform(X)
        # Of data on a device a model keeps no noise.
        E = model.noise_ if hasattr(model, "noise_") else model.estimate_noise(X)
        return W, model.components_, E, model.n_iter_
    settings = options.with_components(rank)
    X, _, summary = model._check_data(X, reset=True)
    progress = Progress(model, X, settings.n_runs + (refit is not None), max_iter)
    found = factorize(
        X, None, summary, noise_model, settings, progress.watch, hold=True, own_noise=True
    )
    n_iter, settled = found.trace.n_iter, found.trace.settled
    E = found.own_noise
    if E is None:
        E = _noise_at(X, summary, found, noise_model)
    if refit is not None:
        flags = _flags_of(E, found)
        start = (found.W, found.H)
        found = refit_clean(X, summary, flags, start, solver, settings, progress.watch)
        E = _residual_on(X, summary, found, E)
        n_iter, settled = n_iter + found.trace.n_iter, settled and found.trace.settled
    if not settled:
        warn_unconverged(settings, "robust_nmf")
    progress.finish(f"done after {n_iter} iterations")
    W = Place.of(found.H).put(found.data.collect(found.W))
    return W, found.H, E, n_iter


def _noise_at(X: Any, summary: Summary, found: Factors, noise: NoiseModel) -> Any:
    """Return the exact E at the given factors."""
    units = Units(summary)
    H, noise = units.components(found.H), units.noise(noise)
    blocks = units.blocks(X).stream(
        lambda rows, X, weights, W: noise.noise(X, units.weights(W) @ H),
        (found.W,),
    )
    return units.noise_back(stacked(blocks, X.shape[1]))


def _flags_of(E: Any, found: Factors) -> RowArray:
    """Return where E has an entry, as a refit takes it."""
    return found.data.make(lambda rows: packed(on_host(_some(E, rows)) != 0))


def _residual_on(X: Any, summary: Summary, found: Factors, support: Any) -> Any:
    """Return X − WH where `support` has an entry: noise that nothing underestimates."""
    H = found.H

    def residual(rows: slice, X: Array, weights: None, W: Array) -> Array:
        R = X - W @ H
        xp = array_namespace(R)
        return xp.where(_some(support, rows) != 0, R, xp.zeros_like(R))

    blocks = engine_for(X, dtype=summary.dtype).stream(residual, (found.W,))
    return stacked(blocks, X.shape[1])


def _some(E: Any, rows: slice) -> Array:
    """Return some rows of E in full."""
    return dense(E[rows] if sparse.issparse(E) else E[rows, ...])
