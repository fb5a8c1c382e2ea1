"""What an image must be like, told before any work is done."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array


def check_image(image: Any, name: str = "image") -> tuple[Array, Array]:
    """Return an image as it was given and as it is to be worked on, or say what is wrong with it.

    The two are the same array, unless it is a masked one with a pixel masked: then such pixels
    are NaN in the second, which is of floats.
    """
    given = np.asanyarray(image)
    if not isinstance(given, np.ma.MaskedArray):
        given = np.asarray(given)
    array: Array = np.ma.getdata(given)
    check_kind(name, array.dtype, array.shape)
    if np.ma.is_masked(given):
        if np.ma.getmaskarray(given).all():
            raise ValueError(f"{name} is masked all over: at least some pixels must be known")
        kind = array.dtype if array.dtype.kind == "f" else np.dtype(np.float64)
        array = np.where(np.ma.getmaskarray(given), kind.type(np.nan), array.astype(kind))
    if array.dtype.kind == "f":
        check_values(name, [array])
    return given, array


def check_kind(name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    """Refuse what has no grey levels, or no rows and columns."""
    if dtype.kind not in "uifb" or dtype == np.float16:
        raise TypeError(f"{name} has dtype {dtype}: pass real numbers, e.g. {name}.astype(float)")
    if dtype.kind == "b":
        raise TypeError(f"{name} is boolean, which leaves nothing to predict: pass grey levels")
    if len(shape) < 2 or 0 in shape:
        raise ValueError(f"{name} has shape {shape}: an image has rows and columns")


def check_values(name: str, parts: Iterable[Array]) -> None:
    """Refuse floats, which come in parts, of which one is infinite or none is known."""
    nothing = True
    for part in parts:
        if np.isinf(part).any():
            raise ValueError(f"{name} holds infinity: mark such pixels as missing, with NaN")
        nothing = nothing and bool(np.isnan(part).all())
    if nothing:
        raise ValueError(f"{name} holds nothing but NaN: at least some pixels must be known")


def looks_like_colour(shape: tuple[int, ...]) -> bool:
    """Whether an array has the shape of one colour picture, channels last."""
    return len(shape) == 3 and shape[-1] in (3, 4) and min(shape[:2]) > 4
