"""RobustNMF: X ≈ W H + E, where E is a sparse, large noise of unknown position."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from robustnmf._auto import EXTRA_RUNS, LearnedDetection, find_rank, learn, warn_untrusted
from robustnmf._auto.detection import first_price
from robustnmf._common.checks import AUTO, Auto
from robustnmf._core.noise import Penalty
from robustnmf._core.penalties import penalty_class
from robustnmf._engines import adopted, answered_later, single_threaded_blas
from robustnmf._estimators import answers
from robustnmf._estimators.checkpoints import EVERY, Plan
from robustnmf._estimators.cleaning import Cleaning
from robustnmf._estimators.memory import forget
from robustnmf._estimators.moving import place_of
from robustnmf._estimators.progress import Progress, with_callbacks
from robustnmf._estimators.refit import refit_clean
from robustnmf._estimators.request import Request
from robustnmf._estimators.untouched import whole_or_untouched
from robustnmf._fitting.data import Summary
from robustnmf._fitting.explained import Keep
from robustnmf._fitting.factorize import Options, Settings, factorize
from robustnmf._fitting.inference import Learned, LearnedComponents

# Attributes that only some fits set.
OPTIONAL = (
    "noise_",
    "screening_components_",
    "noise_scale_",
    "corruption_",
    "diagnosis_",
    "outlier_samples_",
    "outlier_features_",
    "rank_path_",
)


class RobustNMF(Cleaning):
    """Nonnegative matrix factorization that finds, and is not misled by, wildly wrong entries.

    Minimises ‖X − WH − E‖² + λ Σᵢ ‖Eᵢ‖₁² over W, H ≥ 0 and E, with X − E ≥ 0. NaN in X means
    missing: such entries do not count, and `denoise` fills them. With ``lam="auto"`` nothing need
    be known of the noise: its share, its size, its values and the samples that are nothing like
    the rest are found from the data.

    Parameters
    ----------
    n_components : int or "auto", default=10
        How many parts (k). "auto" takes the least number that predicts hidden entries as well as
        any; it costs up to 15 short fits.
    lam : float or "auto", default=0.04
        The price of noise (λ). Smaller flags more entries. If s entries of a sample are wrong,
        about 1/s balances precision and recall. It does not depend on the unit of X, except with
        ``penalty="squared_l0"``, where it has the unit of x². "auto" learns from the data what is
        noise, and then the components from the rest alone; it costs several times as much,
        and one number for each entry of X in memory.
    penalty : {"squared_l1", "squared_l0"}, default="squared_l1"
        What noise costs: λ‖e‖₁² (the paper's eq. 6) or λ‖e‖₀² (its eq. 5) for each sample. With
        ``lam="auto"`` it only says in which model's terms `lam_` is given.
    solver : {"hals", "mu"}, default="hals"
        How components are learned: HALS with an exact noise step, or the paper's own multiplicative
        rules (slow, and with E as two dense arrays in memory; for ``penalty="squared_l1"`` only).
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
    noise_ : csr_array of shape (n_samples, n_features)
        E of the training data; stored entries are the corrupt ones. Not there when the data were
        read a part at a time, `lam` is a number and there was no refit, for it may be larger than
        memory: ``estimate_noise(X, out=...)`` writes it wherever there is room.
    objective_ : float
        The objective at W, H and E: the sum over all entries.
    reconstruction_err_ : float
        ‖X − WH − E‖ over the known entries.
    n_iter_, converged_ : int, bool
        How many iterations the best start took, its refit included, and whether the objective
        settled in both.
    history_ : dict of lists
        "iteration", "objective" and "seconds" of the best start, from the start itself (iteration
        0; where there are many samples, after a head start on some of them) on, without the refit.
        The objective never rises. At the end W and E are solved to the
        optimum, so `objective_` can be lower than its last value. With a refit it is higher,
        because noise that is no longer underestimated costs more; with "squared_l0" it may be
        a little, because each sample is solved by itself. With ``lam="auto"``, of the last step.
    lam_, n_components_ : float, int
        The values used. With ``lam="auto"``, the λ with which the noise model would draw the line
        at four times `noise_scale_`, on average; with "squared_l1" at most 1000.
    noise_scale_, corruption_ : float
        Only with ``lam="auto"``: the typical size of a clean residual, and the share of entries
        that is corrupt, by the sum of their probabilities.
    outlier_samples_ : ndarray of int
        Only with ``lam="auto"``: positions of the samples that are nothing like the rest, or
        nothing but noise. The components are not learned from them.
    outlier_features_ : ndarray of int
        Only with ``lam="auto"``: positions of the features that are nothing like the rest, as a
        whole: stuck at one value, or noise. All entries of the stuck ones are flagged; in
        neither is anything replaced.
    diagnosis_ : robustnmf._common.diagnosis.Diagnosis
        Only with ``lam="auto"``: how far the result can be trusted, as a verdict ("reliable",
        "doubtful", "undecided" or "no structure") and its reasons in words. Unless it is
        "reliable", `fit` warns with a `robustnmf.TrustWarning`, and `denoise` replaces only what is
        clearly wrong.
    rank_path_ : dict of lists
        Only with ``n_components="auto"``: "n_components" tried, the "error" of each on hidden
        entries (1 is hopeless), and its "standard_error".
    screening_components_ : ndarray of shape (n_components, n_features)
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

    With nothing to tune:

    >>> model = RobustNMF(n_components=3, lam="auto", random_state=0).fit(X)
    >>> found = model.detect(X)
    >>> bool((found != wrong).mean() < 0.001), round(model.corruption_, 3)
    (True, 0.049)
    """

    def __init__(
        self,
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
    ) -> None:
        self.n_components = n_components
        self.lam = lam
        self.penalty = penalty
        self.solver = solver
        self.refit = refit
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any = None, *, checkpoint: Any = None, checkpoint_every: float = EVERY
    ) -> RobustNMF:
        """Learn the components and the noise of X.

        Parameters
        ----------
        X : array, sparse matrix, blocks of rows or Dask, of shape (n_samples, n_features)
            Nonnegative data; NaN means missing. Arrays of HDF5 (h5py) and Zarr, large
            memory-mapped arrays, tables and data sets of Arrow, Parquet files, and anything that
            can be iterated again and gives blocks of rows are read a part at a time, once in each
            iteration, and need not fit into memory.
            Arrays and data frames of Dask are worked on where their partitions lie.
        y : None
            Ignored.
        checkpoint : path-like, default=None
            A folder where the state of the fit is written every so often. If the fit is broken
            off, the same call goes on from there and ends with the same answer. When the fit is
            done, the folder is removed. `random_state` has to be a whole number.
        checkpoint_every : float, default=30
            So many seconds from one writing to the next, or more where writing takes long.

        Returns
        -------
        RobustNMF
            Itself. If anything is raised, Ctrl-C among it, it is as it was before.
        """
        self._fit(X, checkpoint, checkpoint_every, keep_weights=False)
        return self

    def fit_transform(
        self,
        X: Any,
        y: Any = None,
        *,
        checkpoint: Any = None,
        checkpoint_every: float = EVERY,
        out: Any = None,
    ) -> np.ndarray:
        """Learn from X and return its W; the same as `fit(X).transform(X)`, at less cost.

        Parameters
        ----------
        X, y, checkpoint, checkpoint_every :
            As in `fit`.
        out : array of shape (n_samples, n_components), default=None
            Where to put W, as in `transform`; for a number of components that is given.

        Returns
        -------
        ndarray of shape (n_samples, n_components), or `out`
            For data of Dask a Dask array, as from `transform`.
        """
        kept = answered_later(X) is None
        W = self._fit(X, checkpoint, checkpoint_every, keep_weights=kept, out=out)
        later = None if kept or out is not None else self._later(X, "transform", answers.weights)
        return W if later is None else later[0]

    def _as_fitted(self, H: np.ndarray) -> dict[str, Any]:
        noise = self._request().noise
        if noise is AUTO:
            noise = first_price(H.shape[1])
        return {"components_": H, "_learned": LearnedComponents(H, noise)}

    def _model(self) -> Learned:
        return self._learned._replace(components=self.components_)

    def _request(self) -> Request:
        return Request.of(self)

    @whole_or_untouched
    @with_callbacks
    def _fit(
        self,
        X: Any,
        checkpoint: Any,
        checkpoint_every: float,
        *,
        keep_weights: bool = True,
        out: Any = None,
    ) -> np.ndarray:
        """Fit, and return W if it is asked for; where it costs nothing, in any case."""
        options, n_components, noise = self._request()
        plan = Plan.of(self, checkpoint, checkpoint_every, options)
        with single_threaded_blas:
            return self._fit_checked(X, options, n_components, noise, plan, keep_weights, out)

    def _fit_checked(
        self,
        X: Any,
        options: Options,
        n_components: int | Auto,
        noise: Penalty | Auto,
        plan: Plan | None,
        keep_weights: bool,
        out: Any,
    ) -> np.ndarray:
        if out is not None and n_components is AUTO:
            raise ValueError(
                "out cannot be had before it is known how many components there are; give "
                "n_components a number, or call fit(X) and then transform(X, out=...)"
            )
        X, _, summary = self._check_data(X, reset=True, digest=plan is not None)
        if out is not None:
            answers.check_out("out", out, (X.shape[0], n_components))
        if plan is not None:
            options = replace(options, checkpoint=plan.opened(X, None, summary))
        n_runs = options.n_runs + (EXTRA_RUNS if noise is AUTO else self.refit is not None)
        progress = Progress(self, X, n_runs, options.max_iter)
        path = None
        if n_components is AUTO:
            path = find_rank(X, summary, noise, options, progress.tell_rank)
            n_components = path.chosen()
        settings = options.with_components(n_components)
        if noise is AUTO:
            W = self._fit_auto(X, summary, settings, progress, keep_weights and out is None)
            if out is not None:
                explained = self._model().explain(X, summary)
                answers.write(explained, {"out": (answers.weights, out)}, {"out": out.shape})
                W = out
        else:
            W = self._fit_given(X, summary, settings, noise, progress, keep_weights, out)
        if path is not None:
            self.rank_path_ = path.table()
        if options.checkpoint is not None:
            options.checkpoint.remove()
        return W

    def _fit_given(
        self,
        X: Any,
        summary: Summary,
        settings: Settings,
        noise: Penalty,
        progress: Progress,
        keep_weights: bool,
        out: Any,
    ) -> np.ndarray:
        fitted = factorize(X, None, summary, noise, settings, progress.watch, hold=True)
        learned = LearnedComponents(fitted.H, noise).held(fitted, summary.n_known)
        again = None
        if self.refit is not None and not fitted.trace.stopped:
            W, flags = learned.screened(X, summary, fitted.W)
            start = (W, fitted.H)
            again = refit_clean(X, summary, flags, start, self.solver, settings, progress.watch)
            learned = learned._replace(components=again.H, screening_components=fitted.H)
        # Of data that are read a part at a time, what belongs to rows may be larger than memory.
        held = adopted(X) is None
        keep = Keep(weights=held or keep_weights, noise=held)
        found = learned.infer(X, summary, start=fitted.W, keep=keep, out=out)
        self._set_learned(learned, noise.lam)
        if held:
            self.noise_ = found.E
        if learned.screening_components is not None:
            self.screening_components_ = learned.screening_components
        refit = None if again is None else again.trace
        return self._conclude(found, fitted.trace, settings, progress, refit)

    def _fit_auto(
        self,
        X: Any,
        summary: Summary,
        settings: Settings,
        progress: Progress,
        keep_weights: bool,
    ) -> np.ndarray:
        held = adopted(X) is None
        keep = Keep(weights=held or keep_weights, noise=held)
        result = learn(X, summary, settings, progress.watch, keep)
        put = place_of(X).put
        learned, found = result.learned.moved(put), result.found
        self._set_learned(learned, result.facts.equivalent_lam(penalty_class(self.penalty)))
        if held:
            self.noise_ = found.E
        self.noise_scale_, self.corruption_ = result.facts.scale, result.facts.corruption
        self.outlier_samples_ = put(result.outlier_samples)
        self.outlier_features_ = put(result.outlier_features)
        self.diagnosis_ = result.diagnosis
        found = found._replace(W=put(found.W))
        W = self._conclude(found, result.trace, settings, progress, earlier=result.earlier)
        warn_untrusted(result.diagnosis, type(self).__name__)
        return W

    def _set_learned(self, learned: LearnedComponents | LearnedDetection, lam: float) -> None:
        """Set what was learned: last, so that an interrupted fit leaves the model as it was."""
        forget(self)
        for name in OPTIONAL:  # of an earlier fit with other parameters
            self.__dict__.pop(name, None)
        self.components_, self._learned = learned.components, learned
        self.lam_ = lam
