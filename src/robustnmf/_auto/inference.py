"""What components and a detector make of data, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from robustnmf._auto.detection import Detector, ExplainedRows, FirstFit, explain_rows
from robustnmf._auto.detection.repair import Flagged, trusted_range
from robustnmf._auto.facts import Facts, RowFacts, Sums, sizes_of
from robustnmf._auto.sample import judged_at_once
from robustnmf._common.arrays import Array
from robustnmf._common.places import on_host
from robustnmf._engines import on_host_rows, sparse_entries
from robustnmf._fitting.data import Summary
from robustnmf._fitting.explained import EVERYTHING, Explained, Inferred, Keep, Share, collect
from robustnmf._fitting.units import Units

# By so many entries the middle scale of a row is found; there are many rows.
SCALES_COMPARED = 64


class LearnedDetection(NamedTuple):
    """Components and a detector, in the user's units."""

    components: Array
    """H; k×m."""
    detector: Detector

    def infer(
        self, X: Any, summary: Summary, weights: Any = None, *, keep: Keep = EVERYTHING
    ) -> Inferred:
        """Solve for each row's W and E."""
        return collect(map(keep.of, self.explain(X, summary)), X.shape)

    def moved(self, put: Callable[[Array], Array]) -> LearnedDetection:
        """Return the same with its components elsewhere; the detector is small, and stays."""
        return self._replace(components=put(self.components))

    def bounded(self, X: Array, P: Array, corrupt: Array) -> Array:
        """Return predictions within the range of trusted values, or somewhat beyond."""
        repair = self.detector.repair
        return P if repair is None else repair.bounded(X, P, corrupt)

    def explain(self, X: Any, summary: Summary, weights: Any = None) -> Iterator[Explained]:
        """Do the same a block at a time, in the order of the rows."""
        judge = Judge.of(self, summary)

        def solve(rows: slice, X: Array, weights: None) -> Explained:
            found = judge.explain(X)
            flagged = judge.flagged(X, found)
            replaceable = judge.replaceable(X, found, flagged)
            return judge.explained(rows, X, found, flagged, replaceable)

        return judge.blocks(X).stream(solve)

    def examine(
        self, X: Any, summary: Summary, usual: Array, keep: Keep = EVERYTHING
    ) -> tuple[Inferred, Facts]:
        """Solve for each row's W and E, and say what that tells of the data as a whole.

        `usual` are the positions of rows that tell what is usual. Nothing is said of repairs.
        """
        judge = Judge.of(self, summary)
        data = judge.blocks(X)

        def look(rows: slice, X: Array, weights: None) -> tuple[Share, Sums, Array]:
            found = judge.explain(X)
            explained = judge.explained(rows, X, found, judge.flagged(X, found))
            return keep.of(explained), *judge.facts(X, found, explained)

        width = len(RowFacts._fields)
        if keep.nothing:
            noted = data.make(lambda rows: np.empty((rows.stop - rows.start, width)))
            sums = data.fold(lambda *block: look(*block)[1:], Sums.plus, write=(noted,))
            found = Inferred.summed(on_host(self.components), sums.misfit, sums.penalty)
        else:
            # In order, so that what is kept is put together as it comes, and not held twice.
            totals: list[Sums] = []
            of_rows = np.empty((X.shape[0], width))

            def shares() -> Iterator[Share]:
                for share, some, noted in data.stream(look):
                    of_rows[share.rows] = noted
                    totals[:] = [totals[0].plus(some)] if totals else [some]
                    yield share

            found = collect(shares(), X.shape)
            (sums,), noted = totals, data.keep(of_rows)
        return found, Facts.of(sums, noted, data, usual, summary.n_known)

    def probabilities(self, X: Any, summary: Summary) -> Iterator[tuple[slice, Array]]:
        """Give the probability that each entry is corrupt, by blocks; 0 for a missing one."""
        judge = Judge.of(self, summary)

        def solve(rows: slice, X: Array, weights: None) -> tuple[slice, Array]:
            found = judge.explain(X)
            probability = judge.detector.probability(X, found.P, found.scale, found.class_of)
            return rows, probability.astype(summary.dtype)

        return judge.blocks(X).stream(solve)


class Judge(NamedTuple):
    """Components and a detector in working units, and the way back to the user's."""

    first: FirstFit
    detector: Detector
    units: Units

    @classmethod
    def of(cls, learned: LearnedDetection, summary: Summary) -> Judge:
        """Take them from what was learned, for data of this summary."""
        H = on_host(learned.components)
        units = Units(summary.moderate(), H)
        detector = learned.detector.rescaled(units.factor)
        return cls(FirstFit.of(units.components(H)), detector, units)

    def blocks(self, X: Any) -> Any:
        """Return the data in blocks, in working units."""
        return self.units.blocks(on_host_rows(X), block_entries=judged_at_once(X.shape))

    def explain(self, X: Array) -> ExplainedRows:
        """Find out what a block is made of."""
        return explain_rows(X, self.first, self.detector)

    def flagged(self, X: Array, found: ExplainedRows) -> Flagged:
        """Return the flagged entries."""
        rows, columns = np.nonzero(found.corrupt)
        return Flagged(rows, columns, X[rows, columns], found.P[rows, columns])

    def explained(
        self,
        rows: slice,
        X: Array,
        found: ExplainedRows,
        flagged: Flagged,
        replaceable: Array | None = None,
    ) -> Explained:
        """Return what a block was found to be made of, in the user's units.

        `replaceable` says which of the flagged entries are to be replaced; by default all.
        """
        E = sparse_entries(flagged.rows, flagged.columns, flagged.x - flagged.p, X.shape)
        some = None
        if replaceable is not None:
            where = flagged.rows[replaceable], flagged.columns[replaceable]
            some = sparse_entries(*where, np.ones(len(where[0]), bool), X.shape)
        return self.units.explained(rows, X, found.W, E, found.misfit, found.penalty, some)

    def replaceable(self, X: Array, found: ExplainedRows, flagged: Flagged) -> Array | None:
        """Return which flagged entries are to be replaced by their prediction; None for all."""
        repair, detector = self.detector.repair, self.detector
        if repair is None:
            return None
        class_of = found.class_of[flagged.rows, flagged.columns]
        scale = found.scale.at(flagged.rows, flagged.columns)
        probability = detector.probability_at(
            np.abs(flagged.x - flagged.p), scale, class_of, flagged.columns
        )
        allowed = repair.allowed(flagged, probability, detector.is_written(class_of), len(X))
        allowed &= found.unexplained[flagged.rows] <= repair.most_unexplained
        return allowed

    def facts(self, X: Array, found: ExplainedRows, explained: Explained) -> tuple[Sums, Array]:
        """Return what is to be noted of a block, and of its rows."""
        detector, back = self.detector, 1 / self.units.factor
        probability = detector.probability(X, found.P, found.scale, found.class_of)
        by_feature = probability.sum(axis=0)
        scattered = by_feature
        if detector.written is not None and detector.written.any():
            scattered = np.where(detector.is_written(found.class_of), 0, probability).sum(axis=0)
        if detector.repair is not None:
            scattered = scattered[detector.repair.useful & ~np.asarray(detector.repair.stuck)]
        e = explained.E.data.astype(float)
        low, high = trusted_range(X, found.corrupt)
        sums = Sums(
            misfit=float(explained.misfits.sum()),
            penalty=float(explained.penalties.sum()),
            corrupt=float(by_feature.sum()),
            scattered=float(scattered.sum()),
            flagged=np.bincount(explained.E.indices, minlength=X.shape[1]),
            squares=float(e @ e),
            sizes=sizes_of(e, detector.scales.typical * back),
            low=low * back,
            high=high * back,
        )
        noted = RowFacts(
            scale=np.median(found.scale.some(SCALES_COMPARED), axis=1) * back,
            unexplained=found.unexplained,
            flagged=np.diff(explained.E.indptr),
        )
        return sums, np.stack(noted, axis=1)
