"""The state of a run in a file: which fields it has, and what is checked when it is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._core.engine import Engine, RowArray
from robustnmf._core.loop import State, Trace
from robustnmf._saving import Curves, Flag, Keys, Number, Record, RefusedError, Text, Whole
from robustnmf._saving.container import Parts, StoredArray
from robustnmf._saving.fields import Field, Source
from robustnmf._saving.refusal import refused, shown

# Rows that are written at a time.
ROWS_AT_ONCE = 2**16


class Same:
    """Words and numbers that have to be the same."""

    def __init__(self, expected: Mapping[str, Any]) -> None:
        self._expected = dict(expected)

    def pack(self, value: Any, at: str, tensors: Any) -> Any:
        """Return them."""
        return value

    def unpack(self, found: Any, at: str, source: Any) -> Any:
        """Refuse others; say what differs first."""
        unclear = RefusedError("it does not say what it is a checkpoint of")
        if type(found) is not dict:
            raise unclear
        for name, expected in self._expected.items():
            if name not in found:
                raise unclear
            if found[name] != expected:
                raise RefusedError(
                    f"it is of a fit with other {name}: {shown(found[name])} there, "
                    f"{shown(expected)} here"
                )
        if found.keys() != self._expected.keys():
            raise unclear
        return found


class _Like:
    """An array as large and as precise as another; it stays in the file."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self._shape, self._dtype = shape, np.dtype(dtype)

    def pack(self, value: Any, at: str, tensors: Any) -> str:
        """Lay it aside."""
        tensors[at] = value
        return at

    def unpack(self, found: Any, at: str, source: Source) -> Any:
        """Return it."""
        array: Any = source.take(found, at)
        if tuple(array.shape) != self._shape or array.dtype != self._dtype:
            wanted = f"must be {self._dtype} of the shape {self._shape}"
            raise refused(at, wanted, f"{array.dtype} {tuple(array.shape)}")
        return array if isinstance(array, StoredArray) else _finite(at, array)


class _LikeRows(_Like):
    """The same for an array of the rows, wherever its engine keeps it."""

    def __init__(self, data: Engine, A: RowArray) -> None:
        first = data.take(A, np.arange(1))
        super().__init__((data.shape[0], *first.shape[1:]), first.dtype)
        self._data = data

    def pack(self, value: Any, at: str, tensors: Any) -> str:
        """Lay it aside, to be written some rows at a time."""
        n = self._shape[0]

        def parts() -> Iterator[Array]:
            for begin in range(0, n, ROWS_AT_ONCE):
                yield self._data.take(value, np.arange(begin, min(begin + ROWS_AT_ONCE, n)))

        return super().pack(Parts(self._shape, self._dtype, parts), at, tensors)


def state_fields(request: Mapping[str, Any], state: State, data: Engine) -> Field:
    """Return how a state like this one is stored."""
    history = Curves(("iteration",), ("objective", "seconds"))
    trace: dict[str, Field] = {
        "converged": Flag(),
        "stopped": Flag(),
        "n_iter": Whole(),
        "history": history,
    }
    return Keys(
        {
            "request": Same(request),
            "run": Text(),
            "trace": Record("trace", Trace, trace, _wrong_trace),
            "rows": Keys({name: _LikeRows(data, A) for name, A in state.rows.items()}),
            "arrays": Keys({name: _Like(A.shape, A.dtype) for name, A in state.arrays.items()}),
            "numbers": Keys({name: Number(finite=False) for name in state.numbers}),
        }
    )


def _wrong_trace(trace: Trace) -> str:
    n = len(trace.history["iteration"])
    return "" if trace.n_iter == n else f"{n} iterations are told of {trace.n_iter}"


class FiniteRows:
    """An array in a file, whose rows have to be finite."""

    def __init__(self, name: str, array: StoredArray) -> None:
        self.shape, self.dtype = array.shape, array.dtype
        self._name, self._array = name, array

    def __getitem__(self, rows: slice) -> Array:
        return _finite(f"rows.{self._name}", self._array[rows])


def _finite(at: str, array: Array) -> Array:
    if not np.isfinite(array).all():
        raise RefusedError(f"{at} must be finite")
    return array
