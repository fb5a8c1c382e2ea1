"""How good an answer is: one row of the results for each method."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf_studies.beyond.methods import FIXED, ORACLE, Answer
from robustnmf_studies.common.detection import Detection, at_best_threshold, score
from robustnmf_studies.common.problem import Problem

# Above this probability an entry counts as surely wrong.
SURE = 0.9
BINS = 10


def measure(problem: Problem, name: str, answers: dict[str, Answer]) -> dict[str, Any]:
    """Judge the answer of one method.

    Parameters
    ----------
    problem : Problem
        With the truth.
    name : str
        Which of the answers.
    answers : dict of Answer
        Of all methods: errors are told relative to the oracle's, seconds relative to those of
        λ = 0.04 in the same process.

    Returns
    -------
    dict
        What cannot be told is None: detection where nothing is wrong, say.
    """
    own, best = answers[name], answers[ORACLE]
    spoiled = squared(problem.X, problem.clean)
    row: dict[str, Any] = {
        **_detection(problem, own),
        "flagged": None if own.found is None else float(own.found.mean()),
        "wh_error": squared(own.product, problem.clean) / len(problem.X),
        "wh_relative": _ratio(
            squared(own.product, problem.clean), squared(best.product, problem.clean)
        ),
        "restored": _ratio(squared(own.restored, problem.clean), spoiled),
        **noise_size(problem, own),
        "seconds": round(own.seconds, 4),
        "relative": own.seconds / answers[FIXED].seconds,
    }
    return row


def _detection(problem: Problem, own: Answer) -> dict[str, Any]:
    if not problem.mask.any():
        return dict.fromkeys(Detection._fields)
    if own.found is None:
        return at_best_threshold(problem.mask, own.noise)._asdict()
    return score(problem.mask, own.found)._asdict()


def squared(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Return ‖a − b‖²."""
    return float(((a - b) ** 2).sum())


def _ratio(value: float, base: float) -> float | None:
    return value / base if base else None


def noise_size(problem: Problem, own: Answer) -> dict[str, float | None]:
    """Compare the size of the noise with the truth, over all corrupt entries.

    One that was missed counts as found with size 0: were it left out, finding more of the small
    ones, which are the hard ones, would look like an error.

    Returns
    -------
    dict
        ``noise_error``: root of the mean squared error, relative to the noise itself;
        ``noise_slope``: how much of the true size is found, 1 if all of it.
    """
    true, estimate = (problem.X - problem.clean)[problem.mask], own.noise[problem.mask]
    size = float((true**2).sum())
    if size == 0:
        return {"noise_error": None, "noise_slope": None}
    return {
        "noise_error": math.sqrt(squared(estimate, true) / size),
        "noise_slope": float((estimate * true).sum()) / size,
    }


def calibration(
    mask: NDArray[np.bool_], probability: NDArray[Any]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Compare the probabilities with how often they come true.

    Parameters
    ----------
    mask : ndarray of bool
        Where the noise is.
    probability : ndarray, same shape
        How likely each entry is wrong, as a method says.

    Returns
    -------
    sure : dict
        ``sure``: share of the entries above `SURE`; ``sure_right``: how many of them are wrong
        indeed, None if there are none.
    bins : list of dict
        For each tenth from 0 to 1 that holds any entry: ``count``, mean ``probability`` and
        ``right``, the share of them that is wrong indeed.

    Examples
    --------
    >>> mask = np.array([True, False, True])
    >>> sure, bins = calibration(mask, np.array([0.95, 0.02, 0.97]))
    >>> sure["sure_right"], [row["right"] for row in bins]
    (1.0, [0.0, 1.0])
    """
    above = probability > SURE
    sure = {
        "sure": float(above.mean()),
        "sure_right": float(mask[above].mean()) if above.any() else None,
    }
    bins = []
    which = np.minimum((probability * BINS).astype(int), BINS - 1)
    for i in range(BINS):
        here = which == i
        if here.any():
            bins.append(
                {
                    "bin": i / BINS,
                    "count": int(here.sum()),
                    "probability": float(probability[here].mean()),
                    "right": float(mask[here].mean()),
                }
            )
    return sure, bins
