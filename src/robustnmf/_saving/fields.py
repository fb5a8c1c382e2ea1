"""Fields: how a single thing is written, and what is checked when it is read.

`pack` turns it into JSON, and lays arrays aside under the name of their place; `unpack` is the way
back, and raises a `RefusedError` that names the place of what is not as it must be.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Protocol

from robustnmf._common.arrays import Array
from robustnmf._saving.refusal import RefusedError, refused, shown

Tensors = dict[str, Array]
"""The arrays of a file, by their places."""


class Source:
    """The arrays that are still to be taken from a file, and the sizes that they agree on."""

    def __init__(self, tensors: Tensors) -> None:
        self.tensors = dict(tensors)
        self.sizes: dict[str, int] = {}

    def take(self, found: Any, at: str) -> Array:
        """Return the array of a place, which JSON names there, too."""
        if found != at or type(found) is not str or at not in self.tensors:
            raise refused(at, "must be an array of this name", found)
        return self.tensors.pop(at)

    def same(self, size: str, found: int, at: str) -> None:
        """Refuse what is not as large as what came before."""
        expected = self.sizes.setdefault(size, found)
        if found != expected:
            raise RefusedError(f"{at} has {found} {size}, where others have {expected}")

    def all_taken(self) -> None:
        """Refuse arrays that nobody asked for."""
        if self.tensors:
            raise RefusedError(f"the array {shown(next(iter(self.tensors)))} belongs to nothing")


class Field(Protocol):
    """How one thing is stored."""

    def pack(self, value: Any, at: str, tensors: Tensors) -> Any:
        """Return JSON for a value, and lay its arrays aside; `at` is its place."""

    def unpack(self, found: Any, at: str, source: Source) -> Any:
        """Return the value that JSON and arrays stand for, or raise."""


@dataclass(frozen=True)
class Whole:
    """A whole number.

    Examples
    --------
    >>> Whole(least=1).unpack(0, "n", Source({}))
    Traceback (most recent call last):
    robustnmf._saving.refusal.RefusedError: n must be a whole number of at least 1; got 0
    """

    least: int = 0

    def pack(self, value: Any, at: str, tensors: Tensors) -> int:
        """Return it as an int."""
        return int(value)

    def unpack(self, found: Any, at: str, source: Source) -> int:
        """Return it."""
        if type(found) is not int or not self.least <= found < 2**63:
            raise refused(at, f"must be a whole number of at least {self.least}", found)
        return found


@dataclass(frozen=True)
class Number:
    """A number; if it need not be finite, infinity is written as a word, since JSON has none."""

    least: float = -math.inf
    finite: bool = True

    def pack(self, value: Any, at: str, tensors: Tensors) -> float | str:
        """Return it as a float, or as a word."""
        number = float(value)
        return number if math.isfinite(number) else str(number)

    def unpack(self, found: Any, at: str, source: Source) -> float:
        """Return it."""
        word = not self.finite and found in ("inf", "-inf")
        number = float(found) if word or _is_finite(found) else math.nan
        if not number >= self.least:
            kind = "a finite number" if self.finite else "a number"
            least = f" of at least {self.least:g}" if math.isfinite(self.least) else ""
            raise refused(at, f"must be {kind}{least}", found)
        return number


@dataclass(frozen=True)
class Flag:
    """True or false."""

    def pack(self, value: Any, at: str, tensors: Tensors) -> bool:
        """Return it."""
        return bool(value)

    def unpack(self, found: Any, at: str, source: Source) -> bool:
        """Return it."""
        if type(found) is not bool:
            raise refused(at, "must be true or false", found)
        return found


@dataclass(frozen=True)
class Text:
    """Words."""

    def pack(self, value: Any, at: str, tensors: Tensors) -> str:
        """Return them."""
        return str(value)

    def unpack(self, found: Any, at: str, source: Source) -> str:
        """Return them."""
        if type(found) is not str:
            raise refused(at, "must be words", found)
        return found


@dataclass(frozen=True)
class Scalar:
    """What a parameter can be: nothing, true or false, a number, or words."""

    def pack(self, value: Any, at: str, tensors: Tensors) -> Any:
        """Return it as Python's own."""
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, Integral):
            return int(value)
        if isinstance(value, Real) and math.isfinite(value):
            return float(value)
        raise refused(at, "can only be saved as a finite number, words, true, false or None", value)

    def unpack(self, found: Any, at: str, source: Source) -> Any:
        """Return it."""
        if not (found is None or type(found) in (bool, str) or _is_finite(found)):
            raise refused(at, "must be a finite number, words, true, false or null", found)
        return found


@dataclass(frozen=True)
class Optional:
    """What may be missing: None."""

    field: Field

    def pack(self, value: Any, at: str, tensors: Tensors) -> Any:
        """Return JSON for it, or None."""
        return None if value is None else self.field.pack(value, at, tensors)

    def unpack(self, found: Any, at: str, source: Source) -> Any:
        """Return it, or None."""
        return None if found is None else self.field.unpack(found, at, source)


class Keys:
    """A dict of known keys, each with a field of its own."""

    def __init__(self, fields: Mapping[str, Field]) -> None:
        self.fields = dict(fields)

    def pack(self, value: Mapping[str, Any], at: str, tensors: Tensors) -> dict[str, Any]:
        """Return a dict of the same keys."""
        return {
            key: field.pack(value[key], within(at, key), tensors)
            for key, field in self.fields.items()
        }

    def unpack(self, found: Any, at: str, source: Source) -> dict[str, Any]:
        """Return the dict."""
        if type(found) is not dict:
            raise refused(at or "what it holds", "must be a JSON object", found)
        missing, unknown = self.fields.keys() - found.keys(), found.keys() - self.fields.keys()
        for what, names in (("is missing", missing), ("is not known", unknown)):
            if names:
                raise RefusedError(f"{within(at, first(names))} {what}")
        return {
            key: field.unpack(found[key], within(at, key), source)
            for key, field in self.fields.items()
        }


def _is_finite(found: Any) -> bool:
    """Return whether JSON holds a number that is a finite float, too."""
    if type(found) is int:
        return abs(found) < 2**1023
    return type(found) is float and math.isfinite(found)


def within(at: str, key: str) -> str:
    """Return the place of a part.

    Examples
    --------
    >>> within("", "learned"), within("learned", "bar")
    ('learned', 'learned.bar')
    """
    return f"{at}.{key}" if at else key


def first(names: Iterable[str]) -> str:
    """Return the first of some names, cut short."""
    return shown(min(names)).strip("'")
