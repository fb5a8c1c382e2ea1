"""The columns of a table: what each holds, and on which scale its cells are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._tables.judging.kinds import Kind, kind_of
from robustnmf._tables.judging.scales import SCALE, Scale, choose_scale, smallest_step

# What is not judged still tells something of what is, unless it is one value or nearly nothing.
_SILENT = ("one value", "too few values")


@dataclass(frozen=True)
class Columns:
    """What is known of each column.

    Attributes
    ----------
    kinds : list of Kind
        Of all columns of the table.
    used : int array
        The columns that tell something; the arrays below have one number for each of these.
    judged : bool array
        Whether the cells of a used column are judged.
    scales : list of Scale
    lowest, highest : arrays
        The range of the values that nobody suspects.
    steps : array
        How far apart two values are that can be written.
    """

    kinds: list[Kind]
    used: Array
    judged: Array
    scales: list[Scale]
    lowest: Array
    highest: Array
    steps: Array

    @classmethod
    def of(cls, X: Array, names: Sequence[str], kinds: list[Kind] | None = None) -> Columns:
        """Look at the columns of some rows, NaN being unknown; kinds may be known already."""
        if kinds is None:
            kinds = [kind_of(X[:, j], name) for j, name in enumerate(names)]
        used = [j for j, kind in enumerate(kinds) if kind.name not in _SILENT]
        steps = [smallest_step(X[:, j]) for j in used]
        scales = [
            _scale(X[:, j], kinds[j], None, step) for j, step in zip(used, steps, strict=True)
        ]
        return cls(
            kinds,
            np.array(used, dtype=int),
            np.array([kinds[j].judged for j in used], dtype=bool),
            scales,
            np.array([np.nanmin(X[:, j]) for j in used]),
            np.array([np.nanmax(X[:, j]) for j in used]),
            np.array(steps),
        )

    def on(self, X: Array, kind: str) -> Columns:
        """Return the columns with those that are judged on one kind of scale; X is as for `of`."""
        which = zip(self.used, self.steps.tolist(), strict=True)
        return replace(self, scales=[_scale(X[:, j], self.kinds[j], kind, s) for j, s in which])

    def even(self, X: Array) -> Array:
        """Turn rows of the table into rows on even scales, of the used columns alone."""
        Z = np.empty((len(X), len(self.used)))
        for c, (j, scale) in enumerate(zip(self.used, self.scales, strict=True)):
            z = scale.forth(X[:, j])
            Z[:, c] = z if self.judged[c] else np.clip(z, -SCALE.codes_reach, SCALE.codes_reach)
        return Z

    def strays(self, X: Array) -> tuple[Array, Array]:
        """Return the cells of columns of codes that are none, and the commonest code of each.

        Both are of the used columns alone; NaN for a column of another kind.
        """
        found = np.zeros((len(X), len(self.used)), dtype=bool)
        commonest = np.full(len(self.used), np.nan)
        for c, j in enumerate(self.used):
            if (codes := self.kinds[j].codes) is not None:
                found[:, c] = (X[:, j] < codes.lowest) | (X[:, j] > codes.highest)
                commonest[c] = codes.commonest
        return found, commonest

    def even_cells(self, values: Array, columns: Array) -> Array:
        """Turn some cells, each of one of the used columns, into even numbers."""
        even = np.empty(len(values))
        for c in np.unique(columns):
            even[columns == c] = self.scales[c].forth(values[columns == c])
        return even

    def back(self, Z: Array) -> Array:
        """Turn rows on even scales into rows of the used columns, within the range of the known."""
        X = np.empty(Z.shape)
        for c, scale in enumerate(self.scales):
            X[:, c] = np.clip(scale.back(Z[:, c]), self.lowest[c], self.highest[c])
        return X

    def even_steps(self, Z: Array) -> Array:
        """Return how far apart values are that can be written, on even scales, at these values."""
        X, steps = self.back(Z), np.empty(Z.shape)
        for c, scale in enumerate(self.scales):
            half = self.steps[c] / 2
            low, high = X[:, c] - half, X[:, c] + half
            if scale.kind != "identity":
                low = np.maximum(low, half / 2)
            steps[:, c] = scale.forth(high) - scale.forth(low)
        return steps


def _scale(values: Array, kind: Kind, on: str | None, step: float) -> Scale:
    if kind.judged:
        return choose_scale(values, on, step)
    known = values[~np.isnan(values)]
    low, high = np.quantile(known, [0.02, 0.98])
    known = np.clip(known, low, high) if high > low else known
    return Scale("identity", float(known.mean()), float(known.std()) or 1.0)
