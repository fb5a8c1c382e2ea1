"""What a reader says of a file that it does not take."""

from __future__ import annotations

import reprlib
from typing import Any

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60
_SHORT.maxlevel = 2

DAMAGED = "copy the file again, or save the model anew"


class RefusedError(ValueError):
    """Why a file cannot be loaded, without its name."""


def refused(at: str, wanted: str, found: Any) -> RefusedError:
    """Return the refusal of one thing in a file, by its place.

    Examples
    --------
    >>> print(refused("learned.bar", "must be a number", [1] * 99))
    learned.bar must be a number; got [1, 1, 1, 1, 1, 1, ...]
    """
    return RefusedError(f"{at} {wanted}; got {shown(found)}")


def shown(found: Any) -> str:
    """Return what was found, cut short: who writes hostile files may write long ones."""
    return _SHORT.repr(found)
