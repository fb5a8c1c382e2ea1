"""Whole fits as a user calls them, beside plain NMF and beside other robust methods."""

from __future__ import annotations

import contextlib
import io
import itertools
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.decomposition import NMF

from robustnmf import RobustNMF
from robustnmf._core.noise import SquaredL1
from robustnmf.metrics import detection_scores, msre
from robustnmf_studies.bench.plan import FITS, LARGE, Plan
from robustnmf_studies.bench.problems import LAM, Problem, large_problem, small_problem
from robustnmf_studies.bench.races import exact_objective
from robustnmf_studies.bench.results import FASTER, SHARE, Row, compared, side_by_side
from robustnmf_studies.bench.timing import Tell, alternate, seconds, unconverged_is_fine
from robustnmf_studies.common.detection import at_best_threshold
from robustnmf_studies.common.pcp import principal_component_pursuit

_SOLVERS = ("cd", "mu")
MISSING = "not installed: pip install 'robustnmf-studies[bench]'"


def defaults(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Fit at default settings from the same start, in one precision."""
    problem = large_problem(plan.converge).astype(case)
    ends: dict[str, tuple[int, str]] = {}

    def ours() -> float:
        model = RobustNMF(problem.size.k, init=problem.start())
        gone = seconds(lambda: model.fit_transform(problem.X))
        ends["ours"] = _ending(model)
        return gone

    def theirs(solver: str) -> float:
        W, H = problem.start()
        model = NMF(problem.size.k, init="custom", solver=solver)
        gone = seconds(lambda: model.fit_transform(problem.X, W=W, H=H))
        ends[solver] = _ending(model)
        return gone

    sides = (partial(theirs, solver) for solver in _SOLVERS)
    with unconverged_is_fine():
        rounds = alternate(plan.repeat, ours, *sides, tell=tell)
    return [
        compared(
            # The target speaks of cd, scikit-learn's default.
            f"defaults.{case}" if solver == "cd" else f"defaults.{case}-{solver}",
            f"robust fit at default settings, {case}; {problem.size}",
            SHARE,
            [(figures[0], figures[place]) for figures in rounds],
            rival=f"scikit-learn {solver}",
            exact=problem.size == LARGE,
            note=f"{ends['ours'][1]}; theirs {ends[solver][1]}",
            details={"iterations": ends["ours"][0], "their_iterations": ends[solver][0]},
        )
        for place, solver in enumerate(_SOLVERS, start=1)
    ]


def sizes(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Fit as both come, each with its own way to start, from several seeds.

    Both factorizations are then scored alike: by the robust objective, with the best E for each.
    """
    size = plan.fits[case]
    large = case == "large"
    problem = large_problem(size) if large else small_problem(Plan(), size)
    ours, theirs = (
        (lambda seed, make=make: make(size.k, random_state=seed)) for make in (RobustNMF, NMF)
    )
    seeds = itertools.count()
    fitted: list[tuple[Any, Any]] = []

    def timed(make: Callable[[int], Any]) -> Callable[[], float]:
        def one() -> float:
            model = make(next(seeds) // 2)
            return seconds(lambda: fitted.append((model.fit_transform(problem.X), model)))

        return one

    with unconverged_is_fine():
        if not large:
            ours(0).fit(problem.X)
            theirs(0).fit(problem.X)
        rounds = alternate(
            plan.repeat if large else plan.fit_starts, timed(ours), timed(theirs), tell=tell
        )
    scores = [
        exact_objective(problem, LAM, W, model.components_.astype(W.dtype)) for W, model in fitted
    ]
    found = list(zip(scores[::2], scores[1::2], strict=True))
    no_worse = sum(a <= b for a, b in found)
    return [
        compared(
            f"fits.{case}",
            f"a fit at default settings, robust against plain; {size}",
            FASTER,
            rounds,
            rival="scikit-learn NMF",
            exact=size == FITS.get(case),
            note=f"by the robust objective ours is no worse from {no_worse} of {len(found)} starts",
            details={"objectives": found},
        )
    ]


def _ending(model: Any) -> tuple[int, str]:
    """Return after how many iterations a fit ended, and that in words."""
    count = model.n_iter_
    return count, f"{count} iterations" + (", its limit" if count >= model.max_iter else "")


class Found(NamedTuple):
    """What a method made of the data."""

    # Its idea of the clean data; n×m.
    prediction: Any
    # By how much it finds an entry wrong; exactly 0 where it finds none.
    noise: Any


def robust(problem: Problem) -> Found:
    """RobustNMF at default settings."""
    model = RobustNMF(problem.size.k, init=problem.start())
    W = model.fit_transform(problem.X)
    return Found(W @ model.components_, model.noise_.toarray())


def plain(problem: Problem) -> Found:
    """scikit-learn's NMF, which is not robust."""
    W, H = problem.start()
    model = NMF(problem.size.k, init="custom")
    W = model.fit_transform(problem.X, W=W, H=H)
    return _with_our_noise(problem, W @ model.components_)


def pursuit(problem: Problem) -> Found:
    """Principal component pursuit: see `robustnmf_studies.common.pcp`."""
    low_rank, sparse, _ = principal_component_pursuit(problem.X)
    return Found(low_rank, sparse)


def hyperspy_ornmf(problem: Problem) -> Found:
    """What hyperspy has: online robust NMF, as in the paper of Zhao and Tan, in one pass.

    Its λ is in the unit of the data, and its step sizes want data of about 1.
    """
    from hyperspy.learn import ornmf

    top = problem.X.max()
    X = np.asarray(problem.X / top)
    # It draws its bar on the standard error, and has no way to be told not to.
    with contextlib.redirect_stderr(io.StringIO()):
        prediction, E, _, _ = ornmf(
            X.T, problem.size.k, store_error=True, lambda1=0.1, method="RobustPGD", random_state=0
        )
    return Found(prediction.T * top, top * E.T)


def gensim_nmf(problem: Problem) -> Found:
    """What gensim has: online NMF of the same paper; it leaves the noise term of that paper out."""
    from gensim.models.nmf import Nmf
    from scipy.sparse import csc_matrix

    n, m, k = problem.size
    top = problem.X.max()
    corpus = csc_matrix(problem.X.T / top)
    # It writes into the data's type of sparse matrix, hence csc_matrix and no sparse array.
    model = Nmf(
        corpus,
        num_topics=k,
        id2word={j: str(j) for j in range(m)},
        passes=10,
        chunksize=max(1, n // 4),
        normalize=False,
        eval_every=None,
        random_state=0,
    )
    W = model._solveproj(corpus, model._W, v_max=np.inf).T
    return _with_our_noise(problem, top * (W @ model._W.T))


def _with_our_noise(problem: Problem, prediction: Any) -> Found:
    """For methods that name no wrong entries: those that our noise step takes for wrong."""
    return Found(prediction, SquaredL1(LAM).noise(problem.X, prediction))


# By case: what it is to be called, and how it runs.
METHODS: dict[str, tuple[str, Callable[[Problem], Found]]] = {
    "plain": ("scikit-learn NMF (not robust)", plain),
    "pcp": ("principal component pursuit", pursuit),
    "hyperspy": ("hyperspy ORNMF", hyperspy_ornmf),
    "gensim": ("gensim Nmf", gensim_nmf),
}


def others(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Run a method in turn with ours on data in which the wrong entries are known."""
    problem = small_problem(plan, plan.others)
    rival, method = METHODS[case]
    about = (f"others.{case}", f"a fit; {problem.size}", FASTER)
    found: dict[str, Found] = {}

    def fit(side: str, method: Callable[[Problem], Found]) -> None:
        with warnings.catch_warnings(action="ignore"):  # theirs to see to
            found[side] = method(problem)

    ours, theirs = partial(fit, "ours", robust), partial(fit, "theirs", method)
    try:
        theirs()  # the first call imports the package
    except ModuleNotFoundError:
        return [Row(*about, [], rival=rival, note=MISSING)]
    except Exception as error:  # a package that fails must not take the others with it
        return [Row(*about, [], rival=rival, note=f"failed: {type(error).__name__}: {error}")]
    row = side_by_side(*about, ours, theirs, plan.repeat, tell, rival=rival)
    return [replace(row, details={side: _quality(problem, one) for side, one in found.items()})]


def _quality(problem: Problem, found: Found) -> dict[str, float]:
    assert problem.clean is not None
    assert problem.mask is not None
    return {
        **detection_scores(problem.mask, found.noise != 0)._asdict(),
        # Some call every bit of texture noise; this is what they know beneath it.
        "best_f1": at_best_threshold(problem.mask, found.noise).f1,
        "msre": msre(problem.clean, found.prediction),
    }
