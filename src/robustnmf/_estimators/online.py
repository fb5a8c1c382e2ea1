"""How MiniBatchRobustNMF begins, goes on, and knows that an epoch was its last."""

from __future__ import annotations

from typing import Any

import numpy as np

from robustnmf._auto import (
    AutoResult,
    Detecting,
    LearnedDetection,
    begun_detecting,
    warn_untrusted,
)
from robustnmf._common.checks import AUTO
from robustnmf._common.places import on_host
from robustnmf._engines import rows_of
from robustnmf._estimators.request import MiniBatchRequest
from robustnmf._fitting.data import Summary
from robustnmf._fitting.online import Explainer, Online, Priced, begun
from robustnmf._fitting.problem import single_precision


def begin(
    X: Any, rows: np.ndarray, summary: Summary, request: MiniBatchRequest, owner: str
) -> tuple[Online, AutoResult | None]:
    """Learn from the first rows; where λ is not given, say what they told, too."""
    first = rows_of(X, rows, summary.dtype)
    if request.noise is not AUTO:
        return begun(first, request.noise, request.start, owner), None
    online, told = begun_detecting(first, request.start, owner)
    warn_untrusted(told.diagnosis, owner)
    return online, told


def check_same(model: Any, request: MiniBatchRequest) -> None:
    """Refuse to go on with other components than those that the sums are for."""
    n_components = request.settings.n_components
    known, now = model._sums.cross.shape, model.components_.shape
    if n_components != known[0] or now != known:
        raise ValueError(
            f"partial_fit goes on with components of the shape {known}; got "
            f"n_components={n_components} and components_ of the shape {now}. "
            "Call fit, or partial_fit of a clone, to begin anew."
        )
    if (request.noise is AUTO) != isinstance(model._learned, LearnedDetection):
        raise ValueError(
            f"partial_fit cannot go from a number for lam to 'auto' or back; got lam={model.lam!r}."
            " Call fit, or partial_fit of a clone, to begin anew."
        )


def go_on(model: Any, request: MiniBatchRequest) -> Online:
    """Return what a model knows."""
    explainer: Explainer
    if request.noise is AUTO:
        explainer = Detecting(model._learned.detector)
    else:
        explainer = Priced(request.noise)
    return Online.knowing(on_host(model.components_), explainer, model._sums, model.n_samples_seen_)


def rough(summary: Summary, shape: tuple[int, int]) -> Summary:
    """Return the summary for work in single precision, if that saves time.

    Rows that were explained by components of the moment are not known to more digits.
    """
    return single_precision(summary, shape) or summary


def settled(objectives: list[float], tol: float) -> bool:
    """Return whether the last epoch has not lowered the objective by more than this share.

    It may rise a little in the end: from there it would go up and down for ever.
    """
    if tol == 0 or len(objectives) < 2:
        return False
    before, now = objectives[-2:]
    return before - now <= tol * before
