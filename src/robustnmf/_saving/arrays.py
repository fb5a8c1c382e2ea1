"""Fields of arrays: which types, shapes and values they may have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._saving.fields import Source, Tensors, within
from robustnmf._saving.refusal import RefusedError, refused, shown

Rule: TypeAlias = Callable[[Array], Any]
"""Which entries are as they should be."""

FLOATS = ("float64", "float32")


def finite(array: Array) -> Array:
    """Neither NaN nor infinite."""
    return np.isfinite(array)


def not_nan(array: Array) -> Array:
    """Any number; infinity, too."""
    return ~np.isnan(array)


def not_negative(array: Array) -> Array:
    """Finite, and at least 0."""
    return np.isfinite(array) & (array >= 0)


def rising(array: Array) -> Array:
    """Finite, and none below the one before."""
    return np.isfinite(array) & np.append(True, array[1:] >= array[:-1])


def anything(array: Array) -> Array:
    """All there is."""
    return np.ones(array.shape, dtype=bool)


_WORDS: dict[Rule, str] = {
    finite: "must be finite",
    not_nan: "must not be NaN",
    not_negative: "must be finite and nonnegative",
    rising: "must be finite and in rising order",
}


@dataclass(frozen=True)
class Tensor:
    """An array.

    Parameters
    ----------
    shape : tuple of str or None
        The names of its sizes; where several arrays name the same one, they must agree. None is
        any size.
    dtypes : tuple of str
    rule : callable
        Which entries may be there.

    Examples
    --------
    >>> source = Source({"H": np.array([[1.0, -2.0]])})
    >>> Tensor(("k", "m"), rule=not_negative).unpack("H", "H", source)
    Traceback (most recent call last):
    robustnmf._saving.refusal.RefusedError: H must be finite and nonnegative; got -2.0 at [0, 1]
    """

    shape: tuple[str | None, ...]
    dtypes: tuple[str, ...] = ("float64",)
    rule: Rule = finite

    def pack(self, value: Any, at: str, tensors: Tensors) -> str:
        """Lay the array aside, and return where."""
        tensors[at] = np.asarray(value)
        return at

    def unpack(self, found: Any, at: str, source: Source) -> Array:
        """Return the array."""
        array = source.take(found, at)
        if array.dtype.name not in self.dtypes:
            raise refused(at, f"must be of {' or '.join(self.dtypes)}", array.dtype.name)
        if array.ndim != len(self.shape):
            raise refused(at, f"must have {len(self.shape)} dimensions", array.shape)
        for name, size in zip(self.shape, array.shape, strict=True):
            if name is not None:
                if size < 1:
                    raise RefusedError(f"{at} has no {name}")
                source.same(name, size, at)
        bad = ~self.rule(array)
        if bad.any():
            place = np.argwhere(bad)[0].tolist()
            value = array[tuple(place)].item()
            raise RefusedError(f"{at} {_WORDS[self.rule]}; got {value} at {place}")
        return array


@dataclass(frozen=True)
class Names:
    """Names of `size` things, in an array of objects."""

    size: str

    def pack(self, value: Any, at: str, tensors: Tensors) -> dict[str, str]:
        """Lay the letters and the ends of the names aside."""
        # Half of a pair of surrogates is a letter that UTF-8 does not have, but Python does.
        names = [str(name).encode("utf-8", "surrogatepass") for name in value]
        letters, ends = within(at, "letters"), within(at, "ends")
        tensors[letters] = np.frombuffer(b"".join(names), dtype=np.uint8)
        tensors[ends] = np.cumsum([len(name) for name in names], dtype=np.int64)
        return {"letters": letters, "ends": ends}

    def unpack(self, found: Any, at: str, source: Source) -> Array:
        """Return the names."""
        if type(found) is not dict or set(found) != {"letters", "ends"}:
            raise refused(at, "must be names", found)
        letters, ends = (within(at, key) for key in ("letters", "ends"))
        text = Tensor((None,), ("uint8",), anything).unpack(found["letters"], letters, source)
        stops = Tensor((self.size,), ("int64",), rising).unpack(found["ends"], ends, source)
        if stops[0] < 0 or stops[-1] != len(text):
            raise refused(ends, f"must end with the {len(text)} letters", int(stops[-1]))
        raw, begins = text.tobytes(), np.append(0, stops[:-1])
        try:
            names = [
                raw[begin:end].decode("utf-8", "surrogatepass")
                for begin, end in zip(begins, stops, strict=True)
            ]
        except UnicodeDecodeError as error:
            raise RefusedError(f"{letters} must be UTF-8 ({shown(str(error))})") from error
        return np.array(names, dtype=object)


@dataclass(frozen=True)
class Curves:
    """Lists of numbers of the same length: whole ones, and others."""

    whole: tuple[str, ...]
    others: tuple[str, ...]

    def pack(self, value: Any, at: str, tensors: Tensors) -> dict[str, str]:
        """Lay the lists aside."""
        for key in (*self.whole, *self.others):
            dtype = np.int64 if key in self.whole else np.float64
            tensors[within(at, key)] = np.asarray(value[key], dtype=dtype)
        return {key: within(at, key) for key in (*self.whole, *self.others)}

    def unpack(self, found: Any, at: str, source: Source) -> dict[str, list[Any]]:
        """Return the lists."""
        keys = (*self.whole, *self.others)
        if type(found) is not dict or set(found) != set(keys):
            raise refused(at, f"must have {', '.join(keys)}", found)
        curves = {}
        for key in keys:
            tensor = Tensor((None,), ("int64",) if key in self.whole else ("float64",))
            curves[key] = tensor.unpack(found[key], within(at, key), source).tolist()
        if len({len(curve) for curve in curves.values()}) > 1:
            raise RefusedError(f"{at} has curves of different lengths")
        return curves
