"""How many components: as many as it takes to predict entries that were hidden.

A tenth of the entries is hidden. For each number of components tried, a robust fit to the rest
predicts them; the errors are cut off at a common size, because hidden entries can be corrupt, too.
Best is the number with the lowest error, where each component has its price: more must lower the
error by more than a small share each. Chosen is the least number whose error cannot be told from
that of the best: by less than some standard errors of the difference (over samples).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from robustnmf._auto.settings import RANK
from robustnmf._common.arrays import Array
from robustnmf._common.robust import robust_deviation
from robustnmf._engines.threads import ordered_map


class Start(NamedTuple):
    """Where a fit begins, and where it ends."""

    W: Array
    H: Array
    corrupt: Array | None = None
    """What is corrupt, where another fit has found that already."""


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
    values: Array
    """The value of each hidden entry."""
    errors: dict[int, Array] = field(default_factory=dict)
    """|error| of each hidden entry."""

    def losses(self) -> dict[int, Array]:
        """Return the loss of each hidden entry, for each number tried."""
        cut = self._cut()
        # Relative to the cut, so that nothing overflows and 1 is the loss of a hopeless fit.
        return {k: np.minimum(e / cut, 1) ** 2 for k, e in sorted(self.errors.items())}

    def prices(self) -> dict[int, float]:
        """Return the root of each number's error, with the price of its components."""
        losses = self.losses()
        # What no number predicts is corrupt, and tells nothing of any.
        told = np.min(list(losses.values()), axis=0) < 1
        none = (RANK.negligible * self._typical() / self._cut()) ** 2
        return {
            k: (float(loss[told].mean() if told.any() else 1.0) + none) ** 0.5
            * (1 + RANK.price * k)
            for k, loss in losses.items()
        }

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
        """Return the least number that cannot be told from the one that is worth its price."""
        prices, losses = self.prices(), self.losses()
        best = min(prices, key=lambda k: (prices[k], k))
        # A few errors that are far off make a difference uncertain, but not small.
        for k in (k for k in losses if prices[k] <= (1 + RANK.near) * prices[best]):
            difference = losses[k] - losses[best]
            if difference.mean() <= RANK.told * self._standard_error(difference):
                return k
        return best

    def next(self, largest: int) -> list[int]:
        """Return the numbers to try next: none when the chosen one is sure."""
        best = self.chosen()
        last = max(self.errors)
        larger = min(largest, 2 * last if last < RANK.sure_number else last + last // 2)
        if best == last < largest and self._may_pay(larger):
            return [larger]
        # Both sides of the lowest price, as far as they are open, unless they are flat.
        prices = self.prices()
        room = gap_at(best)
        sides = ((other, abs(best - other)) for other in self._neighbours(best))
        around = [
            (best + other) // 2
            for other, gap in sides
            if gap > room and prices.get(other, np.inf) > (1 + RANK.flat) * prices[best]
        ]
        return self._cliff(prices[best]) or around

    def _cliff(self, lowest: float) -> list[int]:
        """Return a number where the error falls off a cliff, if the foot of it may be nearer.

        There all parts of the data have a component. Larger numbers can have a lower error by
        chance, each in a minimum of its own.
        """
        prices = self.prices()
        foot = min(k for k, price in prices.items() if price <= RANK.foot * lowest)
        below, _ = self._neighbours(foot)
        steep = prices.get(below, np.inf) > RANK.cliff * prices[foot]
        return [(below + foot) // 2] if steep and foot - below > gap_at(foot) else []

    def _may_pay(self, k: int) -> bool:
        """Return whether more than ever could pay, if the error falls on as it did before."""
        if k <= RANK.sure_number:
            return True
        *_, before, last = sorted(self.errors)
        prices = self.prices()
        if prices[last] == 0:
            return False
        plain = {other: prices[other] / (1 + RANK.price * other) for other in (before, last)}
        steepness = np.log(plain[last] / plain[before]) / np.log(last / before)
        return bool(plain[last] * (k / last) ** steepness * (1 + RANK.price * k) < prices[last])

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

    def _cut(self) -> float:
        told = self._ordinary()
        spread = min(robust_deviation(e[told]) for e in self.errors.values())
        return max(RANK.cut * spread, RANK.least_cut * self._typical(), float(np.finfo(float).tiny))

    def _typical(self) -> float:
        return _median(self.values[self._ordinary()])

    def _ordinary(self) -> Array:
        """Return which entries say what is usual: not the zeros, where most are."""
        some = self.values > 0
        return some if 0 < 2 * some.sum() < len(some) else np.ones(len(some), dtype=bool)

    def _standard_error(self, loss: Array) -> float:
        """Errors within a sample go together, so samples are what is counted."""
        count = np.bincount(self.rows)
        some = count > 0
        if some.sum() < 2:
            return 0.0
        deviation = np.bincount(self.rows, loss - loss.mean())[some]
        return float(np.sqrt((deviation**2).sum()) / count.sum())


def gap_at(k: int) -> int:
    """Return how far apart numbers about k are tried: the larger, the less one matters.

    Examples
    --------
    >>> gap_at(3), gap_at(20), gap_at(36), gap_at(64)
    (1, 1, 9, 26)
    """
    return max(1, 3 * (k - 20) // 5)


def _median(values: Array) -> float:
    return float(np.median(values)) if len(values) else 0.0


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
    hidden = (rng.uniform(size=X.shape) < RANK.hidden) & ~np.isnan(X)
    # At least one known entry must stay in each row and column.
    known = ~np.isnan(X) & ~hidden
    hidden[~known.any(axis=1)] = False
    hidden[:, ~known.any(axis=0)] = False
    train = np.where(hidden, np.nan, X)
    rows, columns = np.nonzero(hidden)
    path = RankPath(rows, X[rows, columns])
    found: dict[int, Start] = {}
    n_fits = 0
    largest = max(1, min(RANK.most_components, X.shape[0] // 3, X.shape[1] // 3))

    def attempt(k: int) -> tuple[int, Start]:
        near = min((s for s in found if s > k), default=max(found, default=0))
        return k, fit(train, begin(train, k, found.get(near)))

    fit.prepare(train)
    todo = [k for k in RANK.first_numbers if k <= largest]
    from_above: set[int] = set()
    while todo and n_fits < RANK.most_fits:
        for k, fitted in ordered_map(attempt, todo[: RANK.most_fits - n_fits]):
            predicted = np.einsum("ij,ji->i", fitted.W[rows], fitted.H[:, columns])
            if path.add(k, np.abs(path.values - predicted)):
                found[k] = fitted
            n_fits += 1
            report(n_fits, k)
        todo = path.next(largest)
        if not todo:
            # What the next smaller number did may be a bad minimum: try it from this one, once.
            below = path.chosen() - 1
            small = gap_at(below + 1) == 1
            todo = [below] if small and below > 0 and below not in from_above else []
            from_above.update(todo)
    return path
