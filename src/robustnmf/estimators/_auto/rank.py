"""How many components: as many as it takes to predict entries that were hidden.

A tenth of the entries is hidden. For each number of components tried, a robust fit to the rest
predicts them; the errors are cut off at a common size, because hidden entries can be corrupt, too.
Chosen is the least number whose error cannot be told from the lowest: by less than one standard
error of the difference (over samples), or by next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from robustnmf.engines.threads import ordered_map

Array = np.ndarray
Start = tuple[Array, Array]

HIDDEN = 0.1
# Not more fits than this, and not more components than this or a third of the samples or features.
MOST_FITS = 15
FIRST_NUMBERS = (1, 2, 4, 8, 16, 32)
MOST_COMPONENTS = 128
# Errors are cut off at this many robust standard deviations of the best fit.
CUT = 3.0
# ... but not below this share of the typical value: nobody needs components for less.
LEAST_CUT = 0.03
# An error within this share of what a hopeless fit would have is as good as the lowest; where the
# data are fitted to the last digit, within the second one, for then it is all about local minima.
INDIFFERENCE, EXACT_INDIFFERENCE = 0.0005, 0.01


class Candidates(Protocol):
    """How a number of components is tried."""

    def prepare(self, train: Array) -> None:
        """Do what is the same for all numbers."""

    def __call__(self, train: Array, start: Start) -> Start:
        """Fit to the data that are not hidden, from a start."""


@dataclass
class RankPath:
    """The numbers of components tried, and how well each predicts the hidden entries."""

    rows: Array
    """The sample of each hidden entry."""
    typical: float
    """The typical size of a value."""
    errors: dict[int, Array] = field(default_factory=dict)
    """|error| of each hidden entry."""

    def losses(self) -> dict[int, Array]:
        """Return the loss of each hidden entry, for each number tried."""
        cut = max(CUT * self._spread(), LEAST_CUT * self.typical, np.finfo(float).tiny)
        # Relative to the cut, so that nothing overflows and 1 is the loss of a hopeless fit.
        return {k: np.minimum(e / cut, 1) ** 2 for k, e in sorted(self.errors.items())}

    def good_enough(self) -> dict[int, bool]:
        """Return for each number tried whether its error cannot be told from the lowest."""
        losses = self.losses()
        best = min(losses.values(), key=np.mean)
        exact = CUT * self._spread() < LEAST_CUT * self.typical
        least = EXACT_INDIFFERENCE if exact else INDIFFERENCE
        answer = {}
        for k, loss in losses.items():
            difference = loss - best
            error = self._standard_error(difference)
            answer[k] = bool(difference.mean() <= max(error, least))
        return answer

    def add(self, k: int, errors: Array) -> bool:
        """Add a fit with k components, unless there is a better one; say whether there was none."""
        before = self.errors.get(k)
        self.errors[k] = errors.astype(float)
        if before is None:
            return True
        after = self.losses()[k].mean()
        self.errors[k] = before
        if self.losses()[k].mean() <= after:
            return False
        self.errors[k] = errors.astype(float)
        return True

    def chosen(self) -> int:
        """Return the least number that is good enough."""
        return min(k for k, good in self.good_enough().items() if good)

    def next(self, largest: int) -> list[int]:
        """Return the numbers to try next: none when the chosen one is sure."""
        tried = sorted(self.errors)
        losses = self.losses()
        best = min(losses, key=lambda k: float(losses[k].mean()))
        if best == tried[-1] and best < largest:
            return [min(2 * best, largest)]
        # First to find the valley: both sides of the lowest error, as far as they are open.
        room = max(1, best // 8)
        below, above = self._neighbours(best)
        around = [(a + b) // 2 for a, b in ((below, best), (best, above)) if b - a > room]
        if around:
            return around
        # Then to find where it begins: between the chosen number and the one below it.
        chosen = self.chosen()
        below, _ = self._neighbours(chosen)
        gap = chosen - below
        # Two at a time, which can run side by side: they divide the gap in three.
        return sorted({below + max(1, gap // 3), below + max(1, 2 * gap // 3)}) if gap > 1 else []

    def _neighbours(self, k: int) -> tuple[int, int]:
        """Return the numbers tried next below and above; 0, or itself, where there are none."""
        below = max((other for other in self.errors if other < k), default=0)
        return below, min((other for other in self.errors if other > k), default=k)

    def table(self) -> dict[str, list[Any]]:
        """Return the curve: errors as shares of a hopeless fit's, with standard errors."""
        losses = self.losses()
        return {
            "n_components": list(losses),
            "error": [float(loss.mean()) for loss in losses.values()],
            "standard_error": [self._standard_error(loss) for loss in losses.values()],
        }

    def _spread(self) -> float:
        return 1.4826 * min(float(np.median(e)) for e in self.errors.values())

    def _standard_error(self, loss: Array) -> float:
        """Errors within a sample go together, so samples are what is counted."""
        count = np.bincount(self.rows)
        some = count > 0
        if some.sum() < 2:
            return 0.0
        deviation = np.bincount(self.rows, loss - loss.mean())[some]
        return float(np.sqrt((deviation**2).sum()) / count.sum())


def choose_rank(
    X: Array,
    fit: Candidates,
    begin: Callable[[Array, int, Start | None], Start],
    rng: np.random.RandomState,
    report: Callable[[int, int], None],
) -> RankPath:
    """Try numbers of components, from coarse to fine, and return how each did.

    `begin` gives a start, from the factors of another number where there are some. `report` is
    told how many fits are done, and of how many components the last was.
    """
    hidden = (rng.uniform(size=X.shape) < HIDDEN) & ~np.isnan(X)
    # At least one known entry must stay in each row and column.
    known = ~np.isnan(X) & ~hidden
    hidden[~known.any(axis=1)] = False
    hidden[:, ~known.any(axis=0)] = False
    train = np.where(hidden, np.nan, X)
    rows, columns = np.nonzero(hidden)
    typical = float(np.median(X[rows, columns])) if len(rows) else 0.0
    path = RankPath(rows, typical)
    found: dict[int, Start] = {}
    n_fits = 0
    largest = max(1, min(MOST_COMPONENTS, X.shape[0] // 3, X.shape[1] // 3))

    def attempt(k: int) -> tuple[int, Start]:
        near = min((s for s in found if s > k), default=max(found, default=0))
        return k, fit(train, begin(train, k, found.get(near)))

    fit.prepare(train)
    todo = [k for k in FIRST_NUMBERS if k <= largest]
    from_above: set[int] = set()
    while todo and n_fits < MOST_FITS:
        for k, (W, H) in ordered_map(attempt, todo[: MOST_FITS - n_fits]):
            predicted = np.einsum("ij,ji->i", W[rows], H[:, columns])
            if path.add(k, np.abs(X[rows, columns] - predicted)):
                found[k] = W, H
            n_fits += 1
            report(n_fits, k)
        todo = path.next(largest)
        if not todo:
            # What the next smaller number did may be a bad minimum: try it from this one, once.
            below = path.chosen() - 1
            todo = [below] if below > 0 and below not in from_above else []
            from_above.update(todo)
    return path
