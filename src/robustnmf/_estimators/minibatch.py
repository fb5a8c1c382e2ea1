"""MiniBatchRobustNMF: RobustNMF that learns from a batch of rows at a time."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from robustnmf._auto import AutoResult
from robustnmf._auto.detection import first_price
from robustnmf._common.checks import AUTO
from robustnmf._common.places import Place, on_host
from robustnmf._core.loop import Trace
from robustnmf._core.penalties import penalty_class
from robustnmf._engines import in_any_order, single_threaded_blas
from robustnmf._estimators.cleaning import Cleaning
from robustnmf._estimators.memory import forget
from robustnmf._estimators.moving import place_of
from robustnmf._estimators.online import begin, check_same, go_on, rough, settled
from robustnmf._estimators.progress import Progress, with_callbacks
from robustnmf._estimators.request import MiniBatchRequest
from robustnmf._estimators.untouched import whole_or_untouched
from robustnmf._fitting.data import Summary
from robustnmf._fitting.factorize import warn_unconverged
from robustnmf._fitting.inference import Learned, LearnedComponents
from robustnmf._fitting.online import Online, start_size
from robustnmf._fitting.units import Units
from robustnmf._solvers import ONLINE, some_rows

# What is only set where the data told what is noise.
TOLD = ("noise_scale_", "corruption_", "diagnosis_")


class MiniBatchRobustNMF(Cleaning):
    """RobustNMF that learns from a batch of rows at a time, and from rows as they come.

    The objective is that of `RobustNMF`: ‖X − WH − E‖² + λ Σᵢ ‖Eᵢ‖₁² over W, H ≥ 0 and E, with
    X − E ≥ 0. After each batch the components are improved, so few passes over the data do, and
    `partial_fit` needs none at all: rows may come from anything that is read once. What is
    remembered of rows that were seen are sums of k×m numbers, however many rows there were.

    Parameters
    ----------
    n_components : int, default=10
        How many parts (k).
    lam : float or "auto", default=0.04
        The price of noise (λ), as in `RobustNMF`. With "auto" the rows that it begins with tell
        what is noise, and by that all others are judged; so give `partial_fit` some hundred rows
        to begin with. What noise looks like must not change later.
    penalty : {"squared_l1", "squared_l0"}, default="squared_l1"
        What noise costs: λ‖e‖₁² or λ‖e‖₀² for each sample.
    batch_size : int, default=1024
        Rows after which the components are improved. Larger batches take less time, smaller ones
        learn sooner.
    forget_factor : float, default=0.7
        What the past counts after each epoch of `fit`, and in `partial_fit` after every
        `batch_size` rows; in between, in proportion. There, all rows of the past together count as
        much as the last ``batch_size / (1 - forget_factor)`` of them, about. 1 forgets nothing:
        for rows that never change their nature. 0 knows the last batch alone.
    max_iter : int, default=50
        The most epochs of `fit`; each is one pass over X.
    tol : float, default=1e-3
        `fit` stops when an epoch lowers the objective by no more than this share. 0 makes it
        take all epochs.
    shuffle : bool, default=True
        Whether `fit` takes the rows of data in memory in a random order, another one in each
        epoch. Data that are read a part at a time are read in their order, and `partial_fit` learns
        from rows as they come.
    random_state : int, RandomState or None, default=None
        Seed of the start and of the order.
    verbose : int, default=0
        1 shows on standard error how `fit` goes: objective, time left, rows a second.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The parts, H.
    objective_ : float
        The objective over the rows of the last epoch of `fit`, or of the last call of
        `partial_fit`, each batch at the components that it met. These have improved since: by the
        last ones it is mostly a little lower, ``-score(X)`` times the known entries of X.
    lam_, n_components_ : float, int
        The values used.
    noise_scale_, corruption_, diagnosis_ :
        Only with ``lam="auto"``, as in `RobustNMF`, of the rows that it began with.
    n_samples_seen_, n_steps_ : int
        From how many rows it has learned since `fit` or the first call of `partial_fit` began, each
        as often as it came, and in how many batches, the first rows being one of them.
    n_iter_, converged_ : int, bool
        Only after `fit`: how many epochs it took, and whether the objective settled.
    history_ : dict of lists
        Only after `fit`: "iteration", "objective" and "seconds" of each epoch.

    See Also
    --------
    RobustNMF : Looks at all rows in each iteration, and ends lower.

    Notes
    -----
    It begins with a fit to 256 rows a component: some of all rows in `fit`, the first ones in
    `partial_fit`. So the first call of `partial_fit` should have a few rows a component at least.
    Fewer will do, but what they did not teach must be learned from those that follow.

    Missing entries (NaN) do not count, as in `RobustNMF`.

    References
    ----------
    J. Mairal, F. Bach, J. Ponce, G. Sapiro, "Online learning for matrix factorization and sparse
    coding", JMLR 11, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf import MiniBatchRobustNMF
    >>> rng = np.random.default_rng(0)
    >>> parts = rng.exponential(size=(3, 100))
    >>> model = MiniBatchRobustNMF(n_components=3, batch_size=200, random_state=0)
    >>> for _ in range(10):  # as they come
    ...     clean = rng.exponential(size=(200, 3)) @ parts
    ...     wrong = rng.random(clean.shape) < 0.05
    ...     model = model.partial_fit(np.where(wrong, clean + 20, clean))
    >>> found = model.detect(np.where(wrong, clean + 20, clean))
    >>> int((found & wrong).sum()) / int(wrong.sum()) > 0.99, model.n_samples_seen_
    (True, 2000)
    """

    n_samples_seen_: int
    n_steps_: int

    def __init__(
        self,
        n_components: int = 10,
        *,
        lam: float | str = 0.04,
        penalty: str = "squared_l1",
        batch_size: int = 1024,
        forget_factor: float = 0.7,
        max_iter: int = 50,
        tol: float = 1e-3,
        shuffle: bool = True,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.lam = lam
        self.penalty = penalty
        self.batch_size = batch_size
        self.forget_factor = forget_factor
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> MiniBatchRobustNMF:
        """Learn the components of X, in a few passes over its rows.

        What was learned before is given up.

        Parameters
        ----------
        X : array-like, sparse matrix or blocks of rows, of shape (n_samples, n_features)
            Nonnegative data, of all kinds that `RobustNMF.fit` takes; NaN means missing.
        y : None
            Ignored.

        Returns
        -------
        MiniBatchRobustNMF
            Itself. If anything is raised, Ctrl-C among it, it is as it was before.
        """
        self._fit(X)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> MiniBatchRobustNMF:
        """Learn from some more rows; they are not needed again.

        The first call begins, if there was no `fit`. Parameters may change from call to call, all
        but `n_components` and ``lam="auto"``.

        Parameters
        ----------
        X : array-like, sparse matrix or blocks of rows, of shape (n_samples, n_features)
            As for `fit`. Any number of rows will do. With few of them, in each call many times
            fewer than `batch_size`, most of the time goes elsewhere.
        y : None
            Ignored.

        Returns
        -------
        MiniBatchRobustNMF
            Itself. If anything is raised, Ctrl-C among it, it is as it was before.
        """
        with single_threaded_blas:
            self._learn_more(X, self._request())
        return self

    @whole_or_untouched
    def _learn_more(self, X: Any, request: MiniBatchRequest) -> None:
        first = not hasattr(self, "_sums")
        if not first:
            check_same(self, request)
            self._refuse_elsewhere(X, "partial_fit")
        X, _, summary = self._check_data(X, reset=first)
        told: AutoResult | None = None
        # Rows of nothing teach nothing, and from no components at all it is chance where sums lead.
        if first or not self._sums.cross.any():
            size, dtype = start_size(X.shape, request.settings.n_components), summary.dtype
            online, told = begin(X, np.arange(size), summary, request, type(self).__name__)
            loss, steps = online.sums.loss, 1
            if not first:
                online = online._replace(seen=online.seen + self.n_samples_seen_)
                steps += self.n_steps_
        else:
            size, dtype = 0, on_host(self.components_[:0, :]).dtype
            online, loss, steps = go_on(self, request), 0.0, self.n_steps_
        units = Units(summary.moderate() if request.noise is AUTO else summary)
        pace = request.pace(request.batch_size, ONLINE.repeats)
        passed = online.after(X, units, pace, first=size)
        self._set_learned(passed.online, request, dtype, told, place_of(X))
        self.objective_ = loss + passed.loss
        self.n_steps_ = steps + passed.n_batches

    @whole_or_untouched
    @with_callbacks
    def _fit(self, X: Any) -> None:
        with single_threaded_blas:
            request = self._request()
            X, _, summary = self._check_data(X, reset=True)
            self._fit_checked(X, summary, request)

    def _fit_checked(self, X: Any, summary: Summary, request: MiniBatchRequest) -> None:
        settings, n = request.settings, X.shape[0]
        progress = Progress(self, X, 1, settings.max_iter)
        rng = check_random_state(settings.random_state)
        size = start_size(X.shape, settings.n_components)
        rows = some_rows(n, size) if size < n else np.arange(n)
        began = time.perf_counter()
        # The start and the order of the rows are drawn by the same one.
        drawing = request.drawing(rng)
        online, told = begin(X, rows, summary, drawing, type(self).__name__)
        auto = request.noise is AUTO
        units = Units(summary.moderate() if auto else rough(summary, X.shape))
        shuffled = request.shuffle and in_any_order(X)
        place = place_of(X)
        trace, steps, pace = Trace(), 1, request.pace(n, 1)
        report = progress.watch("epoch", lambda: place.put(online.components, summary.dtype), n)
        while trace.n_iter < settings.max_iter and not trace.settled:
            order = rng.permutation(n) if shuffled else None
            online, loss, n_batches = online.after(X, units, pace, order=order)
            trace.record(loss, time.perf_counter() - began)
            trace.stopped = report(trace.n_iter, loss)
            trace.converged = settled(trace.history["objective"], settings.tol)
            steps += n_batches
        self._set_learned(online, request, summary.dtype, told, place)
        self.objective_ = trace.last
        self.n_steps_, self.n_iter_, self.converged_ = steps, trace.n_iter, trace.converged
        self.history_ = trace.history
        if not trace.settled:
            warn_unconverged(settings, type(self).__name__)
        ending = "converged" if trace.converged else "stopped"
        progress.finish(f"{ending} after {trace.n_iter} epochs, objective {trace.last:.6g}")

    def _set_learned(
        self,
        online: Online,
        request: MiniBatchRequest,
        dtype: Any,
        told: AutoResult | None,
        place: Place,
    ) -> None:
        """Set what was learned: last, so that an interrupted call leaves the model as it was."""
        forget(self)
        self._sums, self.n_samples_seen_ = online.sums, online.seen
        self._learned = online.learned(dtype).moved(place.put)
        self.components_ = self._learned.components
        self.n_components_ = self.components_.shape[0]
        if request.noise is not AUTO:
            self.lam_ = request.noise.lam
            for name in TOLD:  # by an earlier fit with other parameters
                self.__dict__.pop(name, None)
        elif told is not None:
            self.lam_ = told.facts.equivalent_lam(penalty_class(self.penalty))
            self.noise_scale_, self.corruption_ = told.facts.scale, told.facts.corruption
            self.diagnosis_ = told.diagnosis

    def _model(self) -> Learned:
        return self._learned._replace(components=self.components_)

    def _as_fitted(self, H: np.ndarray) -> dict[str, Any]:
        noise = self._request().noise
        price = first_price(H.shape[1]) if noise is AUTO else noise
        return {"components_": H, "_learned": LearnedComponents(H, price)}

    def _request(self) -> MiniBatchRequest:
        return MiniBatchRequest.of(self)
