"""Between the user's unit and one in which squares neither overflow nor vanish."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np
from scipy import sparse

from robustnmf._common.arrays import Array
from robustnmf._common.places import cast, in_order, largest, times_power_of_two
from robustnmf._core.engine import Engine
from robustnmf._core.noise import NoiseModel
from robustnmf._engines import batches, engine_for
from robustnmf._fitting.data import Summary, comfortable_exponent
from robustnmf._fitting.explained import Explained
from robustnmf._solvers import Sums


class Units:
    """Between the user's unit and one in which squares neither overflow nor vanish.

    Data are multiplied by 2^x and components by 2^h; W then comes out multiplied by 2^(x−h).
    """

    def __init__(self, summary: Summary, components: Array | None = None) -> None:
        self.dtype = summary.working_dtype
        self._result = summary.dtype
        self._x = summary.exponent
        # Without components both factors take half of the scale of the data.
        self._h = self._x // 2
        if components is not None:
            self._h = self._power(components)

    def _power(self, components: Array) -> int:
        return comfortable_exponent(largest(components), self.dtype)

    def blocks(self, X: Any, weights: Any = None, **size: int) -> Engine:
        """Return the data in blocks, in working units; their size as for `engine_for`."""
        return engine_for(X, weights, dtype=self.dtype, exponent=self._x, **size)

    def batches(self, X: Any, size: int, **which: Any) -> Iterator[Engine]:
        """Return the data in batches, each an engine of its own; see `robustnmf._engines`."""
        return batches(X, size, dtype=self.dtype, exponent=self._x, **which)

    def for_components(self, components: Array) -> Units:
        """Return the units for these components, with the data in the same."""
        units = copy(self)
        units._h = units._power(components)
        return units

    def sums_back(self, sums: Sums) -> Sums:
        """Sums over rows into the user's units."""
        return sums.in_unit(self._h - self._x, -self._h)

    def noise(self, noise: NoiseModel) -> NoiseModel:
        """Return the noise model for working units."""
        return noise.rescaled(2.0**self._x)

    def mean(self, summary: Summary) -> float:
        """Return the mean of the data in working units."""
        return float(np.ldexp(summary.mean, self._x))

    @property
    def factor(self) -> float:
        """What the user's data are multiplied by."""
        return 2.0**self._x

    def components(self, H: Array) -> Array:
        """H into working units."""
        return in_order(times_power_of_two(cast(H, self.dtype), self._h))

    def components_back(self, H: Array) -> Array:
        """H into the user's units."""
        return in_order(cast(times_power_of_two(self._wide(H), -self._h), self._result))

    def weights(self, W: Array) -> Array:
        """W into working units."""
        return in_order(times_power_of_two(cast(W, self.dtype), self._x - self._h))

    def steps(self, to: Units) -> tuple[int, int]:
        """Return by which powers of two W and H are multiplied in others, and not in these."""
        power = to._h - self._h
        return to._x - self._x - power, power

    def weights_back(self, W: Array) -> Array:
        """W into the user's units; overwrites it."""
        W = self._wide(W)
        return cast(times_power_of_two(W, self._h - self._x, out=W), self._result)

    def noise_back(self, E: Any) -> Any:
        """E, in full or as a csr_array, into the user's units; overwrites it."""
        if not sparse.issparse(E):
            return cast(times_power_of_two(self._wide(E), -self._x), self._result)
        data = self._wide(E.data)
        E.data = np.ldexp(data, -self._x, out=data).astype(self._result, copy=False)
        return E

    def _wide(self, A: Array) -> Array:
        """Return A in a precision that holds it in either unit."""
        return cast(A, np.promote_types(self.dtype, self._result))

    def explained(
        self,
        rows: slice,
        X: Array,
        W: Array,
        E: Any,
        misfits: Array,
        penalties: Array,
        replaceable: Any = None,
    ) -> Explained:
        """Return what a block was found to be made of, in the user's units; overwrites W and E.

        By default all noise is to be replaced.
        """
        noise = self.noise_back(E)
        return Explained(
            rows,
            times_power_of_two(X, -self._x) if self._x else X,
            self.weights_back(W),
            noise,
            times_power_of_two(misfits, -2 * self._x),
            times_power_of_two(penalties, -2 * self._x),
            noise if replaceable is None else replaceable,
        )

    def objective(self, value: float) -> float:
        """Turn a sum of squares into working units."""
        return float(np.ldexp(value, 2 * self._x))

    def objective_back(self, value: float) -> float:
        """Turn a sum of squares into the user's units."""
        return float(np.ldexp(value, -2 * self._x))
