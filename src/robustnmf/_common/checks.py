"""Checks of arguments, for all rooms: each error names the argument, the value and the fix.

Loads nothing, so that the help of the command line can be shown at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


class Auto(Enum):
    """What stands for a number that the data are to tell."""

    AUTO = "auto"


AUTO = Auto.AUTO


def is_auto(value: Any) -> bool:
    """Say whether a value is the word "auto"."""
    return isinstance(value, str) and value == AUTO.value


def is_whole(value: Any) -> bool:
    """Say whether a value is an integer, of Python or NumPy, and no bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_count(name: str, value: Any, *, least: int = 1, choice: str = "") -> int:
    """Return value as an int of at least `least`; the message names another choice."""
    if not is_whole(value):
        raise TypeError(f"{name} must be a whole number of at least {least}{choice}; got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}{choice}; got {value!r}")
    return int(value)


def count_or_auto(name: str, value: Any) -> int | Auto:
    """Return value as an int of at least 1, or that the data are to tell it."""
    return AUTO if is_auto(value) else check_count(name, value, choice=" or 'auto'")


def check_positive(name: str, value: Any, hint: str) -> float:
    """Return value as a finite float above zero."""
    number = _number(name, value, "a number above 0", hint)
    if not (math.isfinite(number) and number > 0):
        raise ValueError(f"{name} must be finite and above 0; got {value!r}. {hint}")
    return number


def check_not_negative(name: str, value: Any, hint: str) -> float:
    """Return value as a finite float of at least zero."""
    number = _number(name, value, "a number of at least 0", hint)
    if not (math.isfinite(number) and number >= 0):
        raise ValueError(f"{name} must be finite and at least 0; got {value!r}. {hint}")
    return number


def check_share(name: str, value: Any, hint: str) -> float:
    """Return value as a float of at least zero and below one."""
    number = _number(name, value, "a share, from 0 to below 1", hint)
    if not 0 <= number < 1:
        raise ValueError(f"{name} is a share and must be in [0, 1); got {value!r}. {hint}")
    return number


def _number(name: str, value: Any, wanted: str, hint: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be {wanted}; got {value!r}. {hint}")
    return float(value)


def check_choice(name: str, value: Any, choices: Iterable[Any]) -> Any:
    """Return value if it is one of the choices."""
    choices = list(choices)
    # Compared by identity and type first, because an array would answer == with an array.
    if not any(value is c or (isinstance(value, type(c)) and value == c) for c in choices):
        listed = ", ".join(repr(c) for c in choices)
        raise ValueError(f"{name} must be one of {listed}; got {value!r}")
    return value


def check_seed(random_state: Any) -> None:
    """Refuse what `sklearn.utils.check_random_state` cannot make a RandomState of."""
    import numpy as np

    ready = random_state is np.random or isinstance(random_state, np.random.RandomState)
    if random_state is None or ready:
        return
    if not (isinstance(random_state, Integral) and 0 <= int(random_state) < 2**32):
        raise ValueError(
            f"random_state must be None, a whole number from 0 to 2**32 - 1 or a "
            f"numpy.random.RandomState; got {random_state!r}"
        )


def as_random_state(random_state: Any) -> np.random.RandomState:
    """Do as `sklearn.utils.check_random_state`, which takes half a second to load."""
    import numpy as np

    check_seed(random_state)
    if random_state is None or random_state is np.random:
        # The one that NumPy's functions draw from, and `numpy.random.seed` seeds.
        state: np.random.RandomState = np.random.mtrand._rand
        return state
    if isinstance(random_state, np.random.RandomState):
        return random_state
    return np.random.RandomState(random_state)


def as_generator(random_state: Any) -> np.random.Generator:
    """Return the Generator that this is, or that it seeds."""
    import numpy as np

    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"random_state must be None, a whole number of at least 0 or a "
            f"numpy.random.Generator; got {random_state!r}"
        ) from error
