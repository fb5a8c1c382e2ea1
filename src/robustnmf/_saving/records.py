"""Fields made of others: records of a class, one of several classes, many of one kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from robustnmf._saving.fields import Field, Keys, Source, Tensors, within
from robustnmf._saving.refusal import RefusedError, refused

CLASS = "class"


class Record:
    """An object of one class, by its attributes.

    Parameters
    ----------
    name : str
        What the class is called in files; that of Python may change.
    build : class
        A dataclass or a NamedTuple with these fields.
    fields : dict
        For each attribute how it is stored.
    complaint : callable, optional
        Given the object, says what is wrong with it as a whole; empty if nothing is.

    Examples
    --------
    >>> from robustnmf._common.diagnosis import Diagnosis
    >>> from robustnmf._saving.fields import Text
    >>> record = Record("diagnosis", Diagnosis, {"verdict": Text(), "reasons": Several(Text())})
    >>> record.pack(Diagnosis("reliable"), "diagnosis", {})
    {'class': 'diagnosis', 'verdict': 'reliable', 'reasons': []}
    >>> record.unpack({"class": "diagnosis", "verdict": "fine", "reasons": []}, "at", Source({}))
    Traceback (most recent call last):
    robustnmf._saving.refusal.RefusedError: at: verdict must be one of 'reliable', ...; got 'fine'
    """

    def __init__(
        self,
        name: str,
        build: type,
        fields: Mapping[str, Field],
        complaint: Callable[[Any], str] | None = None,
    ) -> None:
        self.name, self.build, self.complaint = name, build, complaint
        self._keys = Keys(fields)

    def pack(self, value: Any, at: str, tensors: Tensors) -> dict[str, Any]:
        """Return a dict that names the class."""
        own = {key: getattr(value, key) for key in self._keys.fields}
        return {CLASS: self.name, **self._keys.pack(own, at, tensors)}

    def unpack(self, found: Any, at: str, source: Source) -> Any:
        """Return the object."""
        if class_of(found, at) != self.name:
            raise refused(at, f"must be of the class {self.name}", found[CLASS])
        rest = {key: value for key, value in found.items() if key != CLASS}
        own = self._keys.unpack(rest, at, source)
        try:
            value = self.build(**own)
        except ValueError as error:
            raise RefusedError(f"{at}: {error}") from error
        wrong = self.complaint(value) if self.complaint is not None else ""
        if wrong:
            raise RefusedError(f"{at}: {wrong}")
        return value


class OneOf:
    """An object of one of several classes."""

    def __init__(self, *records: Record) -> None:
        self._records = records

    def pack(self, value: Any, at: str, tensors: Tensors) -> dict[str, Any]:
        """Return what the record of its class does."""
        for record in self._records:
            if type(value) is record.build:
                return record.pack(value, at, tensors)
        raise RefusedError(f"{at} is of a class that cannot be saved: {type(value).__name__}")

    def unpack(self, found: Any, at: str, source: Source) -> Any:
        """Return the object."""
        name = class_of(found, at)
        for record in self._records:
            if name == record.name:
                return record.unpack(found, at, source)
        known = ", ".join(record.name for record in self._records)
        raise refused(at, f"must be of a class that is known ({known})", name)


class Several:
    """Any number of things of one kind, in a tuple or a list."""

    def __init__(self, field: Field, build: Callable[[list[Any]], Any] = tuple) -> None:
        self._field, self._build = field, build

    def pack(self, value: Sequence[Any], at: str, tensors: Tensors) -> list[Any]:
        """Return a list."""
        return [self._field.pack(v, within(at, str(i)), tensors) for i, v in enumerate(value)]

    def unpack(self, found: Any, at: str, source: Source) -> Any:
        """Return all of them."""
        if type(found) is not list:
            raise refused(at, "must be a list", found)
        return self._build(
            [self._field.unpack(v, within(at, str(i)), source) for i, v in enumerate(found)]
        )


class Either:
    """An array, or something without one."""

    def __init__(self, array: Field, other: Field) -> None:
        self._array, self._other = array, other

    def pack(self, value: Any, at: str, tensors: Tensors) -> Any:
        """Return what the field that fits does."""
        field = self._array if isinstance(value, np.ndarray) else self._other
        return field.pack(value, at, tensors)

    def unpack(self, found: Any, at: str, source: Source) -> Any:
        """Return the value."""
        field = self._array if found == at else self._other
        return field.unpack(found, at, source)


def class_of(found: Any, at: str) -> str:
    """Return the name of the class that JSON says it is of."""
    if type(found) is not dict or type(found.get(CLASS)) is not str:
        raise refused(at, "must be a JSON object that names its class", found)
    name: str = found[CLASS]
    return name
