"""RobustNMF: X ≈ W H + E, where E is a sparse, large noise of unknown position."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from robustnmf.core.noise import NOISE_MODELS, NoNoise, SquaredL0, SquaredL1
from robustnmf.engines import MemoryBlocks, OutsideSupport, stack_rows
from robustnmf.estimators._base import Factorization, like_input
from robustnmf.estimators._data import Summary
from robustnmf.estimators._factorize import Factors, Settings, factorize
from robustnmf.estimators._inference import Parts, infer
from robustnmf.estimators._parameters import check_choice, check_positive
from robustnmf.estimators._progress import Progress, with_callbacks
from robustnmf.solvers import SOLVERS, WEIGHTED_SOLVERS

REFITS = (None, "wnmf")


class RobustNMF(Factorization):
    """Nonnegative matrix factorization that finds, and is not misled by, wildly wrong entries.

    Minimises ‖X − WH − E‖² + λ Σᵢ ‖Eᵢ‖₁² over W, H ≥ 0 and E, with X − E ≥ 0. NaN in X means
    missing: such entries do not count, and `denoise` fills them.

    Parameters
    ----------
    n_components : int, default=10
        How many parts (k).
    lam : float, default=0.04
        The price of noise (λ). Smaller flags more entries. If s entries of a sample are wrong,
        about 1/s balances precision and recall. It does not depend on the unit of X, except with
        ``noise="squared_l0"``, where it has the unit of x².
    noise : {"squared_l1", "squared_l0"}, default="squared_l1"
        The noise model: λ‖e‖₁² (the paper's eq. 6) or λ‖e‖₀² (its eq. 5) for each sample.
    solver : {"hals", "mu"}, default="hals"
        How components are learned: HALS with an exact noise step, or the paper's own multiplicative
        rules (slow, and with E as two dense arrays in memory; for ``noise="squared_l1"`` only).
    refit : {None, "wnmf"}, default=None
        With "wnmf", fit once more with the corrupt entries left out: the paper's RobustNMF+WNMF.
        The noise is then no longer underestimated.
    init : {"random", "nndsvda"} or pair (W, H), default="random"
        The start.
    n_init : int, default=1
        How many random starts to try; the best is kept.
    max_iter : int, default=500
        The most iterations a start may take; each is one pass over X.
    tol : float, default=1e-4
        Stop when ten iterations together lower the objective by less than this share.
    random_state : int, RandomState or None, default=None
        Seed of the start.
    verbose : int, default=0
        1 shows a progress line on standard error.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The parts, H.
    noise_ : csr_array of shape (n_samples, n_features)
        E of the training data; stored entries are the corrupt ones.
    objective_ : float
        The objective at W, H and E: the sum over all entries.
    reconstruction_err_ : float
        ‖X − WH − E‖ over the known entries.
    n_iter_, converged_ : int, bool
        How many iterations the best start took, its refit included, and whether the objective
        settled in both.
    history_ : dict of lists
        "iteration", "objective" and "seconds" of the best start, from the start itself (iteration
        0) on, without the refit. The objective never rises. At the end W and E are solved to the
        optimum, so `objective_` can be lower than its last value. With a refit it is higher,
        because noise that is no longer underestimated costs more; with "squared_l0" it may be
        a little, because each sample is solved by itself.
    lam_, n_components_ : float, int
        The values used.
    detector_components_ : ndarray of shape (n_components, n_features)
        Only with `refit`: the components of the robust fit, which decide what is corrupt.

    References
    ----------
    B. Shen, L. Si, R. Ji, B. Liu, "Robust nonnegative matrix factorization via L1 norm
    regularization", arXiv:1204.2311.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf import RobustNMF
    >>> rng = np.random.default_rng(0)
    >>> clean = rng.exponential(size=(200, 3)) @ rng.exponential(size=(3, 100))
    >>> wrong = rng.random(clean.shape) < 0.05
    >>> X = np.where(wrong, clean + 20, clean)
    >>> model = RobustNMF(n_components=3, refit="wnmf", random_state=0).fit(X)
    >>> found = model.detect(X)
    >>> int((found & wrong).sum()), int(found.sum()), int(wrong.sum())
    (988, 989, 988)
    >>> bool(abs(model.denoise(X) - clean).max() < 0.1)
    True
    """

    def __init__(
        self,
        n_components: int = 10,
        *,
        lam: float = 0.04,
        noise: str = "squared_l1",
        solver: str = "hals",
        refit: str | None = None,
        init: Any = "random",
        n_init: int = 1,
        max_iter: int = 500,
        tol: float = 1e-4,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.lam = lam
        self.noise = noise
        self.solver = solver
        self.refit = refit
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> RobustNMF:
        """Learn the components and the noise of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Nonnegative data; NaN means missing.
        y : None
            Ignored.

        Returns
        -------
        RobustNMF
            Itself.
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Learn from X and return its W; the same as `fit(X).transform(X)`, at less cost.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Nonnegative data; NaN means missing.
        y : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self._fit(X)

    def transform(self, X: Any) -> np.ndarray:
        """Return W of new data: how much of each component each sample holds, noise set aside.

        Each sample is solved to the optimum by itself, whatever the others are.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self._infer(X)[2].W

    def estimate_noise(self, X: Any) -> sparse.csr_array:
        """Return E of any data: by how much each entry is wrong; only corrupt entries are stored.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        csr_array of shape (n_samples, n_features)
        """
        return self._infer(X)[2].E

    def detect(self, X: Any) -> Any:
        """Return True where an entry is corrupt.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        boolean ndarray, or csr_array for sparse X, of shape (n_samples, n_features)
        """
        X, _, found = self._infer(X)
        return like_input(found.E != 0, X)

    def denoise(self, X: Any, *, keep_clean: bool = True) -> Any:
        """Return clean data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        keep_clean : bool, default=True
            Replace only the corrupt and the missing entries, by their prediction W H, and keep all
            others as measured. False returns W H for all, as in the paper.

        Returns
        -------
        ndarray, or csr_array for sparse X with `keep_clean`, of shape (n_samples, n_features)
        """
        X, summary, found = self._infer(X)
        H = self.components_.astype(summary.dtype, copy=False)
        if not keep_clean:
            return found.W @ H

        def restore(rows: slice, X: np.ndarray, weights: None) -> np.ndarray:
            replaced = np.isnan(X) | (found.E[rows].toarray() != 0)
            return np.where(replaced, found.W[rows] @ H, X)

        blocks = MemoryBlocks(X, dtype=summary.dtype).stream(restore)
        if sparse.issparse(X):
            return stack_rows(map(sparse.csr_array, blocks), X.shape[1])
        return np.concatenate(list(blocks))

    def score(self, X: Any, y: Any = None) -> float:
        """Return minus the objective per known entry of X: higher is better.

        It compares models with the same `lam`, `noise` and `refit`, of different `n_components`,
        say: a smaller `lam` or a refit changes the objective itself.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : None
            Ignored.

        Returns
        -------
        float
        """
        _, summary, found = self._infer(X)
        return -found.objective / summary.n_known

    def _check_parameters(self) -> tuple[Settings, SquaredL1 | SquaredL0]:
        settings = Settings.check(self, SOLVERS)
        model = NOISE_MODELS[check_choice("noise", self.noise, NOISE_MODELS)]
        noise = model(check_positive("lam", self.lam, "The paper uses 0.04; smaller flags more."))
        check_choice("refit", self.refit, REFITS)
        if (self.solver, self.noise) == ("mu", "squared_l0"):
            raise ValueError(
                "solver='mu' is the paper's rule, which exists for noise='squared_l1' only; "
                "use solver='hals' with noise='squared_l0'"
            )
        return settings, noise

    def _as_fitted(self, H: np.ndarray) -> dict[str, Any]:
        return {"components_": H, "_learned": Parts(H, self._check_parameters()[1])}

    def _parts(self) -> Parts:
        return self._learned._replace(components=self.components_)

    @with_callbacks
    def _fit(self, X: Any) -> np.ndarray:
        settings, noise = self._check_parameters()
        X, _, summary = self._check_data(X, reset=True)
        n_runs = settings.n_runs + (self.refit is not None)
        progress = Progress(self, X, n_runs, settings.max_iter)
        fitted = factorize(X, None, summary, noise, settings, progress.watch)
        parts = Parts(fitted.H, noise)
        again = None
        if self.refit is not None and not fitted.trace.stopped:
            found = infer(X, summary, parts, start=fitted.W)
            start = (found.W, fitted.H)
            again = refit_clean(X, summary, found.E, start, self.solver, settings, progress.watch)
            parts = Parts(again.H, noise, detector=fitted.H)
        found = infer(X, summary, parts, start=fitted.W)
        # All at the end, so that an interrupted fit leaves the model as it was.
        self.lam_, self.noise_, self._learned = noise.lam, found.E, parts
        self.components_ = parts.components
        self.__dict__.pop("detector_components_", None)  # of an earlier fit with a refit
        if parts.detector is not None:
            self.detector_components_ = parts.detector
        refit = None if again is None else again.trace
        return self._conclude(found, fitted.trace, settings, progress, refit)


def refit_clean(
    X: Any,
    summary: Summary,
    E: sparse.csr_array,
    start: tuple[np.ndarray, np.ndarray],
    solver: str,
    settings: Settings,
    watch: Any,
) -> Factors:
    """Weighted NMF on the entries outside E: the second half of RobustNMF+WNMF."""
    again = replace(settings, solver=WEIGHTED_SOLVERS[solver], init=start, start_is_ours=True)
    return factorize(X, OutsideSupport(E), summary, NoNoise(), again, watch, stage="refit")
