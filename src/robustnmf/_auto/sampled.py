"""What a sample of the rows tells: how its parts look, and what corruption looks like.

1. A robust fit with one component. It is too poor to explain any corruption, so corruption stands
   out, and a first detector is learned.
2. A fit with all components to what that detector leaves.
3. A few rounds: learn the detector anew from the residuals, then fit on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from robustnmf._auto.coarse import take_steps
from robustnmf._auto.detection import Detector, Learner, outlying, unexplained
from robustnmf._auto.detection.reach import usual
from robustnmf._auto.guesses import Guess
from robustnmf._auto.sample import Sample
from robustnmf._auto.search import search
from robustnmf._auto.settings import FIT
from robustnmf._auto.trials import Hidden
from robustnmf._common.arrays import Array
from robustnmf._common.diagnosis import Diagnosis
from robustnmf._core.held import Held
from robustnmf._core.init import STARTS
from robustnmf._core.loop import Trace
from robustnmf._core.loudness import loudness
from robustnmf._core.noise import NoiseModel, NoNoise, TruncatedSquares
from robustnmf._fitting.data import Summary
from robustnmf._fitting.factorize import Report, Settings, Watch, factorize
from robustnmf._fitting.given_start import check_init
from robustnmf._fitting.units import Units


@dataclass
class Told:
    """What a sample told, in the units of that."""

    W: Array
    """Of the sample."""
    H: Array
    thresholds: Array
    """Of the entries of the sample."""
    shares: Array
    """The share of each of its rows that is not explained."""
    detector: Detector
    diagnosis: Diagnosis
    rival: float
    """How much is corrupt by another account that is as likely; 0 if there is none."""
    bad_features: Array
    """Which features are stuck at one value, or nothing but noise; m."""
    bad_samples: Array
    """Positions of samples that have nothing in common with any other, ..."""
    usual_samples: Array
    """... and of all others that were looked at."""
    hint: float | None
    """What missing entries counted."""
    trace: Trace
    """Of the last run, ..."""
    earlier: int
    """... and iterations before that."""


def learn_from(
    sample: Sample,
    shape: tuple[int, int],
    summary: Summary,
    settings: Settings,
    watch: Watch,
) -> Told:
    """Take all steps; a run that is asked to stop skips what is left of them.

    `shape` is that of all data, and `summary` theirs.
    """
    some, rows, units, _ = sample
    gaps = summary.n_known < shape[0] * shape[1]
    learner = Learner(some)
    hidden = Hidden.of(learner.X)
    sizes = usual(np.where(hidden.mask, np.nan, learner.X), axis=1)[:, None]
    loud = loudness(sizes, FIT.loud)
    start = _start(settings, shape, units, rows, loud)
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
        # Without room for any residual, a row costs nothing and pulls at nothing.
        thresholds[outlying(shares, ~learner.bad_samples)] = 0
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
    W = np.asarray(W)
    return Told(
        W,
        H,
        thresholds,
        unexplained(learner.X, W @ H, thresholds),
        replace(learner.detector, repair=found.repair),
        found.diagnosis,
        found.rival,
        found.noise | learner.bad_features,
        rows[learner.bad_samples],
        rows[~learner.bad_samples],
        hint,
        trace,
        n_iter - trace.n_iter,
    )


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


def _in_units(watch: Watch, units: Units) -> Watch:
    """Let reports of a run in working units be in the user's."""

    def watch_in_units(stage: str, components: Callable[[], Array], n_rows: int = 0) -> Report:
        report = watch(stage, lambda: units.components_back(components()))
        return lambda i, objective: report(i, units.objective_back(objective))

    return watch_in_units


def _report(watch: Watch, units: Units, stage: str) -> Callable[[Callable[[], Array]], Report]:
    return lambda components: _in_units(watch, units)(stage, components)
