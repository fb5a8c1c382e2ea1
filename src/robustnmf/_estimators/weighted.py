"""WeightedNMF: NMF in which each entry counts as much as it is told to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from robustnmf._common.checks import check_count
from robustnmf._core.noise import NoNoise
from robustnmf._engines import answered_later
from robustnmf._estimators import answers
from robustnmf._estimators.base import Factorization
from robustnmf._estimators.checkpoints import EVERY, Plan
from robustnmf._estimators.progress import Progress, with_callbacks
from robustnmf._estimators.untouched import whole_or_untouched
from robustnmf._fitting.explained import NOTHING, Keep
from robustnmf._fitting.factorize import Options, Settings, factorize
from robustnmf._fitting.inference import LearnedComponents
from robustnmf._solvers import WEIGHTED_SOLVERS


class WeightedNMF(Factorization):
    """Nonnegative matrix factorization with a weight in [0, 1] for every entry (WNMF).

    Minimises Σ qᵢⱼ (X − WH)ᵢⱼ² over W, H ≥ 0. Weight 0 means: ignore this entry. NaN in X has
    weight 0. Without weights and NaN this is plain NMF.

    Parameters
    ----------
    n_components : int, default=10
        How many parts (k).
    solver : {"hals", "mu"}, default="hals"
        HALS on expected values (EM), or the multiplicative rules of WNMF.
    init : {"random", "nndsvda"} or pair (W, H), default="random"
        The start.
    n_init : int, default=1
        How many random starts to try; the best is kept.
    max_iter : int, default=500
        The most iterations a start may take; each is one pass over X.
    tol : float, default=1e-4
        Stop when ten iterations together lower the objective by less than this share, or five by
        less than an eighth of it.
    random_state : int, RandomState or None, default=None
        Seed of the start.
    verbose : int, default=0
        1 shows on standard error how it goes: objective, time left, rows a second.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The parts, H.
    objective_ : float
        The weighted sum of squares at W and H.
    reconstruction_err_ : float
        Its square root.
    n_iter_, converged_, history_, n_components_ :
        As in `RobustNMF`.

    References
    ----------
    S. Zhang, W. Wang, J. Ford, F. Makedon, "Learning from incomplete ratings using non-negative
    matrix factorization", SDM 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf import WeightedNMF
    >>> rng = np.random.default_rng(0)
    >>> X = rng.random((30, 2)) @ rng.random((2, 20))
    >>> truth, X[3, 4] = X[3, 4], np.nan
    >>> model = WeightedNMF(n_components=2, tol=1e-8, max_iter=5000, random_state=0)
    >>> filled = model.inverse_transform(model.fit_transform(X))
    >>> bool(abs(filled[3, 4] - truth) < 1e-3)
    True
    """

    def __init__(
        self,
        n_components: int = 10,
        *,
        solver: str = "hals",
        init: Any = "random",
        n_init: int = 1,
        max_iter: int = 500,
        tol: float = 1e-4,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.solver = solver
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any = None,
        weights: Any = None,
        *,
        checkpoint: Any = None,
        checkpoint_every: float = EVERY,
    ) -> WeightedNMF:
        """Learn the components of X.

        Parameters
        ----------
        X : array-like, sparse matrix or blocks of rows, of shape (n_samples, n_features)
            Nonnegative data; NaN means missing. What need not fit into memory, `RobustNMF.fit`
            says.
        y : None
            Ignored.
        weights : as X, of the same shape, default=None
            How much each entry counts, from 0 to 1; a boolean mask of known entries is one case.
            It need not be of the same kind as X: blocks of rows are read along.
        checkpoint : path-like, default=None
            A folder where the state of the fit is written every so often. If the fit is broken
            off, the same call goes on from there and ends with the same answer. When the fit is
            done, the folder is removed. `random_state` has to be a whole number.
        checkpoint_every : float, default=30
            So many seconds from one writing to the next, or more where writing takes long.

        Returns
        -------
        WeightedNMF
            Itself. If anything is raised, Ctrl-C among it, it is as it was before.
        """
        self._fit(X, weights, checkpoint, checkpoint_every)
        return self

    def fit_transform(
        self,
        X: Any,
        y: Any = None,
        weights: Any = None,
        *,
        checkpoint: Any = None,
        checkpoint_every: float = EVERY,
        out: Any = None,
    ) -> np.ndarray:
        """Learn from X and return its W; the same as `fit` and then `transform`, at less cost.

        Parameters
        ----------
        X, y, weights, checkpoint, checkpoint_every :
            As in `fit`.
        out : array of shape (n_samples, n_components), default=None
            Where to put W, as in `transform`.

        Returns
        -------
        ndarray of shape (n_samples, n_components), or `out`
        """
        W = self._fit(X, weights, checkpoint, checkpoint_every, keep_weights=True, out=out)
        if out is not None or weights is not None or answered_later(X) is None:
            return W
        later = self._later(X, "transform", answers.weights)
        return W if later is None else later[0]

    def transform(self, X: Any, weights: Any = None, *, out: Any = None) -> np.ndarray:
        """Return W of new data; each sample is solved to the optimum by itself.

        Parameters
        ----------
        X : array-like, sparse matrix or blocks of rows, of shape (n_samples, n_features)
        weights : as X, of the same shape, default=None
        out : array of shape (n_samples, n_components), default=None
            Where to put the answer: any array whose rows can be assigned (memory-mapped, Zarr,
            HDF5). It is written a block at a time, and returned.

        Returns
        -------
        ndarray of shape (n_samples, n_components), or `out`
        """
        self._refuse_elsewhere(X, "transform")
        if out is not None:
            return self._written(X, {"out": (answers.weights, out)}, weights)
        later = None if weights is not None else self._later(X, "transform", answers.weights)
        if later is not None:
            return later[0]
        return self._infer(X, weights, Keep(noise=False))[2].W

    def score(self, X: Any, y: Any = None, weights: Any = None) -> float:
        """Return minus the weighted sum of squares per known entry of X: higher is better.

        Parameters
        ----------
        X, y, weights :
            As in `fit`.

        Returns
        -------
        float
        """
        self._refuse_elsewhere(X, "score")
        _, summary, found = self._infer(X, weights, NOTHING)
        return -found.objective / summary.n_known

    def _model(self) -> LearnedComponents:
        return self._learned._replace(components=self.components_)

    def _as_fitted(self, H: np.ndarray) -> dict[str, Any]:
        return {"components_": H, "_learned": LearnedComponents(H, NoNoise())}

    def _request(self) -> Settings:
        n_components = check_count("n_components", self.n_components)
        return Options.of(self, WEIGHTED_SOLVERS).with_components(n_components)

    @whole_or_untouched
    @with_callbacks
    def _fit(
        self,
        X: Any,
        weights: Any,
        checkpoint: Any,
        checkpoint_every: float,
        *,
        keep_weights: bool = False,
        out: Any = None,
    ) -> np.ndarray:
        settings = self._request()
        plan = Plan.of(self, checkpoint, checkpoint_every, settings)
        X, weights, summary = self._check_data(X, weights, reset=True, digest=plan is not None)
        if out is not None:
            answers.check_out("out", out, (X.shape[0], settings.n_components))
        if plan is not None:
            settings = replace(settings, checkpoint=plan.opened(X, weights, summary))
        metadata = None if weights is None else {"weights": weights}
        progress = Progress(self, X, settings.n_runs, settings.max_iter, metadata)
        noise = NoNoise(summary.largest_weight)
        fitted = factorize(X, weights, summary, noise, settings, progress.watch, hold=True)
        learned = LearnedComponents(fitted.H, NoNoise()).held(fitted, summary.n_known)
        keep = Keep(weights=keep_weights, noise=False)
        found = learned.infer(X, summary, weights, fitted.W, keep, out)
        self.components_, self._learned = learned.components, learned
        W = self._conclude(found, fitted.trace, settings, progress)
        if settings.checkpoint is not None:
            settings.checkpoint.remove()
        return W
