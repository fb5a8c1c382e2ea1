"""Rows of an array of another package than NumPy: on a GPU, say, where they stay.

Blocks are views, converted only where they have to be, and so large that a device has enough to do.
What is kept for the rows is kept beside them. No threads: a device works while this process goes
on, which waits only where somebody asks for a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any, NamedTuple

import array_api_compat
import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.places import on_host, times_power_of_two
from robustnmf._core.engine import BlockFunction
from robustnmf._engines.memory import PASS_ENTRIES, default_block_rows, filled, summed
from robustnmf._engines.placed import Placed, in_numbers, placed
from robustnmf._engines.stacking import joined


class DeviceSettings(NamedTuple):
    """How large blocks are; docs/gpu.md names it. No study chose it."""

    entries: int = 2**26
    """The most entries of a block in a pass of a solver. There are some five arrays of that size at
    a time; ..."""
    host_entries: int = 2**22
    """... the same where the device is a CPU."""


DEVICE = DeviceSettings()


class DeviceRows:
    """An array with one row for each sample, on the device.

    Slices of it are arrays of NumPy's: so engines of the same data on the host can take it over.
    """

    def __init__(self, array: Any) -> None:
        self.array = array
        self._parts: list[Array] = []

    @property
    def shape(self) -> tuple[int, ...]:
        """As for arrays."""
        shape: tuple[int, ...] = self.array.shape
        return shape

    def __len__(self) -> int:
        n: int = self.array.shape[0]
        return n

    def __getitem__(self, rows: slice) -> Array:
        # The standard says nothing of slices that end beyond the end.
        first, stop, _ = rows.indices(len(self))
        return on_host(self.array[first:stop, ...])

    def rows(self, rows: slice) -> Array:
        """Return some rows where they are."""
        some: Array = self.array[rows, ...]
        return some

    def write(self, rows: slice, part: Array) -> None:
        """Write some rows; in a pass over all of them, in order."""
        if not array_api_compat.is_jax_array(self.array):
            self.array[rows, ...] = part
            return
        # Arrays that cannot be assigned to are put together when the last rows have come.
        self._parts.append(part)
        if rows.stop == len(self):
            self.array, self._parts = joined(self._parts), []


class DeviceEngine:
    """Blocks of rows of an array on a device, and of all that goes with them.

    Parameters
    ----------
    X : Placed
        What `adopt` returned.
    weights : Placed or None
        The share in [0, 1] to which an entry counts; in the same place.
    dtype : dtype
        The working precision, float32 or float64.
    exponent : int
        Blocks hold X·2^exponent.
    block_entries : int
        The most entries that a block would have in memory; on a device it has as many times more
        as `DEVICE` says.

    Examples
    --------
    >>> import array_api_strict as xp
    >>> data = DeviceEngine(DeviceEngine.adopt(xp.ones((4, 3))), dtype=np.float64)
    >>> data.map(lambda rows, X, weights: float(xp.sum(X)))
    [12.0]
    """

    def __init__(
        self,
        X: Placed,
        weights: Placed | None = None,
        *,
        dtype: Any = np.float64,
        exponent: int = 0,
        block_entries: int = PASS_ENTRIES,
    ) -> None:
        self.shape, self.dtype = X.shape, np.dtype(dtype)
        self.place = X.place
        self._X, self._weights, self._exponent = X, weights, exponent
        most = DEVICE.host_entries if "cpu" in str(self.place.device).lower() else DEVICE.entries
        entries = max(1, most * block_entries // PASS_ENTRIES)
        self.block_rows = default_block_rows(*X.shape, entries)
        self._starts = range(0, X.shape[0], self.block_rows)

    @staticmethod
    def adopt(X: Any) -> Placed | None:
        """Return arrays of other packages than NumPy."""
        return placed(X)

    def map(self, function: BlockFunction) -> list[Any]:
        """Apply a function to every block; see `Engine.map`."""
        return list(self.stream(function))

    def stream(self, function: BlockFunction, read: Sequence[DeviceRows] = ()) -> Iterator[Any]:
        """Apply a function to every block, and give each result as it is wanted."""
        return (function(*self._read(start, read)) for start in self._starts)

    def fold(
        self,
        function: BlockFunction,
        merge: Callable[[Any, Any], Any],
        *,
        read: Sequence[DeviceRows] = (),
        write: Sequence[DeviceRows] = (),
    ) -> Any:
        """Merge what the function makes of the blocks, one after the other, on the device."""

        def one(start: int) -> Any:
            rows, *block = self._read(start, read)
            found = function(rows, *block)
            if not write:
                return found
            sums, *new = found
            for A, part in zip(write, new, strict=True):
                A.write(rows, part)
            return sums

        return reduce(merge, map(one, self._starts))

    def keep(self, A: Any) -> DeviceRows:
        """Take over an array of the rows; one that lies elsewhere moves to the device."""
        if isinstance(A, DeviceRows):
            return A
        own = array_api_compat.is_array_api_obj(A)
        return DeviceRows(self.place.put(A if own else A[:]))

    def make(self, function: Callable[[slice], Array]) -> DeviceRows:
        """Return an array of the rows, of which the function gives some at a time, as NumPy's."""
        return DeviceRows(
            self.place.put(filled(np.empty, self.shape[0], self.block_rows, function))
        )

    def take(self, A: DeviceRows, rows: Array) -> Array:
        """Return some rows of an array, by their positions, as one of NumPy's."""
        return on_host(self.place.xp.take(A.array, self.place.put(rows), axis=0))

    def room_for(self, A: DeviceRows) -> DeviceRows:
        """Return an array of the same kind, to be written."""
        return DeviceRows(self.place.xp.empty_like(A.array))

    def combine(self, function: Callable[..., Array], *arrays: DeviceRows) -> DeviceRows:
        """Apply a function to arrays of the rows, where they are."""
        return DeviceRows(function(*(A.array for A in arrays)))

    def sum_rows(
        self, function: Callable[..., Any], merge: Callable[[Any, Any], Any], *arrays: DeviceRows
    ) -> Any:
        """Merge what a function makes of arrays of the rows, which it gets as NumPy's."""
        return summed(function, merge, arrays)

    def collect(self, A: DeviceRows) -> Array:
        """Return an array of the rows as one of NumPy's."""
        return on_host(A.array)

    def beside(self, A: Array) -> Array:
        """Return an array that all rows share, on their device."""
        return self.place.put(A)

    def sample(self, rows: Array) -> DeviceEngine:
        """Return some of the rows, by their positions, in an array of their own."""
        X, weights = (
            None if A is None else Placed(A.rows_at(rows)) for A in (self._X, self._weights)
        )
        assert X is not None
        return DeviceEngine(X, weights, dtype=self.dtype, exponent=self._exponent)

    def _read(self, start: int, kept: Sequence[DeviceRows]) -> tuple[Any, ...]:
        """Return what a `BlockFunction` is given."""
        rows = slice(start, min(start + self.block_rows, self.shape[0]))
        X = in_numbers(self._X.rows(rows), self.dtype)
        X = times_power_of_two(X, self._exponent)
        q = None if self._weights is None else in_numbers(self._weights.rows(rows), self.dtype)
        return rows, X, q, *(A.rows(rows) for A in kept)
