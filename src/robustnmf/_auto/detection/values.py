"""How often each value is written by corruption, judged where it would stand out.

Corrupt values often pile up: 255 for salt, 0 for dead pixels, -1 for a broken sensor. A value that
turns up often where it is far from anything expected turns up as often elsewhere. So the share of
entries that corruption turned into value v is

    (how many far-out entries have the value v) / (how many entries v would be far out for).

This needs neither a guess of the share of corruption nor a fit, and cannot run away: where clean
residuals have no more far-out entries than they should, all shares are next to 0.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from robustnmf._auto.detection.evenness import evenness
from robustnmf._auto.detection.scales import EntryScales
from robustnmf._auto.detection.settings import SCALES, TAILS, VALUES
from robustnmf._common.arrays import Array
from robustnmf._kernels import kernels_for
from robustnmf._kernels.density import FAR, LOG_PEAK, tail_share


class Grid(NamedTuple):
    """Cells by which it is found quickly between which of some sorted edges a value lies."""

    below: Array
    """How many edges are in cells below each; one cell more than there are."""
    per_unit: float
    """Cells for each unit of the values, from the first edge on."""
    most: int
    """How many edges the fullest cell has."""

    @classmethod
    def of(cls, edges: Array) -> Grid | None:
        """Return a grid, or None where one would be of no use."""
        n_cells = VALUES.cells_an_edge * len(edges)
        if not n_cells:
            return None
        with np.errstate(over="ignore", divide="ignore"):
            per_unit = n_cells / (edges[-1] - edges[0])
        if not np.isfinite(per_unit):
            return None
        cells = np.minimum((edges - edges[0]) * per_unit, n_cells).astype(np.int32)
        most = int(np.bincount(cells).max())
        if most > VALUES.most_in_cell:
            return None
        below = np.searchsorted(cells, np.arange(n_cells + 1)).astype(np.int32)
        return cls(below, float(per_unit), most)


@dataclass(frozen=True)
class Classes:
    """Classes of values: single ones, or bins of continuous ones."""

    points: Array
    """A value for each class: itself, or the middle of the bin."""
    widths: Array
    """How wide each class is."""
    edges: Array
    """Bounds between the bins, which come before the atoms among the classes."""
    atoms: Array
    """Values that are classes of their own although others lie between bins; sorted."""
    binned: bool = False
    """Whether there are bins; else each class is a value."""

    @classmethod
    def of(cls, values: Array) -> Classes:
        """Find the classes of the known values."""
        distinct, counts = np.unique(values, return_counts=True)
        distinct = distinct.astype(float)
        if len(distinct) <= VALUES.most_values:
            edges = (distinct[1:] + distinct[:-1]) / 2
            return cls(distinct, _gaps(distinct), edges, np.empty(0))
        common = counts >= max(VALUES.atom_entries, VALUES.atom_share * values.size)
        atoms, rest = distinct[common], distinct[~common]
        if len(rest) < VALUES.most_values:
            edges = (distinct[1:] + distinct[:-1]) / 2
            return cls(distinct, _gaps(distinct), edges, np.empty(0))
        bounds = np.unique(
            np.concatenate(
                [
                    np.quantile(rest, np.linspace(0, 1, VALUES.equal_count_bins + 1)),
                    np.linspace(distinct[0], distinct[-1], VALUES.equal_width_bins + 1),
                ]
            )
        )
        middles, widths = (bounds[1:] + bounds[:-1]) / 2, np.diff(bounds)
        narrow = np.full(len(atoms), (distinct[-1] - distinct[0]) / 1000)
        return cls(
            np.concatenate([middles, atoms]),
            np.concatenate([widths, narrow]),
            bounds[1:-1],
            atoms,
            binned=True,
        )

    def rescaled(self, factor: float) -> Classes:
        """Return the classes for data multiplied by `factor`."""
        return replace(
            self,
            points=self.points * factor,
            widths=self.widths * factor,
            edges=self.edges * factor,
            atoms=self.atoms * factor,
        )

    @functools.cached_property
    def _grid(self) -> Grid | None:
        return Grid.of(self.edges)

    @property
    def single(self) -> Array:
        """Which classes hold one value alone."""
        bins = len(self.edges) + 1 if self.binned else 0
        return np.arange(len(self.points)) >= bins

    def index_of(self, X: Array) -> Array:
        """Return the class of each entry; any class for a missing one."""
        # Atoms may have been learned in single precision.
        index = kernels_for(X).class_index(
            X, self.edges, self._grid, self.atoms, float(VALUES.same)
        )
        return np.minimum(index, len(self.points) - 1, out=index)


class Rates(NamedTuple):
    """How often corruption writes each class of values, and how likely clean entries have it."""

    corrupt: Array
    """Share of all entries that corruption turned into this class."""
    measure: Array
    """What the density of clean residuals is multiplied by, to give the chance of this class."""

    @property
    def log_odds(self) -> Array:
        """Log odds of a corrupt entry of this class, for a residual and a scale of 1 at the peak.

        Add log(scale) and the surprise of the residual to judge an entry.
        """
        share = min(float(self.corrupt.sum()), 0.5)
        return np.log(self.corrupt / self.measure) - np.log1p(-share) - LOG_PEAK


def learn_rates(
    classes: Classes,
    class_of: Array,
    size: Array,
    P: Array,
    scale: EntryScales,
    known: Array,
    standing: Array | None = None,
) -> Rates:
    """Count far-out and near entries of each class, and how many there should be.

    `size` is |residual|, and `scale` what the kernels take to know the scale of each entry. With
    `standing`, the level of each entry by its row and column alone, rates are lowered where far-out
    entries are not as frequent at all levels: corruption is, clean tails are not.
    """
    near, far, count = kernels_for(size).class_counts(
        size, scale, known, class_of, len(classes.points), VALUES.near, FAR
    )
    n = int(count.sum())
    some = np.flatnonzero(known.ravel())
    if len(some) > VALUES.sample:
        # Always the same ones, so that a fit depends on its own seed alone.
        some = np.random.default_rng(0).choice(some, VALUES.sample, replace=False)
    rows, columns = np.unravel_index(some, size.shape)
    spread, level = scale.at(rows, columns), scale.level
    prediction = P[rows, columns].astype(float)
    stands_out, density = kernels_for(P).compare_values(
        classes.points, prediction, spread, VALUES.near, FAR
    )
    measure = (near + 1) / (n * density + 1 / classes.widths)
    excess = np.maximum(far - TAILS.allowance * tail_share(FAR) * (count - far), 0)
    spread_evenly = classes.widths / classes.widths.sum()
    corrupt = (excess + VALUES.prior_entries * spread_evenly) / (
        n * (stands_out + VALUES.prior_share)
    )
    for group in () if standing is None else (level, standing):
        counts = kernels_for(size).far_counts(
            size, scale, known, class_of, group, (len(classes.points), SCALES.levels), FAR
        )
        often = kernels_for(P).far_shares(
            classes.points, prediction, spread, group[rows, columns], SCALES.levels, FAR
        )
        members = np.bincount(group[known], minlength=SCALES.levels)
        clean_tail = TAILS.allowance * tail_share(FAR)
        corrupt = corrupt * evenness(
            counts, corrupt[:, None] * often * members, clean_tail * members
        )
    return Rates(corrupt, measure)


def _gaps(values: Array) -> Array:
    """How far each value is from its neighbours, on average."""
    if len(values) == 1:
        return np.ones(1) * max(abs(values[0]), 1e-300)
    steps = np.diff(values)
    return (np.append(steps[:1], steps) + np.append(steps, steps[-1:])) / 2
