"""Checks of constructor arguments: each error names the argument, the value and the fix."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state


class Auto(Enum):
    """What stands for a number that the data are to tell."""

    AUTO = "auto"


AUTO = Auto.AUTO


def is_auto(value: Any) -> bool:
    """Say whether a value is the word "auto"."""
    return isinstance(value, str) and value == AUTO.value


def check_count(name: str, value: Any, *, least: int = 1, choice: str = "") -> int:
    """Return value as an int of at least `least`; the message names another choice."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number of at least {least}{choice}; got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}; got {value!r}")
    return int(value)


def count_or_auto(name: str, value: Any) -> int | Auto:
    """Return value as an int of at least 1, or that the data are to tell it."""
    return AUTO if is_auto(value) else check_count(name, value, choice=" or 'auto'")


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


def check_seed(random_state: Any) -> None:
    """Refuse what cannot seed a start."""
    try:
        check_random_state(random_state)
    except ValueError as error:
        raise ValueError(
            f"random_state must be None, a whole number from 0 to 2**32 - 1 or a "
            f"numpy.random.RandomState; got {random_state!r}"
        ) from error


def check_init(
    init: Any, names: Iterable[str], n_components: int, shape: tuple[int, int]
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
    W, H = (_start_array(name, part) for name, part in zip("WH", init, strict=True))
    for name, part, expected in (("W", W, (n, n_components)), ("H", H, (n_components, m))):
        if part.shape != expected:
            raise ValueError(
                f"init=(W, H): {name} has shape {part.shape}, but must have {expected} "
                f"for X of shape {shape} and n_components={n_components}"
            )
        bad = np.argwhere(~(np.isfinite(part) & (part >= 0)))
        if len(bad):
            i, j = bad[0]
            raise ValueError(
                f"init=(W, H): {name} must be finite and nonnegative; got {part[i, j]} "
                f"at [{i}, {j}]"
            )
    dead = np.flatnonzero((W.max(axis=0) == 0) & (H.max(axis=1) == 0))
    if len(dead):
        raise ValueError(
            f"init=(W, H): component {dead[0]} is zero in both W and H and could never grow; "
            "start it from small positive numbers"
        )
    return W, H


def _start_array(name: str, part: Any) -> np.ndarray:
    try:
        array = np.asarray(part)
        if np.iscomplexobj(array):
            raise TypeError("complex numbers")
        return array.astype(np.float64)
    except (ValueError, TypeError) as error:
        raise ValueError(f"init=(W, H): {name} must hold real numbers ({error})") from error
