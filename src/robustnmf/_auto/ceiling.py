"""What predictions say of the entries at a ceiling: cut off there, or written over.

Values that are cut off are where much is expected. What was written over is anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robustnmf._auto.detection.settings import CEILING, SCALES
from robustnmf._auto.evidence import Evidence
from robustnmf._auto.trials import Trial


class Ceiling(NamedTuple):
    """Entries at the largest value, which are far too many."""

    value: float
    share: float
    """Of all known entries."""
    standing: float
    """The share of predictions elsewhere that the usual one of these entries is above."""
    level: float
    """Where the entries stand by their rows and columns alone: 0.5 is anywhere, 1 the highest."""
    excess: float
    """By how many of its errors the usual one is above the ceiling."""

    @classmethod
    def of(cls, trial: Trial, evidence: Evidence) -> Ceiling | None:
        """Compare predictions of these entries with the others; None where there are none."""
        learner = trial.learner
        if learner.ceiling is None:
            return None
        P, at = trial.W @ trial.H, learner.at_ceiling
        others = P[learner.known & ~at]
        usual = float(np.median(P[at]))
        excess = (P - learner.ceiling) / np.maximum(evidence.errors, np.finfo(float).tiny)
        return cls(
            learner.ceiling,
            float(at.sum() / learner.known.sum()),
            float((others < usual).mean()),
            float(learner.standing[at].mean()) / (SCALES.levels - 1),
            float(np.median(excess[at])),
        )

    @property
    def cut_off(self) -> bool:
        """Whether the entries are where large values are expected."""
        return self.standing > CEILING.high_standing or self.level > CEILING.high_level

    @property
    def exceeded(self) -> bool:
        """Whether predictions say that more was there."""
        return self.excess > CEILING.beyond
