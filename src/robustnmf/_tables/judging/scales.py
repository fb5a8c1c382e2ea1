"""Each column on the scale where its values lie most evenly about their middle, in its own spread.

Prices, counts and concentrations vary by factors; on a logarithm their errors and those of smaller
ones are told alike. Which of x, √x and log x to take is decided by symmetry alone, robustly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.robust import robust_deviation


@dataclass(frozen=True)
class ScaleSettings:
    """On which scale a column is compared.

    Chosen on the first edition of the study of trust (``robustnmf reproduce trust-tuning``).
    """

    # A column is left as measured unless another scale is more even by this much.
    gain: float = 0.1
    # Cells at or below 0 are no obstacle to a logarithm if they are at most this share: they are
    # suspects.
    suspect_share: float = 0.03
    # Or this share, if there is nothing near 0 otherwise, or the rest spans so many times itself.
    isolated_share: float = 0.15
    near_zero: float = 0.1
    wide: float = 30.0
    # Where a scale has no number for a value (the logarithm of 0), it is this many spreads below
    # the middle.
    beyond: float = 15.0
    # Most different values of a column are at least as far apart as this share of them.
    step_share: float = 0.05
    # Nothing is further off than this: beyond it, more makes no difference.
    furthest: float = 40.0
    # Values are even if these quantiles lie as far above the median as below it.
    shares: tuple[float, ...] = (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98)
    # How far correlations are drawn towards 0 while scales are compared.
    shrinkage: float = 0.02
    # Cells beyond so many spreads of their column are suspects.
    far: float = 5.0
    # Codes and counters count up to this many standard deviations.
    codes_reach: float = 4.0


SCALE = ScaleSettings()


@dataclass(frozen=True)
class Scale:
    """From the numbers of a column to even ones of spread 1, and back.

    Attributes
    ----------
    kind : {"identity", "root", "log"}
        What is done to x first.
    middle, spread : float
        The median and the robust standard deviation after that.
    nil : float
        What 0 counts as on a logarithm: half of the smallest step between values, since 0 is what
        less than that is written as.
    """

    kind: str
    middle: float
    spread: float
    nil: float = 0.0

    def forth(self, x: Array) -> Array:
        """Turn numbers of the column into even ones."""
        with np.errstate(over="ignore"):
            z = (_apply(self.kind, x) - self.middle) / self.spread
        # Both are rare, and looked for in less time than they are replaced in.
        if self.kind != "identity" and (none := np.isnan(z)).any():
            z = np.where(none & ~np.isnan(x), -SCALE.beyond, z)
        if self.kind == "log" and self.nil > 0 and (zero := x == 0).any():
            nil = (np.log(self.nil) - self.middle) / self.spread
            z = np.where(zero, np.maximum(nil, -SCALE.beyond), z)
        return np.clip(z, -SCALE.furthest, SCALE.furthest)

    def back(self, z: Array) -> Array:
        """Turn even numbers into numbers of the column."""
        t = z * self.spread + self.middle
        if self.kind == "root":
            return np.maximum(t, 0) ** 2
        return np.exp(t) if self.kind == "log" else t

    def log_slope(self, x: Array) -> Array:
        """Return log dz/dx."""
        if self.kind == "identity":
            return np.full(np.shape(x), -np.log(self.spread))
        safe = np.maximum(x, np.finfo(float).tiny)
        slope = -np.log(safe) if self.kind == "log" else -np.log(safe) / 2 - np.log(2)
        return slope - np.log(self.spread)


KINDS = ("identity", "root", "log")


def choose_scale(values: Array, kind: str | None = None, step: float | None = None) -> Scale:
    """Find the scale of a column.

    Parameters
    ----------
    values : array
        Of a column, with NaN for missing cells; not all the same.
    kind : {"identity", "root", "log"}, optional
        The scale to take, if it is possible; by default the most even one.
    step : float, optional
        The `smallest_step` of the values, if it is known.

    Returns
    -------
    Scale

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> choose_scale(rng.lognormal(size=500)).kind, choose_scale(rng.normal(9, 1, 500)).kind
    ('log', 'identity')
    """
    known = values[~np.isnan(values)]
    possible = [k for k in KINDS if _possible(k, known)]
    if kind is None:
        uneven = {k: _unevenness(_apply(k, known)) for k in possible}
        uneven["identity"] -= SCALE.gain
        kind = min(possible, key=lambda k: uneven[k])
    elif kind not in possible:
        kind = possible[-1]
    middle, spread = _middle_and_spread(_apply(kind, known))
    return Scale(kind, middle, spread, (smallest_step(known) if step is None else step) / 2)


def smallest_step(values: Array) -> float:
    """Return the usual smallest distance between different values; 0 if there is but one.

    Examples
    --------
    >>> smallest_step(np.array([1.0, 3, 2, 2, np.nan, 9]))
    1.0
    """
    gaps = np.diff(np.unique(values[~np.isnan(values)]))
    return float(np.quantile(gaps, SCALE.step_share)) if len(gaps) else 0.0


def _possible(kind: str, known: Array) -> bool:
    if kind == "identity":
        return True
    below = known <= 0 if kind == "log" else known < 0
    above = known[known > 0]
    if not len(above):
        return False
    low, tenth, middle, most = np.quantile(above, [0.05, 0.1, 0.5, 0.9])
    apart = low > SCALE.near_zero * middle or most > SCALE.wide * tenth
    return bool(below.mean() <= (SCALE.isolated_share if apart else SCALE.suspect_share))


def _apply(kind: str, x: Array) -> Array:
    if kind == "identity":
        return np.asarray(x, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.sqrt(x) if kind == "root" else np.log(x)
    return np.where(np.isfinite(t), t, np.nan)


def _unevenness(t: Array) -> float:
    """Return how far pairs of quantiles lie from even distances to the median; 0 if even."""
    q = np.quantile(t[~np.isnan(t)], SCALE.shares)
    low, high = q[3] - q[:3], q[:3:-1] - q[3]
    whole = high + low
    return float(np.mean(np.abs(high - low) / np.where(whole > 0, whole, 1)))


def _middle_and_spread(t: Array) -> tuple[float, float]:
    t = t[~np.isnan(t)]
    low, middle, high = np.quantile(t, [0.16, 0.5, 0.84])
    spread = robust_deviation(t - middle) or (high - low) / 2
    if not spread > 0 and (t != middle).any():
        # More than half of the values are one: the others tell the spread.
        spread = robust_deviation(t[t != middle] - middle)
    return float(middle), float(spread) if spread > 0 else 1.0
