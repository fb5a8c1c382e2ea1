"""Fitting without a λ: what is corrupt and what is learned, each from the other.

A sample of the rows tells what parts and corruption look like (`sampled`). Then all rows are looked
at (`looks`): which of their entries are corrupt, and which samples are nothing like the rest, and
are left out. What is left is fitted to the end: a loss that never rises, so this stops.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from robustnmf._auto.detection import Detector, outlying
from robustnmf._auto.looks import first_look
from robustnmf._auto.sample import Sample
from robustnmf._auto.sampled import Told, learn_from
from robustnmf._auto.settings import FIT, GUESSES
from robustnmf._common.arrays import Array
from robustnmf._common.diagnosis import Diagnosis
from robustnmf._common.places import on_host
from robustnmf._core.engine import Engine, RowArray
from robustnmf._core.loop import Trace
from robustnmf._core.noise import LeftOut, TruncatedSquares
from robustnmf._engines import single_threaded_blas
from robustnmf._fitting.data import Summary
from robustnmf._fitting.factorize import Factors, Settings, Watch, factorize
from robustnmf._fitting.units import Units

# Runs of a solver beyond those of the first fit, which callbacks hear of.
EXTRA_RUNS = FIT.rounds + GUESSES.most + len(FIT.looks)


@dataclass
class AutoFit:
    """What was learned, in the user's units."""

    H: Array
    detector: Detector
    trace: Trace
    """Of the last step, whose loss never rises."""
    earlier: int
    """Iterations with all components before the last step."""
    diagnosis: Diagnosis
    """How far hidden entries say that the account can be trusted."""
    rival: float
    """How much is corrupt by another account that is as likely; 0 if there is none."""
    outlier_features: Array
    """Positions of features that are stuck at one value, or nothing but noise."""
    bad_samples: Array
    """Positions of samples that have nothing in common with any other, ..."""
    usual_samples: Array
    """... and of all others that were looked at."""


def fit_auto(X: Any, summary: Summary, settings: Settings, watch: Watch) -> AutoFit:
    """Learn from a sample and fit all; a run that is asked to stop skips what is left."""
    with single_threaded_blas:
        sample = Sample.of(X, summary, FIT.sample_entries, FIT.sample_rows)
        units = sample.units
        told = learn_from(sample, X.shape, summary, settings, watch)
        if told.trace.stopped:
            H, earlier, last = units.components_back(told.H), told.earlier, told.trace
        else:
            final = _Final(X, summary, settings, watch, units, sample.data, told)
            fitted, earlier = final.of_all() if len(sample.rows) == X.shape[0] else final.of_more()
            H, last = on_host(fitted.H), fitted.trace
            earlier += told.earlier + told.trace.n_iter
    return AutoFit(
        H,
        told.detector.rescaled(1 / units.factor),
        last,
        earlier,
        told.diagnosis,
        told.rival,
        np.flatnonzero(told.bad_features),
        told.bad_samples,
        told.usual_samples,
    )


class _Final(NamedTuple):
    """The last step, with all rows."""

    X: Any
    summary: Summary
    settings: Settings
    watch: Watch
    units: Units
    data: Engine
    """All rows, in the units of the sample."""
    told: Told

    def of_all(self) -> tuple[Factors, int]:
        """Fit where the sample is all there is: with a threshold for each entry."""
        told = self.told
        # Without room for any residual, a row costs nothing and pulls at nothing.
        told.thresholds[outlying(told.shares, told.usual_samples)] = 0
        W = self.data.keep(told.W)
        return self._run(W, told.H, TruncatedSquares(told.thresholds), self.settings, "fit"), 0

    def of_more(self) -> tuple[Factors, int]:
        """Fit where there are more rows; also return the iterations of all runs but the last.

        Thresholds are held; what lies beyond them is looked at anew a few times.
        """
        settings, units, earlier = self.settings, self.units, 0
        W, H, flags, looks = first_look(self.data, self.told)
        for turn, most in enumerate(FIT.looks):
            few = replace(settings, max_iter=min(most, settings.max_iter))
            fitted = self._run(W, H, LeftOut(flags), few, f"look {turn + 1}")
            if fitted.trace.stopped:
                return fitted, earlier
            earlier += fitted.trace.n_iter
            W = self.data.combine(units.weights, self.data.keep(fitted.W))
            H = units.components(on_host(fitted.H)).astype(self.data.dtype)
            # The next run has a W of its own, and needs the room.
            del fitted
            flags = looks.flags(self.data, W, H)
        del looks
        return self._run(W, H, LeftOut(flags), settings, "fit"), earlier

    def _run(self, W: RowArray, H: Array, noise: Any, settings: Settings, stage: str) -> Factors:
        X, summary, units = self.X, self.summary, self.units
        start = self.data.combine(lambda W: units.weights_back(W.copy()), W)
        settings = replace(settings, init=(start, units.components_back(H)), start_is_ours=True)
        noise = noise.rescaled(1 / units.factor)
        gaps, hint = summary.n_known < X.shape[0] * X.shape[1], self.told.hint
        return factorize(X, None, summary, noise, settings, self.watch, stage, hold=gaps, hint=hint)
