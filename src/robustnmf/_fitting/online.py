"""Learning from data a batch at a time: a start on some rows, then batch after batch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.progress import silent
from robustnmf._core.engine import Engine
from robustnmf._core.growth import Stage
from robustnmf._core.noise import NoiseModel
from robustnmf._engines import closed_after
from robustnmf._fitting.data import examine
from robustnmf._fitting.factorize import Settings, factorize
from robustnmf._fitting.inference import Learned, LearnedComponents
from robustnmf._fitting.units import Units
from robustnmf._solvers import ONLINE, Hold, Sums, batch_sums, improved_components


class Pace(NamedTuple):
    """How many rows are learned from at a time, and how fast what is old is forgotten."""

    batch_size: int
    forget_factor: float
    """What the past counts after ..."""
    per_rows: int
    """... so many rows."""
    repeats: int = 1
    """How often a batch is gone over: explained again by the components that it improved."""

    def remembered(self, n_rows: int, seen: int, young: int) -> float:
        """Return what the past counts after some rows, as many as that having been seen before.

        It counts less while they are fewer than `young`.

        Examples
        --------
        >>> pace = Pace(batch_size=100, forget_factor=0.25, per_rows=1000)
        >>> pace.remembered(500, seen=500, young=400), pace.remembered(500, seen=500, young=600)
        (0.5, 0.25)
        """
        share: float = self.forget_factor ** (n_rows / self.per_rows)
        return share if seen >= young else share * seen / (seen + n_rows)


class Passed(NamedTuple):
    """What came of a pass over data."""

    online: Online
    loss: float
    """The objective, each batch at the components that it met."""
    n_batches: int


class Explainer(Protocol):
    """Says what rows are made of, given the components, and what these need to know of it."""

    def summed(self, H: Array, known: Sums, batch: Engine, units: Units) -> Sums:
        """Return the sums over a batch; H and all sums are in the user's units."""

    def learned(self, H: Array, known: Sums, dtype: Any) -> Learned:
        """Return what explains new rows."""


class Online(NamedTuple):
    """Components and what is remembered of the rows they were learned from, in the user's units.

    Examples
    --------
    >>> from robustnmf._core.noise import NoNoise
    >>> X = np.array([[1.0, 2.0], [2.0, 4.0], [4.0, 8.0]])
    >>> units = Units(examine(X, None, "", columns=True))
    >>> online = Online.knowing(np.array([[1.0, 1.0]]), Priced(NoNoise()))
    >>> found = online.after(X, units, Pace(batch_size=2, forget_factor=0.5, per_rows=3))
    >>> H = found.online.components
    >>> H / H[0, 0], found.n_batches
    (array([[1., 2.]]), 2)
    """

    components: Array
    """H, in float64; k×m."""
    explainer: Explainer
    sums: Sums
    seen: int = 0
    """How many rows, each as often as it came."""

    @staticmethod
    def knowing(
        components: Array, explainer: Explainer, sums: Sums | None = None, seen: int = 0
    ) -> Online:
        """Return what goes on from these components, having seen no rows if there are no sums."""
        H = components.astype(np.float64, copy=False)
        return Online(H, explainer, Sums.of_nothing(*H.shape) if sums is None else sums, seen)

    def learned(self, dtype: Any) -> Learned:
        """Return what explains new rows."""
        return self.explainer.learned(self.components, self.sums, dtype)

    def after(self, X: Any, units: Units, pace: Pace, **which: Any) -> Passed:
        """Return what is known after one pass over data; `which` rows, and in which order.

        See `robustnmf._engines.batches`.
        """
        online, losses, k = self, [], len(self.components)
        with closed_after(units.batches(X, pace.batch_size, **which)) as batches:
            for batch in batches:
                before = online
                share = pace.remembered(batch.shape[0], before.seen, ONLINE.young * k)
                few = before.seen < ONLINE.start_rows * k
                for _ in range(ONLINE.first_repeats if few else pace.repeats):
                    known = before._replace(components=online.components)
                    online = known.after_batch(batch, units, share)
                losses.append(online.sums.loss - share * before.sums.loss)
        return Passed(online, math.fsum(losses), len(losses))

    def after_batch(self, batch: Engine, units: Units, remembered: float = 1.0) -> Online:
        """Return what is known after one more batch, with a share of what was known before."""
        H = self.components
        found = self.explainer.summed(H, self.sums, batch, units.for_components(H))
        sums = self.sums.faded(remembered).plus(found)
        if not (np.isfinite(sums.gram).all() and np.isfinite(sums.cross).all()):
            raise ValueError(
                "X is so much larger or smaller than what was learned from before that sums "
                "over both are not finite; multiply it so that it has the unit of those rows"
            )
        new = improved_components(H, sums)
        return Online(new, self.explainer, sums, self.seen + batch.shape[0])


class Priced(NamedTuple):
    """Explains rows by a noise model with a given price."""

    noise: NoiseModel
    first_hold: Hold | None = None
    """What holds missing entries in the first batch; in others it is found anew."""

    def summed(self, H: Array, known: Sums, batch: Engine, units: Units) -> Sums:
        """Return the sums over a batch."""
        hold = _hold(H, known) if self.first_hold is None else self.first_hold
        stages = tuple(Stage(units.components(A), hint) for A, hint in hold.stages)
        usual = known.usual_weights()
        found = batch_sums(
            batch,
            units.noise(self.noise),
            units.components(H),
            units.weights(usual if usual.any() else np.ones(len(usual))),
            Hold(stages, hold.hint),
        )
        return units.sums_back(found)

    def learned(self, H: Array, known: Sums, dtype: Any) -> LearnedComponents:
        """Return what explains new rows."""
        hold = _hold(H, known)
        typical, *others = (Stage(A.astype(dtype), hint) for A, hint in hold.stages)
        return LearnedComponents(
            H.astype(dtype),
            self.noise,
            typical=typical.components[0],
            hint=hold.hint,
            stages=tuple(others),
        )


def _hold(H: Array, known: Sums) -> Hold:
    """Return what holds missing entries.

    Held at the typical sample, the components themselves make a better guess, at which they are
    held then. It costs one more solve, and fills are as good as with a guess that grows.
    """
    hint = known.hint(H)
    return Hold((Stage(known.typical_sample(H)[None]), Stage(H, hint)), hint)


def unwatched(*asked: Any) -> Callable[..., Any]:
    """Have nobody hear of the steps of a fit: a `Watch`."""
    return silent


def begun(X: Array, noise: NoiseModel, settings: Settings, owner: str) -> Online:
    """Return what is learned from the first rows, which must fit into memory."""
    summary = examine(X, None, owner, columns=False)

    fitted = factorize(X, None, summary, noise, settings, unwatched, hold=True)
    learned = LearnedComponents(fitted.H, noise).held(fitted, summary.n_known)
    assert learned.typical is not None
    hold = Hold((Stage(learned.typical[None]), *learned.stages), learned.hint)
    units = Units(summary)
    online = Online.knowing(fitted.H, Priced(noise, hold)).after_batch(units.blocks(X), units)
    return online._replace(explainer=Priced(noise))


def start_size(shape: tuple[int, int], n_components: int) -> int:
    """Return with how many rows of some data to begin.

    Examples
    --------
    >>> start_size((10_000, 100), 10), start_size((10**6, 100_000), 10), start_size((50, 9), 10)
    (2560, 167, 50)
    """
    n, m = shape
    least, most = (rows * n_components for rows in (ONLINE.least_rows, ONLINE.start_rows))
    return min(n, max(least, min(most, ONLINE.start_entries // m)))
