"""All of ``lam="auto"``: fit, look at the finished fit, say how far to trust it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from robustnmf._auto.diagnose import diagnose_finished, repairing
from robustnmf._auto.facts import Facts
from robustnmf._auto.fit import fit_auto
from robustnmf._auto.inference import LearnedDetection
from robustnmf._common.arrays import Array
from robustnmf._common.diagnosis import Diagnosis
from robustnmf._core.loop import Trace
from robustnmf._fitting.data import Summary
from robustnmf._fitting.explained import EVERYTHING, Inferred, Keep
from robustnmf._fitting.factorize import Settings, Watch


class AutoResult(NamedTuple):
    """What was learned, and what it says of the data it was learned from."""

    learned: LearnedDetection
    found: Inferred
    facts: Facts
    outlier_samples: Array
    """Positions of the samples that are nothing like the rest, or nothing but noise."""
    outlier_features: Array
    """Positions of the features that are stuck at one value, or nothing but noise."""
    diagnosis: Diagnosis
    trace: Trace
    """Of the last step of the fit, whose loss never rises."""
    earlier: int
    """Iterations with all components before that step."""


def learn(
    X: Any, summary: Summary, settings: Settings, watch: Watch, keep: Keep = EVERYTHING
) -> AutoResult:
    """Learn components and a detector, and what may be repaired with them.

    `watch(stage, components)` is asked for what each run of a solver reports to, and `keep` says
    what of W and E is wanted.
    """
    fitted = fit_auto(X, summary, settings, watch)
    first = LearnedDetection(fitted.H, fitted.detector)
    found, facts = first.examine(X, summary, fitted.usual_samples, keep)
    outliers = np.union1d(facts.outliers, fitted.bad_samples), fitted.outlier_features
    diagnosis = diagnose_finished(fitted.diagnosis, fitted.rival, facts, summary, outliers)
    detector = repairing(fitted.detector, diagnosis, facts, summary)
    return AutoResult(
        LearnedDetection(fitted.H, detector),
        found,
        facts,
        *outliers,
        diagnosis,
        fitted.trace,
        fitted.earlier,
    )
