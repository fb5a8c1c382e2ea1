"""Entries that do not count, as bits that an engine keeps beside its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._common.bits import unpacked
from robustnmf._core.engine import BlockFunction, Engine, RowArray


class Unflagged(NamedTuple):
    """Weights that are 0 where an entry is flagged, and 1 elsewhere."""

    flags: RowArray
    """Packed, as an engine for the same data keeps them."""


class MaskedEngine:
    """The rows of other data, of which flagged entries do not count.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf._common.bits import packed
    >>> from robustnmf._engines import engine_for
    >>> flags = packed(np.array([[False, True], [True, False]]))
    >>> data = MaskedEngine(engine_for(np.ones((2, 2))), flags)
    >>> data.map(lambda rows, X, weights: weights)
    [array([[1., 0.],
           [0., 1.]])]
    """

    def __init__(self, data: Engine, flags: RowArray) -> None:
        self._data, self._flags = data, flags
        self.shape, self.dtype = data.shape, data.dtype

    def __getattr__(self, name: str) -> Any:
        # What is kept for the rows is kept where the rows are.
        return getattr(self._data, name)

    def map(self, function: BlockFunction) -> list[Any]:
        """As the data do."""
        return list(self.stream(function))

    def stream(self, function: BlockFunction, read: Sequence[RowArray] = ()) -> Iterator[Any]:
        """As the data do."""
        return self._data.stream(self._weighted(function), (self._flags, *read))

    def fold(
        self,
        function: BlockFunction,
        merge: Callable[[Any, Any], Any],
        *,
        read: Sequence[RowArray] = (),
        write: Sequence[RowArray] = (),
    ) -> Any:
        """As the data do."""
        return self._data.fold(
            self._weighted(function), merge, read=(self._flags, *read), write=write
        )

    def sample(self, rows: Array) -> MaskedEngine:
        """As the data do."""
        sample = self._data.sample(rows)
        return MaskedEngine(sample, sample.keep(self._data.take(self._flags, rows)))

    def _weighted(self, function: BlockFunction) -> BlockFunction:
        def work(rows: slice, X: Array, weights: None, flags: Array, *kept: Array) -> Any:
            counts = ~unpacked(flags, X.shape[1])
            return function(rows, X, array_namespace(X).astype(counts, X.dtype), *kept)

        return work
