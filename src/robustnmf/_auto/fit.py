"""Fitting without a λ: what is corrupt and what is learned, each from the other.

1. A robust fit with one component. It is too poor to explain any corruption, so corruption stands
   out, and a first detector is learned.
2. A fit with all components to what that detector leaves.
3. A few rounds: learn the detector anew from the residuals, then fit on.
4. Samples that are nothing like the rest are left out. The thresholds are held, and Σ min(r², θ²)
   is minimised over W and H to the end: a loss that never rises, so this stops.

Steps 1 to 3 look at no more than a sample of the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robustnmf._auto.coarse import take_steps
from robustnmf._auto.detection import (
    Detector,
    Learner,
    explain_rows,
    outlying,
    unexplained,
)
from robustnmf._auto.detection.reach import usual
from robustnmf._auto.guesses import Guess
from robustnmf._auto.sample import Sample
from robustnmf._auto.search import Found, search
from robustnmf._auto.settings import FIT, GUESSES
from robustnmf._auto.trials import Hidden
from robustnmf._common.arrays import Array
from robustnmf._core.engine import Engine
from robustnmf._core.held import Held
from robustnmf._core.init import STARTS
from robustnmf._core.loop import Trace
from robustnmf._core.loudness import loudness
from robustnmf._core.noise import NoiseModel, NoNoise, TruncatedSquares
from robustnmf._engines import single_threaded_blas
from robustnmf._fitting.data import Summary
from robustnmf._fitting.factorize import Report, Settings, Watch, factorize
from robustnmf._fitting.given_start import check_init
from robustnmf._fitting.units import Units

# Runs of a solver beyond those of the first fit, which callbacks hear of.
EXTRA_RUNS = FIT.rounds + GUESSES.most


@dataclass
class AutoFit:
    """What was learned, in the user's units."""

    W: Array
    H: Array
    detector: Detector
    trace: Trace
    """Of the last step, whose loss never rises."""
    earlier: int
    """Iterations with all components before the last step."""
    found: Found
    """The account that was taken, and how far hidden entries say that it can be trusted."""
    bad_samples: Array
    """Positions of samples that have nothing in common with any other, ..."""
    usual_samples: Array
    """... and of all others that were looked at."""

    @property
    def outlier_features(self) -> Array:
        """Positions of features that are stuck at one value, or nothing but noise."""
        return np.flatnonzero(self.found.noise | self.detector.bad_features)


def fit_auto(X: Any, summary: Summary, settings: Settings, watch: Watch) -> AutoFit:
    """Run all four steps; a run that is asked to stop skips what is left of them."""
    gaps = summary.n_known < X.shape[0] * X.shape[1]
    with single_threaded_blas:
        some, rows, units, data = Sample.of(X, summary, FIT.sample_entries, FIT.sample_rows)
        learner = Learner(some)
        hidden = Hidden.of(learner.X)
        sizes = usual(np.where(hidden.mask, np.nan, learner.X), axis=1)[:, None]
        loud = loudness(sizes, FIT.loud)
        start = _start(settings, X.shape, units, rows, loud)
        start = replace(start, max_iter=min(FIT.start_iterations, settings.max_iter))
        traces: list[Trace] = []
        starts: dict[str, tuple[Array, Array, float | None]] = {}

        def begin(seen: Learner, guess: Guess) -> tuple[Array, Array]:
            sample = np.where(guess.corrupt, np.nan, seen.X) / loud
            begun = factorize(
                sample,
                None,
                _of_sample(sample, summary, units),
                NoNoise(),
                start,
                _in_units(watch, units),
                stage=f"start ({guess.name})",
                hold=gaps and isinstance(start.init, str),
            )
            traces.append(begun.trace)
            starts[guess.name] = begun.W * loud, begun.H, begun.hint
            return begun.W * loud, begun.H

        found = search(learner, hidden, begin, settings.n_components, lambda: traces[-1].stopped)
        trace, n_iter = traces[-1], sum(t.n_iter for t in traces)
        W, H = found.chosen.W, found.chosen.H
        corrupt = learner.beyond(W @ H, found.chosen.learner.thresholds_for(learner.X))
        learner.forget_scales()
        guess_W, guess_H, hint = starts[found.chosen.guess.name]
        for turn in range(FIT.rounds):
            thresholds = learner.learn(W @ H, corrupt, even=turn > 0)
            shares = unexplained(learner.X, W @ H, thresholds)
            _leave_out(thresholds, outlying(shares, ~learner.bad_samples))
            if trace.stopped:
                break
            noise: NoiseModel = TruncatedSquares(thresholds)
            if gaps:
                # The short fits since then have let components go where nothing holds them.
                noise = Held(noise, guess_W, guess_H)
            W, H, trace = take_steps(
                learner.X,
                noise,
                W,
                H,
                min(FIT.steps, settings.max_iter),
                report=_report(watch, units, f"round {turn + 1}"),
            )
            corrupt = learner.beyond(W @ H, thresholds)
            n_iter += trace.n_iter
        else:
            thresholds = learner.learn(W @ H, corrupt, even=True)
        detector = learner.detector
        bad_samples, usual_samples = rows[learner.bad_samples], rows[~learner.bad_samples]
        if len(rows) < X.shape[0]:
            W, thresholds, shares = _explain_all(data, H.astype(data.dtype), detector)
            _leave_out(thresholds, bad_samples)
        else:
            shares = unexplained(learner.X, W @ H, thresholds)
        _leave_out(thresholds, outlying(shares, usual_samples))
    W, H = units.weights_back(W), units.components_back(H)
    detector = replace(detector, repair=found.repair).rescaled(1 / units.factor)
    if trace.stopped:
        n_iter, last = n_iter - trace.n_iter, trace
    else:
        final = replace(settings, init=(W, H), start_is_ours=True)
        model = TruncatedSquares(thresholds).rescaled(1 / units.factor)
        fitted = factorize(X, None, summary, model, final, watch, hold=gaps, hint=hint)
        W, H, last = fitted.W, fitted.H, fitted.trace
    return AutoFit(W, H, detector, last, n_iter, found, bad_samples, usual_samples)


def _start(
    settings: Settings, shape: tuple[int, int], units: Units, rows: Array, loud: Array
) -> Settings:
    """Return the settings for the sample, in working units."""
    given = check_init(settings.init, STARTS, settings.n_components, shape)
    if given is None:
        return settings
    W, H = units.weights(given[0])[rows] / loud, units.components(given[1])
    return replace(settings, init=(W, H), start_is_ours=True)


def _of_sample(sample: Array, summary: Summary, units: Units) -> Summary:
    """Return the summary of data that are already in working units."""
    return summary._replace(
        n_known=int(np.count_nonzero(~np.isnan(sample))),
        mean=units.mean(summary),
        square_sum=units.objective(summary.square_sum),
        dtype=units.dtype,
        working_dtype=units.dtype,
        exponent=0,
    )


def _leave_out(thresholds: Array, rows: Array) -> None:
    # Without room for any residual, a row costs nothing and pulls at nothing.
    thresholds[rows] = 0


def _explain_all(data: Engine, H: Array, detector: Detector) -> tuple[Array, Array, Array]:
    """Return W, the thresholds and the unexplained shares of all rows."""

    def explain(rows: slice, X: Array, weights: None) -> tuple[Array, Array, Array]:
        found = explain_rows(X, H, detector, rounds=1)  # the fit that follows does the rest
        return found.W, found.thresholds, unexplained(X, found.P, found.thresholds)

    W, thresholds, shares = zip(*data.stream(explain), strict=True)
    return np.concatenate(W), np.concatenate(thresholds), np.concatenate(shares)


def _in_units(watch: Watch, units: Units) -> Watch:
    """Let reports of a run in working units be in the user's."""

    def watch_in_units(stage: str, components: Callable[[], Array], n_rows: int = 0) -> Report:
        report = watch(stage, lambda: units.components_back(components()))
        return lambda i, objective: report(i, units.objective_back(objective))

    return watch_in_units


def _report(watch: Watch, units: Units, stage: str) -> Callable[[Callable[[], Array]], Report]:
    return lambda components: _in_units(watch, units)(stage, components)
