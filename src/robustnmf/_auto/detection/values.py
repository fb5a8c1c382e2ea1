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


class Finder:
    """Finds between which of some sorted edges values lie, as `np.searchsorted` does.

    A grid of cells says for each value how many edges are in cells below its own; only the few
    edges of the same cell are left to compare with.

    Examples
    --------
    >>> Finder(np.array([1.0, 2.0, 4.0]))(np.array([[0.5, 2.0, 3.0, 9.0]]))
    array([[0, 1, 2, 3]])
    """

    def __init__(self, edges: Array) -> None:
        self._edges = edges
        self._n_cells = VALUES.cells_an_edge * len(edges)
        if not self._n_cells:
            return
        with np.errstate(over="ignore", divide="ignore"):
            self._per_unit = self._n_cells / (edges[-1] - edges[0])
        if not np.isfinite(self._per_unit):
            self._n_cells = 0
            return
        cells = self._cell_of(edges)
        self._below = np.searchsorted(cells, np.arange(self._n_cells + 1))
        self._most = int(np.bincount(cells).max())
        # One more, which no value is beyond.
        self._bounds = np.append(edges, np.inf)

    def __call__(self, X: Array) -> Array:
        """Return how many edges each value is beyond; anything for NaN."""
        if not self._n_cells or self._most > VALUES.most_in_cell:
            return np.searchsorted(self._edges, X)
        index = self._below[self._cell_of(X)]
        for _ in range(self._most):
            index += self._bounds[index] < X
        return index

    def _cell_of(self, X: Array) -> Array:
        with np.errstate(over="ignore"):
            place = (X - self._edges[0]) * self._per_unit
        # Of NaN and a number, these take the number.
        return np.fmin(np.fmax(place, 0), self._n_cells).astype(np.int32)


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
    def _finder(self) -> Finder:
        return Finder(self.edges)

    @property
    def single(self) -> Array:
        """Which classes hold one value alone."""
        bins = len(self.edges) + 1 if self.binned else 0
        return np.arange(len(self.points)) >= bins

    def index_of(self, X: Array) -> Array:
        """Return the class of each entry; any class for a missing one."""
        index = self._finder(X)
        if len(self.atoms):
            nearest = np.searchsorted((self.atoms[1:] + self.atoms[:-1]) / 2, X)
            # They may have been learned in single precision.
            is_atom = np.abs(self.atoms[nearest] - X) <= VALUES.same * np.abs(X)
            index = np.where(is_atom, len(self.edges) + 1 + nearest, index)
        return np.minimum(index, len(self.points) - 1).astype(np.int32)


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
