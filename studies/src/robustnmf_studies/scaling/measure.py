"""What is measured of one case, in a process that does nothing else."""

from __future__ import annotations

import tempfile
import time
import warnings
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from robustnmf import RobustNMF
from robustnmf_studies.common.problem import LAM
from robustnmf_studies.common.processes import peak_bytes, reset_peak
from robustnmf_studies.scaling import traffic
from robustnmf_studies.scaling.opening import Place, opened
from robustnmf_studies.scaling.settings import FEW, ITERATIONS, MANY, TRAFFIC, Case

# Iterations at the beginning, whose thresholds are cold.
_COLD = 3
# Pairs of fits whose difference is taken: a scheduler may move things about in one of them.
_PAIRS = 3


def measured(case: Case) -> dict[str, Any]:
    """Return what there is to measure of a case; called in an interpreter of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="robustnmf-scaling-") as folder,
        warnings.catch_warnings(),
        opened(case, Path(folder)) as place,
    ):
        # So many iterations are asked for.
        warnings.simplefilter("ignore", ConvergenceWarning)
        # Imports and kernels are the library's, whatever the data.
        _fit(case, place.small, 2)
        return _traffic(case, place) if case.measure == TRAFFIC else _time(case, place)


def _fit(case: Case, X: Any, iterations: int) -> RobustNMF:
    return RobustNMF(case.k, lam=LAM, max_iter=iterations, tol=0, random_state=case.seed).fit(X)


def _time(case: Case, place: Place) -> dict[str, Any]:
    place.everywhere(reset_peak)
    before = place.everywhere(peak_bytes)
    X = place.data()
    began = time.perf_counter()
    model = _fit(case, X, ITERATIONS)
    seconds = time.perf_counter() - began
    peaks = place.everywhere(peak_bytes)
    if model.n_iter_ != ITERATIONS:
        raise RuntimeError(f"{case.key} ended after {model.n_iter_} iterations of {ITERATIONS}")
    gone = np.diff(model.history_["seconds"])[_COLD:].tolist()
    probe = np.random.default_rng(0).random(case.m)
    return {
        "iteration": median(gone),
        "mean": mean(gone),
        "slowest": max(gone),
        "whole": seconds,
        "peak": sum(now - then for now, then in zip(peaks, before, strict=True)),
        "answer": [model.objective_, *(model.components_.astype(float) @ probe).tolist()],
    }


def _traffic(case: Case, place: Place) -> dict[str, Any]:
    """Fit with few iterations and with more: what is different is due to those between."""
    X = place.data()
    # Data that the scheduler wants elsewhere move in the first fits.
    _fit(case, X, FEW)
    if place.everywhere(_nothing)[1:]:
        place.everywhere(traffic.begin)
    rates = [_sent(case, X, place) for _ in range(_PAIRS)]
    return {name: median(rate[name] for rate in rates) for name in rates[0]}


def _sent(case: Case, X: Any, place: Place) -> dict[str, float]:
    found = []
    for iterations in (FEW, MANY):
        before = place.everywhere(traffic.counted)
        _fit(case, X, iterations)
        found.append(traffic.between(before, place.everywhere(traffic.counted)))
    (few_here, few_there), (many_here, many_there) = found

    def rate(more: dict[str, int], less: dict[str, int], name: str) -> float:
        return (more.get(name, 0) - less.get(name, 0)) / (MANY - FEW)

    here, there = ((many_here, few_here), (many_there, few_there))
    return {
        "client_sent": rate(*here, "sent"),
        "workers_sent": rate(*there, "sent"),
        "messages": rate(*here, "messages") + rate(*there, "messages"),
        "data_moved": rate(*there, "moved"),
        "read": rate(*here, "read"),
    }


def _nothing() -> None:
    """Do nothing, to see who does it."""
