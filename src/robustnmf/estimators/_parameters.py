"""Checks of constructor arguments: each error names the argument, the value and the fix."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np


def check_count(name: str, value: Any, *, least: int = 1) -> int:
    """Return value as an int of at least `least`."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number of at least {least}; got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}; got {value!r}")
    return int(value)


def check_positive(name: str, value: Any, hint: str) -> float:
    """Return value as a finite float above zero."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number above 0; got {value!r}. {hint}")
    number = float(value)
    if not (math.isfinite(number) and number > 0):
        raise ValueError(f"{name} must be finite and above 0; got {value!r}. {hint}")
    return number


def check_tolerance(name: str, value: Any) -> float:
    """Return value as a float of at least zero."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number of at least 0; got {value!r}")
    number = float(value)
    if not (math.isfinite(number) and number >= 0):
        raise ValueError(f"{name} must be finite and at least 0; got {value!r}. Try 1e-4.")
    return number


def check_choice(name: str, value: Any, choices: Iterable[Any]) -> Any:
    """Return value if it is one of the choices."""
    choices = list(choices)
    # Compared by identity and type first, because an array would answer == with an array.
    if not any(value is c or (isinstance(value, type(c)) and value == c) for c in choices):
        listed = ", ".join(repr(c) for c in choices)
        raise ValueError(f"{name} must be one of {listed}; got {value!r}")
    return value


def check_init(
    init: Any, names: Iterable[str], n_components: int, shape: tuple[int, int], dtype: Any
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the given start (W, H), or None where `init` names a rule."""
    n, m = shape
    if isinstance(init, str):
        check_choice("init", init, names)
        if init == "nndsvda" and n_components > min(n, m):
            raise ValueError(
                f"init='nndsvda' gives at most min(n_samples, n_features) = {min(n, m)} "
                f"components; got n_components={n_components}. Use init='random'."
            )
        return None
    if not (isinstance(init, tuple | list) and len(init) == 2):
        listed = ", ".join(repr(c) for c in names)
        raise ValueError(f"init must be one of {listed}, or a pair (W, H); got {init!r}")
    W, H = (np.array(part, dtype=dtype, order="C") for part in init)
    for name, part, expected in (("W", W, (n, n_components)), ("H", H, (n_components, m))):
        if part.shape != expected:
            raise ValueError(
                f"init=(W, H): {name} has shape {part.shape}, but must have {expected} "
                f"for X of shape {shape} and n_components={n_components}"
            )
        if not (np.isfinite(part).all() and (part >= 0).all()):
            raise ValueError(f"init=(W, H): {name} must be finite and nonnegative everywhere")
    return W, H
