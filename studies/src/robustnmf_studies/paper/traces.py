"""The paper's rules to the letter, followed iteration by iteration.

The library's ``solver="mu"`` adds what the paper leaves out: it keeps X − E ≥ 0 and sets small
entries of E to zero. Here neither is done, and all of E is seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from robustnmf import RobustNMF
from robustnmf.metrics import msre
from robustnmf_studies.common.detection import score
from robustnmf_studies.common.problem import Array, K, Problem, timed
from robustnmf_studies.common.storage import Rows
from robustnmf_studies.paper.settings import OPTIMUM, PAPER, TOLERANCES, Point, Settings

_CHECKPOINTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


class State(NamedTuple):
    """The factors after an iteration, and the objective there."""

    W: Array
    H: Array
    positive: Array
    negative: Array
    objective: float

    @property
    def noise(self) -> Array:
        """E, its two parts put together."""
        return self.positive - self.negative


def literal_rules(X: Array, W: Array, H: Array, noise: float, lam: float) -> Iterator[State]:
    """Iterate eq. 8 and 9 without end, from given factors.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Nonnegative data.
    W, H : ndarray
        The start, positive.
    noise : float
        Where all entries of both parts of E start.
    lam : float
        λ, at most 1.

    Yields
    ------
    State
        First the start itself.
    """
    Ep = np.full_like(X, noise)
    En = Ep.copy()
    tiny = np.finfo(X.dtype).tiny ** 0.5
    while True:
        P = W @ H
        mass = Ep + En
        row = mass.sum(axis=1, keepdims=True)
        objective = float(((X - P - Ep + En) ** 2).sum() + lam * (row**2).sum())
        yield State(W, H, Ep, En, objective)
        shared = P + mass + lam * row
        new_W = W * ((X + 2 * En) @ H.T + tiny) / ((P + mass) @ H.T + tiny)
        pull = np.maximum(2 * P + 2 * (1 - lam) * Ep - X, 0)
        Ep, En = (
            Ep * (X + 2 * (1 - lam) * En + tiny) / (shared - 2 * lam * En + tiny),
            En * (pull + tiny) / (shared - 2 * lam * Ep + tiny),
        )
        W = new_W
        # Eq. 8 asks for X − E ≥ 0, without which it could make H negative.
        target = np.maximum(W.T @ (X - Ep + En), 0)
        H = H * (target + tiny) / (W.T @ W @ H + tiny)


def start_rules(problem: Problem) -> Iterator[State]:
    """Start the paper's rules at random, where the library starts them, too."""
    rng = np.random.default_rng(problem.seed)
    n, m = problem.X.shape
    mean = problem.X.mean()
    level = math.sqrt(mean / K)
    W, H = (level * np.abs(rng.standard_normal(shape)) for shape in ((n, K), (K, m)))
    return literal_rules(problem.X, W, H, 0.1 * mean, problem.lam)


def negative_share(problem: Problem, state: State) -> float:
    """Return the share of entries at which X − E ≥ 0 is broken."""
    # Beyond rounding, which a grey level's billionth surely is.
    return float((problem.X - state.noise < -1e-9).mean())


def trace(problem: Problem, point: Point, settings: Settings) -> Rows:
    """Follow the paper's rules and the exact solver on the same faces.

    ``traces`` has checkpoints of each run; ``falls`` for each run the largest relative rise of
    the objective, what it came to, and the largest share of negative entries of X − E.
    """
    rules = point.columns() | {"solver": "mu", "mode": PAPER}
    exact = point.columns() | {"solver": "hals", "mode": OPTIMUM}
    objectives, broken, traces = [], 0.0, []
    for i, state in enumerate(islice(start_rules(problem), settings.trace_iterations + 1)):
        objectives.append(state.objective)
        broken = max(broken, negative_share(problem, state))
        if i in _CHECKPOINTS:
            traces.append(rules | {"iteration": i} | _measure(problem, state))
    effort: dict[str, Any] = {"max_iter": settings.max_iter, "tol": settings.tol}
    solver = RobustNMF(K, lam=problem.lam, random_state=problem.seed, **effort)
    model, _ = timed(lambda: solver.fit(problem.X))
    # The last value belongs to the factors as returned.
    history = [*model.history_["objective"], model.objective_]
    traces += [
        exact | {"iteration": i, "objective": history[i]} for i in _CHECKPOINTS if i < len(history)
    ]
    falls = [
        rules | {"negative_share": broken} | _fall(objectives, settings.iterations),
        exact | _fall(history, len(history) - 1),
    ]
    return {"traces": traces, "falls": falls}


def _measure(problem: Problem, state: State) -> dict[str, Any]:
    error = msre(problem.clean, state.W @ state.H)
    row: dict[str, Any] = {"objective": state.objective, "msre": error}
    for tolerance in TOLERANCES:
        found = score(problem.mask, np.abs(state.noise) > tolerance * problem.X.mean())
        row[f"precision_{tolerance:g}"] = found.precision
        row[f"recall_{tolerance:g}"] = found.recall
    return row


def _fall(objectives: list[float], stated: int) -> dict[str, Any]:
    # As few faces as components are fitted exactly. What is left then is rounding, and no rise.
    values = np.maximum(objectives, 1e-12 * objectives[0])
    last = len(values) - 1
    stated = min(stated, last)
    return {
        "iterations": last,
        "largest_rise": float((np.diff(values) / values[:-1]).max()),
        "first": float(values[0]),
        "at_stated": float(values[stated]),
        "last": float(values[-1]),
        "late_fall_stated": float(1 - values[stated] / values[max(stated - 10, 0)]),
        "late_fall_last": float(1 - values[-1] / values[max(last - 10, 0)]),
    }
