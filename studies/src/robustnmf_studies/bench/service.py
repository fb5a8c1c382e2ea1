"""A fitted model at work: what it says of one sample after the other, and of batches.

Nobody else answers robustly, so beside it stands what scikit-learn's plain NMF takes to transform
the same rows.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from sklearn.decomposition import NMF

from robustnmf import RobustNMF, TrustWarning
from robustnmf_studies.bench.iteration import at_most
from robustnmf_studies.bench.plan import Plan, Size
from robustnmf_studies.bench.problems import LAM, Array, small_problem
from robustnmf_studies.bench.results import SECONDS, Row
from robustnmf_studies.bench.timing import Tell, alternate, seconds, unconverged_is_fine

PER_SECOND = "rows/s"
QUESTIONS = ("transform", "detect", "denoise")
_RIVAL = "scikit-learn NMF.transform (not robust)"
_PRICES: dict[str, float | str] = {"number": LAM, "auto": "auto"}
# What the models are fitted to: enough for components, and no more.
_TRAINING = 400


def one_sample(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Ask of one sample at a time, each a new one."""
    size = Size(_TRAINING, plan.small.m, plan.small.k)
    model, plain, X = _fitted(size, case, plan.samples)

    def median_of(question: Callable[[Array], Any]) -> Callable[[], float]:
        return lambda: median(seconds(partial(question, X[[i]])) for i in range(len(X)))

    asked = [median_of(getattr(model, name)) for name in QUESTIONS]
    rounds = alternate(plan.repeat, *asked, median_of(plain.transform), tell=tell)
    return [
        _row(f"one-sample.{case}", f"one sample of {size.m:,}, k = {size.k}, lam {case}", rounds)
    ]


def batches(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Ask of many rows at once, on one core."""
    size = Size(_TRAINING, 100, plan.small.k)
    model, plain, X = _fitted(size, case, plan.batch)
    fresh = _never_the_same(X)

    def timed(question: Callable[[Array], Any]) -> Callable[[], float]:
        def one() -> float:
            rows = next(fresh)
            return seconds(lambda: question(rows))

        return one

    asked = [timed(getattr(model, name)) for name in QUESTIONS]
    with at_most(1):
        rounds = alternate(plan.repeat, *asked, timed(plain.transform), tell=tell)
    what = f"batches of {len(X):,}×{size.m}, k = {size.k}, lam {case}, one core"
    return [_row(f"batches.{case}", what, rounds, len(X))]


def _fitted(size: Size, case: str, n: int) -> tuple[RobustNMF, NMF, Array]:
    """Return our model, the plain one, and n rows that they were not fitted to; all warmed up."""
    problem = small_problem(Plan(), Size(size.n + n, size.m, size.k))
    train, X = problem.X[: size.n], problem.X[size.n :]
    # That faces of 255 grey levels have many of the largest one, the model says each time.
    with unconverged_is_fine(), warnings.catch_warnings(action="ignore", category=TrustWarning):
        model = RobustNMF(size.k, lam=_PRICES[case], random_state=0).fit(train)
        plain = NMF(size.k, random_state=0).fit(train)
    for question in (*(getattr(model, name) for name in QUESTIONS), plain.transform):
        question(X[:2])
    return model, plain, X


def _never_the_same(X: Array) -> Iterator[Array]:
    """Yield the rows again and again, in another unit each time: an answer is remembered."""
    return (np.ldexp(X, i % 8) for i in itertools.count())


def _row(key: str, what: str, rounds: list[tuple[float, ...]], rows: int | None = None) -> Row:
    """Make a row of the slowest of our questions in each round, in seconds or rows a second."""

    def figure(time: float) -> float:
        return time if rows is None else rows / time

    each = dict(zip((*QUESTIONS, "theirs"), np.median(rounds, axis=0).tolist(), strict=True))
    slowest = [max(ours) for *ours, _ in rounds]
    theirs = median(plain for *_, plain in rounds)
    return Row(
        key,
        f"{what}; the slowest of {', '.join(QUESTIONS)}",
        SECONDS if rows is None else PER_SECOND,
        [figure(time) for time in slowest],
        ours=figure(median(slowest)),
        theirs=figure(theirs),
        unit=SECONDS if rows is None else PER_SECOND,
        rival=_RIVAL,
        details={"seconds": each},
    )
