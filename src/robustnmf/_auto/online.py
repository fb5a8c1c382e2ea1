"""Learning from data a batch at a time, with a detector that the first rows taught."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from robustnmf._auto.detection import Detector, FirstFit
from robustnmf._auto.inference import Judge, LearnedDetection
from robustnmf._auto.result import AutoResult, learn
from robustnmf._common.arrays import Array
from robustnmf._common.places import on_host
from robustnmf._core.engine import Engine
from robustnmf._fitting.data import examine
from robustnmf._fitting.explained import Keep
from robustnmf._fitting.factorize import Settings
from robustnmf._fitting.online import Online, unwatched
from robustnmf._fitting.units import Units
from robustnmf._solvers import Sums


class Detecting(NamedTuple):
    """Explains rows by a detector. What is corrupt, and rows like no other, teach nothing."""

    detector: Detector

    def summed(self, H: Array, known: Sums, batch: Engine, units: Units) -> Sums:
        """Return the sums over a batch."""
        detector = self.detector.rescaled(units.factor)
        judge = Judge(FirstFit.of(units.components(H)), detector, units)
        repair = self.detector.repair
        most = np.inf if repair is None else repair.most_unexplained

        def explain(rows: slice, X: Array, weights: None) -> Sums:
            X = on_host(X)
            found = judge.explain(X)
            related = found.unexplained <= most
            W = found.W[related].astype(np.float64, copy=False)
            unknown = found.corrupt[related] | np.isnan(X[related])
            cleaned = np.where(unknown, found.P[related], X[related])
            loss = float(found.misfit.sum() + found.penalty.sum())
            return Sums(W.T @ W, W.T @ cleaned, np.zeros(len(H)), rows=len(X), loss=loss)

        return units.sums_back(batch.fold(explain, Sums.plus))

    def learned(self, H: Array, known: Sums, dtype: Any) -> LearnedDetection:
        """Return what explains new rows."""
        return LearnedDetection(H.astype(dtype), self.detector)


def begun_detecting(X: Array, settings: Settings, owner: str) -> tuple[Online, AutoResult]:
    """Return what is learned from the first rows, which must fit into memory."""
    summary = examine(X, None, owner, columns=False)
    result = learn(X, summary, settings, unwatched, Keep(weights=False, noise=False))
    units = Units(summary.moderate())
    fresh = Online.knowing(result.learned.components, Detecting(result.learned.detector))
    return fresh.after_batch(units.blocks(X), units), result
