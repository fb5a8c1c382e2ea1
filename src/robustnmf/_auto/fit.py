"""Fitting without a λ: what is corrupt and what is learned, each from the other.

A sample of the rows tells what parts and corruption look like (`sampled`). Then all rows are looked
at: which of their entries are corrupt, and which samples are nothing like the rest, and are left
out. What is left is fitted to the end: a loss that never rises, so this stops.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robustnmf._auto.detection import Detector, FirstFit, explain_rows, outlying
from robustnmf._auto.detection.outliers import most_unexplained
from robustnmf._auto.sample import Sample
from robustnmf._auto.sampled import Told, learn_from
from robustnmf._auto.settings import FIT, GUESSES
from robustnmf._common.arrays import Array
from robustnmf._common.diagnosis import Diagnosis
from robustnmf._core.engine import Engine, RowArray
from robustnmf._core.loop import Trace
from robustnmf._core.noise import LeftOut, NoiseModel, TruncatedSquares, packed
from robustnmf._engines import single_threaded_blas
from robustnmf._fitting.data import Summary
from robustnmf._fitting.factorize import Settings, Watch, factorize

# Runs of a solver beyond those of the first fit, which callbacks hear of.
EXTRA_RUNS = FIT.rounds + GUESSES.most


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
            data, looked_at_all = sample.data, len(sample.rows) == X.shape[0]
            W, noise = _of_all(data, told) if looked_at_all else _explained(data, told)
            start = data.combine(lambda W: units.weights_back(W.copy()), W)
            del sample, W  # memory that a fit can do without
            final = replace(
                settings, init=(start, units.components_back(told.H)), start_is_ours=True
            )
            noise = noise.rescaled(1 / units.factor)
            gaps = summary.n_known < X.shape[0] * X.shape[1]
            fitted = factorize(X, None, summary, noise, final, watch, hold=gaps, hint=told.hint)
            H, last, earlier = fitted.H, fitted.trace, told.earlier + told.trace.n_iter
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


def _of_all(data: Engine, told: Told) -> tuple[RowArray, NoiseModel]:
    """Return W and the noise model where the sample is all there is."""
    thresholds = told.thresholds
    # Without room for any residual, a row costs nothing and pulls at nothing.
    thresholds[outlying(told.shares, told.usual_samples)] = 0
    return data.keep(told.W), TruncatedSquares(thresholds)


def _explained(data: Engine, told: Told) -> tuple[RowArray, Any]:
    """Return W of all rows, and the noise model in which what is corrupt does not count."""
    m, H, dtype = data.shape[1], told.H.astype(data.dtype), data.dtype
    first, detector, bad = FirstFit.of(H), told.detector, told.bad_samples
    W = data.make(lambda rows: np.empty((rows.stop - rows.start, len(H)), dtype))
    shares = data.make(lambda rows: np.empty(rows.stop - rows.start))
    flags = data.make(lambda rows: np.empty((rows.stop - rows.start, -(-m // 8)), np.uint8))

    def explain(rows: slice, X: Array, weights: None) -> tuple[None, Array, Array, Array]:
        found = explain_rows(X, first, detector, rounds=1)  # the fit that follows does the rest
        return None, found.W, found.unexplained, packed(found.corrupt)

    data.fold(explain, lambda one, other: None, write=(W, shares, flags))
    most = most_unexplained(data.take(shares, told.usual_samples))
    unlike = data.make(lambda rows: np.isin(np.arange(rows.start, rows.stop), bad))

    def with_whole_rows(flags: Array, shares: Array, unlike: Array) -> Array:
        return flags | np.uint8(255) * (unlike | (shares > most))[:, None]

    return W, LeftOut(data.combine(with_whole_rows, flags, shares, unlike))
