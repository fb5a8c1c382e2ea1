"""What an image must be like, told before any work is done."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def check_image(image: Any, name: str = "image") -> Array:
    """Return an image as an array, or say what is wrong with it."""
    array = np.asarray(image)
    if array.dtype.kind not in "uifb" or array.dtype == np.float16:
        raise TypeError(
            f"{name} has dtype {array.dtype}: pass real numbers, e.g. {name}.astype(float)"
        )
    if array.dtype.kind == "b":
        raise TypeError(f"{name} is boolean, which leaves nothing to predict: pass grey levels")
    if array.ndim < 2 or array.size == 0:
        raise ValueError(f"{name} has shape {array.shape}: an image has rows and columns")
    if array.dtype.kind == "f":
        if np.isinf(array).any():
            raise ValueError(f"{name} holds infinity: mark such pixels as missing, with NaN")
        if np.isnan(array).all():
            raise ValueError(f"{name} holds nothing but NaN: at least some pixels must be known")
    return array


def check_count(name: str, value: Any, least: int) -> None:
    """Raise unless a value is a whole number that is large enough."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or value < least:
        raise ValueError(f"{name}={value!r} must be a whole number, at least {least}")
