"""Checks of a start (W, H) that the user gives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from robustnmf._common.checks import check_choice
from robustnmf._common.places import on_host


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
        array = on_host(part)
        if np.iscomplexobj(array):
            raise TypeError("complex numbers")
        return array.astype(np.float64)
    except (ValueError, TypeError) as error:
        raise ValueError(f"init=(W, H): {name} must hold real numbers ({error})") from error
