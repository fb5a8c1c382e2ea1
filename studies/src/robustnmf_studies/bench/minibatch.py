"""Fits by batches: beside a full fit, the plain one of scikit-learn, and the robust of hyperspy."""

from __future__ import annotations

import contextlib
import io
import itertools
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.decomposition import MiniBatchNMF

from robustnmf import MiniBatchRobustNMF, RobustNMF
from robustnmf_studies.bench.fits import MISSING
from robustnmf_studies.bench.plan import MANY_ROWS, Plan, Size
from robustnmf_studies.bench.problems import Array, clean_rows, large_problem
from robustnmf_studies.bench.results import FASTER, SHARE, Row, compared
from robustnmf_studies.bench.timing import Tell, alternate, seconds, unconverged_is_fine

EPOCHS = 3
OF_OBJECTIVE = "× its objective"
# The rows whose clean values are compared with what a method says of them.
_JUDGED = 1_000
_ORNMF = "hyperspy ORNMF"


def measure(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Fit the same rows in all ways, in turn, and judge what was learned by the clean data."""
    size = plan.many_rows
    X = large_problem(size).X
    judged, few = X[:_JUDGED], X[: plan.single_rows]
    truth = clean_rows(size, len(judged))
    made: dict[str, list[Any]] = {}

    def timed(name: str, make: Callable[[int], Any], rows: Array) -> Callable[[], float]:
        seeds = itertools.count()

        def one() -> float:
            model = make(next(seeds))
            gone = seconds(lambda: model.fit(rows))
            made.setdefault(name, []).append(model)
            return gone

        return one

    kinds: dict[str, tuple[Callable[[int], Any], Array]] = {
        "ours": (partial(_ours, size.k), X),
        "full": (lambda seed: RobustNMF(size.k, random_state=seed), X),
        "plain": (partial(_plain, size.k), X),
    }
    missing = ""
    try:
        _Ornmf(size.k, 0)
        kinds[_ORNMF] = (partial(_Ornmf, size.k), few)
    except ModuleNotFoundError:
        missing = MISSING
    with unconverged_is_fine():
        for make, _ in kinds.values():  # the first calls import and compile
            make(0).fit(X[: min(len(X), 200)])
        sides = [timed(name, make, rows) for name, (make, rows) in kinds.items()]
        rounds = alternate(plan.repeat, *sides, tell=tell)
    errors = {name: _error(models[-1], judged, truth) for name, models in made.items()}
    objectives = [
        (ours.score(X), full.score(X))
        for ours, full in zip(made["ours"], made["full"], strict=True)
    ]
    exact = size == MANY_ROWS
    about = f"{EPOCHS} epochs by batches; {size}"
    common: dict[str, Any] = {"exact": exact, "details": {"errors": errors}}
    full = {"rival": "a full fit", **common}
    said, worst = _said(errors), max(ours / theirs for ours, theirs in objectives)
    plain = [(figures[0], figures[2]) for figures in rounds]
    return [
        Row(
            "minibatch.objective",
            f"objective after {about}",
            OF_OBJECTIVE,
            [ours / theirs for ours, theirs in objectives],
            ours=-objectives[0][0],
            theirs=-objectives[0][1],
            unit="an entry",
            note=f"{worst:.5f} × the full fit's at most; {said}",
            **full,
        ),
        compared(
            "minibatch.time", about, SHARE, [(figures[0], figures[1]) for figures in rounds], **full
        ),
        compared("minibatch.plain", about, FASTER, plain, rival="MiniBatchNMF", **common),
        _single(size, len(few), [(f[0], f[3]) for f in rounds if len(f) > 3], missing, common),
    ]


def _single(
    size: Size, n_few: int, rounds: list[tuple[float, float]], missing: str, common: dict[str, Any]
) -> Row:
    """Compare the time of one row."""
    what = f"µs a row: {EPOCHS} epochs by batches, {size}; theirs once over {n_few:,} rows"
    about = ("minibatch.hyperspy", what, FASTER)
    if missing:
        return Row(*about, [], rival=_ORNMF, note=missing, **common)
    pairs = [(1e6 * ours / size.n, 1e6 * theirs / n_few) for ours, theirs in rounds]
    note = f"it takes rows one by one, so it was given the first {n_few:,} of them"
    return compared(*about, pairs, rival=_ORNMF, unit="µs", note=note, **common)


def _ours(k: int, seed: int) -> MiniBatchRobustNMF:
    return MiniBatchRobustNMF(k, max_iter=EPOCHS, tol=0, random_state=seed)


def _plain(k: int, seed: int) -> MiniBatchNMF:
    # Its own way to stop might make fewer epochs of it.
    return MiniBatchNMF(
        k, max_iter=EPOCHS, tol=0, max_no_improvement=None, init="random", random_state=seed
    )


class _Ornmf:
    """hyperspy's, with the calls of the others; settings as in the benchmark `others`."""

    def __init__(self, k: int, seed: int) -> None:
        from hyperspy.learn._ornmf import ORNMF

        self._learner = ORNMF(k, lambda1=0.1, method="RobustPGD", random_state=seed)

    def fit(self, X: Array) -> None:
        # Its step sizes want data of about 1.
        self._top = X.max()
        with _quiet():
            self._learner.partial_fit(X / self._top)

    def transform(self, X: Array) -> Array:
        with _quiet():
            return self._top * self._learner.transform(X / self._top)

    @property
    def components_(self) -> Array:
        return self._learner.components_


@contextlib.contextmanager
def _quiet() -> Any:
    # It draws its bar on the standard error, and has no way to be told not to.
    with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings(action="ignore"):
        yield


def _error(model: Any, X: Array, truth: Array) -> float:
    """Return how far W H is from the clean data, as a share of these."""
    prediction = model.transform(X) @ model.components_
    return float(np.linalg.norm(prediction - truth) / np.linalg.norm(truth))


def _said(errors: dict[str, float]) -> str:
    names = {"ours": "by batches", "full": "full", "plain": "MiniBatchNMF"}
    told = ", ".join(f"{names.get(name, name)} {error:.3f}" for name, error in errors.items())
    return f"error of W H against the clean data, as a share of them: {told}"
